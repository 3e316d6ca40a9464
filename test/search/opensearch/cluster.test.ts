import { expect, test } from "vitest";
import { createCluster } from "../../../src/search/opensearch/cluster.ts";

test("a host that Deno may not connect to is refused at once, with the flag to add", async () => {
  let attempts = 0;
  const cluster = createCluster({
    urls: ["https://search.example:9200"],
    fetch: () => {
      attempts++;
      const error = new Error('Requires net access to "search.example:9200"');
      error.name = "NotCapable";
      return Promise.reject(error);
    },
    now: () => 0,
    random: () => 0,
    wait: async () => {},
  });
  expect(await cluster.send({ method: "GET", path: "/" })).toEqual({
    kind: "denied",
    what: "search.example:9200 can't be reached by this program: Deno needs --allow-net with its address",
  });
  expect(attempts).toBe(1);
});
