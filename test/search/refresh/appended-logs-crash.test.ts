import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Disk } from "../../../src/fs/disk.ts";
import { makeFolders } from "../../../src/fs/folders.ts";
import type { Library } from "../../../src/fs/library.ts";
import type { Lock } from "../../../src/fs/lock.ts";
import { findPlaces } from "../../../src/fs/places.ts";
import { sessionSchema } from "../../../src/search/document-fields.ts";
import { localSource, type SearchEngine } from "../../../src/search/engine.ts";
import { openIndexReader } from "../../../src/search/paged/embedded-engine.ts";
import { createIndexWriter } from "../../../src/search/paged/index-writer.ts";
import { refreshIndex } from "../../../src/search/refresh/refresh-index.ts";
import { writeLog } from "../../bench/support/write-logs.ts";
import { everyDeath } from "../../crash/every-death.ts";
import { dumpIndex, dumpRebuilt } from "../../support/index-dump.ts";
import { makeLibrary } from "../../support/make-library.ts";

const ID = "0a1b2c3d-0000-4000-8000-00000000abcd";

/** A process that dies in a test is not gone, so a real lock would stay held: the lock has its own tests. */
const lock: Lock = { path: "", isOurs: () => true, release: () => {} };

function libraryIn(folder: string, disk: Disk, template: Library): Library {
  const home = join(folder, "home");
  const variables = { SESSIONS_HOME: join(folder, "store") };
  const environment = { home, variables, folder: home, projects: [] };
  return { ...template, disk, environment, places: findPlaces({ home, variables, folder: home }) };
}

function engineOf({ disk, places }: Library): SearchEngine {
  return {
    source: localSource,
    read: async () => openIndexReader(disk, places.index, sessionSchema),
    write: async () => {
      makeFolders(disk, places.index);
      const reuse = (sizes: readonly number[]): number => sizes.length;
      return { kind: "open", writer: createIndexWriter(disk, places.index, sessionSchema, lock, { reuse }) };
    },
  };
}

function refresh(library: Library): Promise<unknown> {
  const tails = { leastBytes: 0, mostBehind: 0, sinceMs: 0, room: 50_000_000 };
  return refreshIndex(library, { engine: engineOf(library), checkpoints: tails });
}

function grow(log: string, text: string): void {
  const parentUuid = /"uuid":"([^"]+)"[^\n]*\n$/.exec(readFileSync(log, "utf8"))?.[1] ?? null;
  const message = { id: `m-${text}`, content: [{ type: "text", text }] };
  appendFileSync(
    log,
    `${JSON.stringify({ type: "assistant", uuid: `u-${text}`, parentUuid, sessionId: ID, message })}\n`,
  );
}

test("a refresh of a session that has grown, killed anywhere, leaves what the next one gets right", async () => {
  const template = makeLibrary();
  const { count } = await everyDeath(
    async (disk, folder) => {
      const library = libraryIn(folder, disk, template);
      const log = join(library.environment.home, ".claude/projects/-p", `${ID}.jsonl`);
      mkdirSync(library.environment.home, { recursive: true });
      writeLog(log, 40_000, 5, "/home/ana/p", Date.UTC(2026, 9, 1));
      await refresh(library);
      grow(log, "First the file.");
      await refresh(library);
      grow(log, "Then the test.");
      return log;
    },
    async (disk, folder) => void (await refresh(libraryIn(folder, disk, template))),
    async (disk, folder, log) => {
      const library = libraryIn(folder, disk, template);
      grow(log, "And the token.");
      await refresh(library);
      expect(await dumpIndex(engineOf(library))).toEqual(await dumpRebuilt(library));
    },
  );
  expect(count).toBeGreaterThan(10);
});
