import { cpSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { archiveSessions } from "../../../src/archive/archive-sessions.ts";
import type { Library } from "../../../src/fs/library.ts";
import { indexTask, readInWorkers } from "../../../src/search/refresh/index-workers.ts";
import { refreshIndex } from "../../../src/search/refresh/refresh-index.ts";
import type { StartWorker, WorkerHandle } from "../../../src/search/worker-handle.ts";
import { archiving } from "../../support/archive/archiving.ts";
import { dumpIndex, dumpRebuilt } from "../../support/index-dump.ts";
import { makeAccess, makeLibrary } from "../../support/make-library.ts";

const demo = fileURLToPath(new URL("../../../fixtures/demo", import.meta.url));

function demoLibrary(): Library {
  const library = makeLibrary();
  cpSync(demo, library.environment.home, { recursive: true });
  return library;
}

const handle: Omit<WorkerHandle, "post" | "onMessage"> = {
  ended: new Promise(() => {}),
  finish: () => {},
  terminate: async () => {},
};

/** Does the same in this thread, when this one has a moment. */
const startHere: StartWorker = (_, data) => {
  let answer: (message: unknown) => void = () => {};
  const receive = indexTask(data, (message) => answer(message));
  return {
    ...handle,
    post: (message) => void setImmediate(() => receive(message)),
    onMessage: (taker) => {
      answer = taker;
    },
  };
};

test.each([1, 2, 3])("an index that %d threads build is that of one", async (threads) => {
  const library = demoLibrary();
  const { engine } = makeAccess(library);
  const inThreads = readInWorkers(library, startHere, threads);
  const { read } = await refreshIndex(library, { engine, workers: { minBytes: -1, read: inThreads } });
  expect(read).toBeGreaterThan(2);
  expect(await dumpIndex(engine)).toEqual(await dumpRebuilt(library));
});

test("a copy that only the archive has is one, however the index came about", async () => {
  const library = demoLibrary();
  const { engine } = makeAccess(library);
  await refreshIndex(library, { engine });
  const log = readdirSync(library.environment.home, { recursive: true, encoding: "utf8" }).find(
    (path) => path.includes(".claude/projects") && path.endsWith(".jsonl"),
  );
  const original = join(library.environment.home, log ?? "");
  const copy = join(dirname(original), "ffffffff-ffff-4fff-8fff-ffffffffffff.jsonl");
  cpSync(original, copy);
  await refreshIndex(library, { engine });
  await archiveSessions(library, archiving);
  rmSync(copy);
  await refreshIndex(library, { engine });
  // Where it was read from may differ, and nothing else.
  const dumped = async (): Promise<string> =>
    JSON.stringify(await dumpIndex(engine), null, 1).replaceAll(
      /\\*"(?:origin|mark)\\*":\s*\\*"[^"\\]*\\*"/g,
      "",
    );
  const grown = await dumped();
  await refreshIndex(library, { engine, rebuild: true });
  expect(await dumped()).toBe(grown);
  const inThreads = readInWorkers(library, startHere, 2);
  await refreshIndex(library, { engine, rebuild: true, workers: { minBytes: -1, read: inThreads } });
  expect(await dumped()).toBe(grown);
});

test.each([
  ["fails", () => Promise.reject(new Error("no more memory")), "no more memory"],
  ["ends", () => Promise.resolve(), "ended too early"],
])("nothing is committed where a thread %s", async (_, end, message) => {
  const library = demoLibrary();
  const { engine } = makeAccess(library);
  const start: StartWorker = () => ({ ...handle, ended: end(), post: () => {}, onMessage: () => {} });
  const inThreads = readInWorkers(library, start, 2);
  const refreshing = refreshIndex(library, { engine, workers: { minBytes: -1, read: inThreads } });
  await expect(refreshing).rejects.toThrow(message);
  expect(await engine.read()).toMatchObject({ kind: "absent" });
});
