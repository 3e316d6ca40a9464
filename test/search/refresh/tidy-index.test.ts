import { cpSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Library } from "../../../src/fs/library.ts";
import { readSnapshot } from "../../../src/search/refresh/freshness.ts";
import { tidyIndex, withIndex } from "../../../src/search/refresh/index-access.ts";
import { readOnlyDisk } from "../../crash/sick-disks.ts";
import { dumpIndex, dumpRebuilt } from "../../support/index-dump.ts";
import { makeAccess, makeLibrary } from "../../support/make-library.ts";

const demo = fileURLToPath(new URL("../../../fixtures/demo", import.meta.url));

const segmentsOf = ({ places }: Library): number =>
  readdirSync(places.index).filter((name) => name.endsWith(".seg")).length;

/** Sessions come one after the other, each into a segment of its own. */
async function grownIndex(): Promise<Library> {
  const library = makeLibrary();
  const logs = readdirSync(demo, { recursive: true, encoding: "utf8" })
    .filter((path) => path.startsWith(".claude") && path.endsWith(".jsonl"))
    .slice(0, 3);
  for (const log of logs) {
    const path = join(library.environment.home, log);
    mkdirSync(dirname(path), { recursive: true });
    cpSync(join(demo, log), path);
    await withIndex(library, makeAccess(library), async () => {});
  }
  return library;
}

const idOf = (library: Library): Promise<string> =>
  withIndex(library, { ...makeAccess(library), skipRefresh: true }, async (reader) => reader.id);

test("tidyIndex() leaves one segment with all sessions, and what the next search need not look for again", async () => {
  const library = await grownIndex();
  expect(segmentsOf(library)).toBeGreaterThan(1);
  const before = readSnapshot(library);
  await tidyIndex(library, makeAccess(library));
  expect(segmentsOf(library)).toBe(1);
  expect(await dumpIndex(makeAccess(library).engine)).toEqual(await dumpRebuilt(library));
  expect(readSnapshot(library)).toEqual({ ...before, index: await idOf(library) });
});

test("tidyIndex() a second time changes nothing", async () => {
  const library = await grownIndex();
  await tidyIndex(library, makeAccess(library));
  const id = await idOf(library);
  await tidyIndex(library, makeAccess(library));
  expect(await idOf(library)).toBe(id);
});

test("tidyIndex() leaves a store alone that can't be written", async () => {
  const library = await grownIndex();
  const stuck = { ...library, disk: readOnlyDisk(library.disk) };
  await tidyIndex(stuck, makeAccess(stuck));
  expect(segmentsOf(library)).toBeGreaterThan(1);
});
