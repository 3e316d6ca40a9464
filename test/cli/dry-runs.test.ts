import { appendFileSync, existsSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { makeLogHome } from "../support/archive/log-home.ts";
import { filesBelow } from "../support/archive/source-files.ts";
import { makeWorld } from "../support/make-world.ts";

const NOW = Date.UTC(2026, 10, 16, 12);

function ground() {
  const world = makeWorld({ nowMs: NOW });
  const { ids, files } = makeLogHome(world.home, { project: "/work/shop" });
  const store = join(world.home, ".sessions");
  return {
    id: ids.claude,
    log: files[0]?.path ?? "",
    ask: async (...argv: readonly string[]) => {
      const before = { out: world.out().length, err: world.err().length };
      const code = await run(argv, world);
      return { code, out: world.out().slice(before.out), err: world.err().slice(before.err) };
    },
    /** All but the index and the id of this machine, which reading commands keep up to date, too. */
    kept: () =>
      new Map(
        [...(existsSync(store) ? filesBelow(store) : [])].filter(
          ([path]) => !/^(?:(?:index|cache|logs)\/|machine\.json$)/.test(path),
        ),
      ),
  };
}

describe("archive --dry-run", () => {
  test.each(["--dry-run", "--dry", "-n"])(
    "says what would be archived, and writes nothing: %s",
    async (flag) => {
      const { ask, kept, log } = ground();
      const first = await ask("archive", flag);
      expect(first).toMatchObject({ code: 0, out: expect.stringContaining("4 sessions would be archived.") });
      expect(first.out).toContain(log.split("/").at(-1));
      expect(kept()).toEqual(new Map());
      await ask("archive");
      const before = kept();
      expect((await ask("archive", flag)).out).toContain("Nothing new to archive, 4 unchanged.");
      appendFileSync(log, "\n");
      const { out } = await ask("archive", flag, "--json");
      expect(JSON.parse(out)).toMatchObject({
        dryRun: true,
        archived: [{ source: log, generation: 1 }],
        unchanged: 3,
      });
      expect(kept()).toEqual(before);
    },
  );
});

describe("forget --dry-run", () => {
  test("says what would be forgotten, asks nothing, and forgets nothing", async () => {
    const { ask, kept, id, log } = ground();
    await ask("archive");
    const before = kept();
    const { code, out } = await ask("forget", id, "--dry-run");
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("would be forgotten") });
    expect(JSON.parse((await ask("forget", id, "-n", "--json")).out)).toMatchObject({
      dryRun: true,
      sessionId: id,
      forgotten: false,
      sources: [log],
    });
    expect(kept()).toEqual(before);
    expect((await ask("list", "-q")).out).toContain(id);
  });

  test("is refused with --undo", async () => {
    const { ask, id } = ground();
    expect((await ask("forget", id, "--undo", "--dry-run")).code).toBe(2);
  });
});

describe("push --dry-run", () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  /** A cluster without any index, which notes what is written to it. */
  async function emptyCluster(): Promise<{ readonly url: string; readonly writes: readonly string[] }> {
    const writes: string[] = [];
    server = createServer((request, response) => {
      const { method = "", url = "" } = request;
      if (!["GET", "HEAD"].includes(method) && !url.includes("_search")) writes.push(`${method} ${url}`);
      const isRoot = url === "/";
      response.writeHead(isRoot ? 200 : 404, { "content-type": "application/json" });
      response.end(isRoot ? '{"version":{"distribution":"opensearch","number":"2.19.1"}}' : "{}");
    });
    await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}`, writes };
  }

  test("says how much would be pushed, and sends and writes nothing", async () => {
    const { ask, kept } = ground();
    const { url, writes } = await emptyCluster();
    const added = await ask("remote", "add", "team", url);
    expect(added.code, added.err).toBe(0);
    const sent = writes.length;
    const before = kept();
    const { code, out, err } = await ask("push", "team", "--dry-run");
    expect(err).toBe("");
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringContaining("4 sessions would be pushed to team"),
    });
    expect(JSON.parse((await ask("push", "-n", "--json")).out)).toMatchObject({
      dryRun: true,
      pushed: 4,
      sessions: 0,
    });
    expect(writes.slice(sent)).toEqual([]);
    expect(kept()).toEqual(before);
    expect((await ask("push", "team", "--dry-run", "--reindex")).code).toBe(2);
  });
});
