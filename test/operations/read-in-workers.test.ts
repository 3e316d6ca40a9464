import { cpSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { StartWorker, WorkerHandle } from "../../src/core/worker-handle.ts";
import { indexTask } from "../../src/operations/indexing/index-task.ts";
import { readInWorkers } from "../../src/operations/indexing/read-in-workers.ts";
import { refreshIndex } from "../../src/operations/indexing/refresh-index.ts";
import type { Library } from "../../src/operations/library.ts";
import { dumpIndex, dumpRebuilt } from "../support/index-dump.ts";
import { makeAccess, makeLibrary } from "../support/make-library.ts";

const demo = fileURLToPath(new URL("../../fixtures/demo", import.meta.url));

function demoLibrary(): Library {
  const library = makeLibrary();
  cpSync(demo, library.surroundings.home, { recursive: true });
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
  const { read } = await refreshIndex(library, { engine, readInWorkers: inThreads, workersFrom: -1 });
  expect(read).toBeGreaterThan(2);
  expect(await dumpIndex(engine)).toEqual(await dumpRebuilt(library));
});

test.each([
  ["fails", () => Promise.reject(new Error("no more memory")), "no more memory"],
  ["ends", () => Promise.resolve(), "ended too early"],
])("nothing is committed where a thread %s", async (_, end, message) => {
  const library = demoLibrary();
  const { engine } = makeAccess(library);
  const start: StartWorker = () => ({ ...handle, ended: end(), post: () => {}, onMessage: () => {} });
  const inThreads = readInWorkers(library, start, 2);
  const refreshing = refreshIndex(library, { engine, readInWorkers: inThreads, workersFrom: -1 });
  await expect(refreshing).rejects.toThrow(message);
  expect(await engine.read()).toMatchObject({ kind: "absent" });
});
