import fs from "node:fs";
import { join } from "node:path";
import { createMemoryDisk } from "../../src/fs/memory-disk.ts";
import { createCluster } from "../../src/search/opensearch/cluster.ts";
import { createOpenSearchEngine } from "../../src/search/opensearch/opensearch-engine.ts";
import { engineIn, mustWrite, withIndexFolder } from "../support/index/index-folder.ts";
import { smallSchema } from "../support/index/small-schema.ts";
import { session } from "../support/index/tiny-history.ts";
import { engineContract, failureContract } from "./engine-contract.ts";

engineContract("the embedded engine on disk", (use) =>
  withIndexFolder((folder) => use(() => engineIn(folder))),
);

engineContract("the embedded engine in memory", async (use) => {
  const disk = createMemoryDisk(() => 0);
  await use(() => engineIn("/index", { disk }));
});

failureContract("the embedded engine", "damaged", (use) =>
  withIndexFolder(async (folder) => {
    const writer = await mustWrite(engineIn(folder));
    await writer.put(session("a", "one", ["deploy"]));
    await writer.commit({ tidy: "little" });
    await writer.close();
    const damage = (): void => {
      for (const name of fs.readdirSync(folder))
        if (name.endsWith(".seg")) fs.writeFileSync(join(folder, name), "no segment");
    };
    await use(() => engineIn(folder), damage);
  }),
);

/** An engine on a cluster of which no request is more than this. */
function clusterThat(answers: () => Promise<Response>): Parameters<typeof failureContract>[2] {
  return (use) => {
    let time = 0;
    const cluster = createCluster({
      urls: ["http://cluster.example:9200"],
      fetch: answers,
      now: () => time,
      random: () => 0.5,
      wait: async (ms) => {
        time += ms;
      },
    });
    const source = { owner: "ann", machine: "laptop" };
    const open = () =>
      createOpenSearchEngine({
        cluster,
        alias: "history",
        schema: smallSchema,
        source,
        visibilityOf: () => "private",
        settings: {},
      });
    return use(open, () => undefined);
  };
}

failureContract(
  "OpenSearch",
  "unreachable",
  clusterThat(() => Promise.reject(new TypeError("fetch failed"))),
);

failureContract(
  "OpenSearch",
  "denied",
  clusterThat(async () => new Response("Unauthorized", { status: 401 })),
);
