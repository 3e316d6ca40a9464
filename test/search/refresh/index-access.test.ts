import { appendFileSync, cpSync, readdirSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { UserError } from "../../../src/errors.ts";
import type { Library } from "../../../src/fs/library.ts";
import { nodeDisk } from "../../../src/fs/node-disk.ts";
import type { DamagedIndex, EngineFailure, SearchEngine } from "../../../src/search/engine.ts";
import { type IndexAccess, withIndex } from "../../../src/search/refresh/index-access.ts";
import { diskThatIsFull, readOnlyDisk } from "../../crash/sick-disks.ts";
import { dumpIndex, dumpRebuilt } from "../../support/index-dump.ts";
import { makeAccess, makeLibrary } from "../../support/make-library.ts";

const demo = fileURLToPath(new URL("../../../fixtures/demo", import.meta.url));

/** Waits as a search does, but not for ever: nobody else is there to give the lock back. */
function waitingAccess(library: Library): IndexAccess {
  let waits = 0;
  const wait = async (): Promise<void> => {
    if (++waits > 20) throw new Error("It waits for a lock that it holds itself");
  };
  return { ...makeAccess(library), wait };
}

function demoLibrary(): Library {
  const library = makeLibrary();
  cpSync(demo, library.environment.home, { recursive: true });
  return library;
}

function growLog({ environment }: Library): void {
  const log = readdirSync(environment.home, { recursive: true, encoding: "utf8" })
    .filter((path) => path.startsWith(".claude") && path.endsWith(".jsonl"))
    .sort()[0];
  appendFileSync(join(environment.home, log ?? ""), '{"type":"summary","summary":"Grown"}\n');
}

/** Every segment loses its end, where its directory stands. */
function truncateSegments({ places }: Library): number {
  const segments = readdirSync(places.index).filter((name) => name.endsWith(".seg"));
  for (const name of segments) {
    const path = join(places.index, name);
    truncateSync(path, Math.min(1_000, statSync(path).size - 1));
  }
  return segments.length;
}

/** An index whose damage shows when it is written to, and not before. */
function damagedAtCommit(engine: SearchEngine): SearchEngine {
  let isDamaged = true;
  return {
    ...engine,
    async write() {
      const opened = await engine.write();
      if (opened.kind !== "open" || !isDamaged) return opened;
      isDamaged = false;
      const commit = async (): Promise<{ kind: "damaged"; what: string }> => ({
        kind: "damaged",
        what: "a page",
      });
      return { ...opened, writer: { ...opened.writer, commit } };
    },
  };
}

/** An engine whose calls fail from a step on, as those of a shared one may. */
function failing(
  engine: SearchEngine,
  step: string,
  failure: Exclude<EngineFailure, DamagedIndex>,
): SearchEngine {
  return {
    ...engine,
    async read() {
      const opened = await engine.read();
      if (step === "read") return failure;
      if (opened.kind !== "open" || step !== "rows") return opened;
      return { ...opened, reader: { ...opened.reader, rows: async () => failure } };
    },
    async write() {
      if (step === "write") return failure;
      const opened = await engine.write();
      if (opened.kind !== "open" || step !== "commit") return opened;
      return { ...opened, writer: { ...opened.writer, commit: async () => failure } };
    },
  };
}

describe("withIndex() with an engine that cannot answer", () => {
  test.each(
    ["read", "rows", "write", "commit"].flatMap((step) => [
      [step, "unreachable", "Cannot reach the search engine: no route"] as const,
      [step, "denied", "Cannot use the search engine: no route"] as const,
    ]),
  )("says so if %s finds it %s, and rebuilds nothing", async (step, kind, message) => {
    const library = demoLibrary();
    const { engine } = makeAccess(library);
    await withIndex(library, makeAccess(library), async () => {});
    const before = await dumpIndex(engine);
    growLog(library);
    const access = { ...makeAccess(library), engine: failing(engine, step, { kind, what: "no route" }) };
    const asked = withIndex(library, access, async () => {});
    await expect(asked).rejects.toThrow(UserError);
    await expect(asked).rejects.toThrow(message);
    expect(await dumpIndex(engine)).toEqual(before);
  });
});

describe("withIndex() at once, many times", () => {
  test("shows everybody what has come, and leaves the index that is built from nothing", async () => {
    const library = demoLibrary();
    const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms / 25));
    const open = (): Promise<string> => {
      const access = { ...makeAccess(library), wait };
      return withIndex(library, access, async (reader) => {
        const stored = await reader.rows({ limit: 1_000 });
        const rows = stored.kind === "rows" ? [...stored.rows] : [];
        return rows.map(({ row }) => JSON.parse(row).mark).join(" ");
      });
    };
    await open();
    for (let round = 0; round < 4; round++) {
      growLog(library);
      const [first, ...others] = await Promise.all(Array.from({ length: 5 }, open));
      for (const other of others) expect(other.split(" ").sort()).toEqual(first?.split(" ").sort());
      expect(await dumpIndex(makeAccess(library).engine)).toEqual(await dumpRebuilt(library));
    }
  });
});

describe("withIndex() with a wait", () => {
  test.each([
    ["nothing else has changed", () => {}],
    ["a log has grown", growLog],
  ])("rebuilds an index whose segments were all cut, if %s", async (_, change) => {
    const library = demoLibrary();
    await withIndex(library, waitingAccess(library), async () => {});
    const access = waitingAccess(library);
    change(library);
    expect(truncateSegments(library)).toBeGreaterThan(0);
    const rebuilt = await withIndex(library, access, async (_reader, refreshed) => refreshed?.rebuilt);
    expect(["damaged", "asked"]).toContain(rebuilt);
    expect(await dumpIndex(access.engine)).toEqual(await dumpRebuilt(library));
  });

  test("rebuilds an index whose damage shows when it is written to", async () => {
    const library = demoLibrary();
    await withIndex(library, waitingAccess(library), async () => {});
    growLog(library);
    const access = waitingAccess(library);
    const engine = damagedAtCommit(access.engine);
    const refreshed = await withIndex(library, { ...access, engine }, async (_reader, each) => each);
    expect(refreshed).toMatchObject({ rebuilt: "asked" });
    expect(await dumpIndex(engine)).toEqual(await dumpRebuilt(library));
  });
});

describe("withIndex() where the store can't be written", () => {
  test.each([
    ["there is no index", () => {}],
    ["the index is damaged", truncateSegments],
  ])("reads everything into memory, in this thread, where %s", async (_, damage) => {
    const library = demoLibrary();
    await withIndex(library, makeAccess(library), async () => {});
    if (damage(library) === undefined) rmSync(library.places.index, { recursive: true });
    const sick = { ...library, disk: readOnlyDisk(nodeDisk) };
    const told: string[] = [];
    const access: IndexAccess = {
      ...makeAccess(sick),
      onUnwritable: ({ message }) => told.push(message),
      workers: {
        minBytes: 0,
        read: async () => {
          throw new Error("Threads would write into the store");
        },
      },
    };
    const sessions = await withIndex(sick, access, async (reader) => {
      const stored = await reader.rows({ limit: 1_000 });
      return stored.kind === "rows" ? stored.sessions : 0;
    });
    expect(sessions).toBe(13);
    expect(told).toEqual([expect.stringContaining("read-only")]);
  });

  test.each([0, 500, 4_000, 20_000, 60_000])(
    "answers on a disk that is full after %i bytes",
    async (bytes) => {
      const library = demoLibrary();
      const sick = { ...library, disk: diskThatIsFull(nodeDisk, bytes) };
      const told: string[] = [];
      const access: IndexAccess = { ...makeAccess(sick), onUnwritable: ({ message }) => told.push(message) };
      const sessions = await withIndex(sick, access, async (reader) => {
        const stored = await reader.rows({ limit: 1_000 });
        return stored.kind === "rows" ? stored.sessions : 0;
      });
      expect(sessions).toBe(13);
      expect(told).toEqual([expect.stringContaining("the disk is full")]);
      const { inMemory: _, ...kept } = access;
      await expect(withIndex(sick, kept, async () => {})).rejects.toThrow(UserError);
    },
  );
});
