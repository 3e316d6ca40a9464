import fs from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { copyHash, sessionFolder } from "../../../src/archive/raw/generations.ts";
import { openRawArchive } from "../../../src/archive/raw/raw-archive.ts";
import { readFields, sealJson, unsealJson } from "../../../src/archive/raw/sealed-json.ts";
import { storeUpkeep } from "../../../src/forget.ts";
import type { Disk } from "../../../src/fs/disk.ts";
import { findPlaces, type Places } from "../../../src/fs/places.ts";
import { prepareStore, readStoreState } from "../../../src/fs/store.ts";
import { everyDeath } from "../../crash/every-death.ts";
import { quickDisk } from "../../crash/quick-disk.ts";
import { temporaryFolder } from "../../crash/temporary-folder.ts";
import { bytesOf, fileAt, filesBelow, readAll, session } from "../../support/archive/source-files.ts";

const versions = { current: 2, steps: storeUpkeep.migrations };

interface OldStore {
  readonly places: Places;
  readonly a: string;
  readonly b: string;
  readonly second: { readonly agent: string; readonly id: string; readonly copy: string };
  readonly raw: ReadonlyMap<string, Buffer>;
}

/** A store as version 1 left it: two logs with one id in one record, of which the second was rewritten. */
function oldStore(disk: Disk, folder: string): OldStore {
  const places = findPlaces({ home: folder, variables: {}, folder });
  const logs = join(folder, "logs");
  const [a, b] = [join(logs, "a", "log.jsonl"), join(logs, "b", "log.jsonl")];
  for (const path of [a, b]) fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(a, "the longest of both logs, which leads\n");
  const archive = openRawArchive(disk, places.raw);
  for (const text of ["b before\n", "B after\n"]) {
    fs.writeFileSync(b, text);
    archive.put(session, [fileAt(disk, a, "main", logs), fileAt(disk, b, "main", logs)]);
    if (text.startsWith("B")) continue;
    // What was rewritten begins a generation, which version 1 saw for every log of a record.
    archive.repeat(session, 1);
  }
  makeOld(sessionFolder(places.raw, session), a, b);
  fs.rmSync(join(places.raw, "catalog.json"), { force: true });
  fs.writeFileSync(places.version, '{"version":1}\n');
  const second = { ...session, copy: copyHash(logs, b) };
  return { places, a, b, second, raw: filesBelow(places.raw) };
}

/** Takes out of the records what version 1 did not write. */
function makeOld(folder: string, ...order: readonly string[]): void {
  for (const generation of fs.readdirSync(folder)) {
    const path = join(folder, generation, "manifest.json");
    const { log: _, ...record } = { log: null, ...(unsealJson(fs.readFileSync(path)) as object) };
    const files = readFields(record).list("files");
    const at = (file: unknown): number => order.indexOf(readFields(file).text("path"));
    fs.writeFileSync(path, sealJson({ ...record, files: files.toSorted((x, y) => at(x) - at(y)) }));
  }
}

function expectSplit(disk: Disk, { places, a, b, second, raw }: OldStore): void {
  const archive = openRawArchive(disk, places.raw);
  const kept = archive.get(second);
  const states = (kept?.generations ?? []).map((generation) => {
    const state = archive.get(second, generation);
    const [file] = state?.files ?? [];
    return state === undefined || file === undefined ? "" : readAll(state.read(file)).toString();
  });
  expect(new Set(states)).toEqual(new Set(["b before\n", "B after\n"]));
  expect(kept?.files.map(({ path }) => path)).toEqual([b]);
  expect(archive.get(session)?.files.map(({ path }) => path)).toEqual([a]);
  expect(bytesOf(archive, a)?.toString()).toBe(fs.readFileSync(a, "utf8"));
  expect(archive.prove(second)).toMatchObject({ damages: [], strays: 0 });
  const now = filesBelow(places.raw);
  // Nothing that was there is moved or changed.
  for (const [name, bytes] of raw) expect([name, now.get(name)?.equals(bytes)]).toEqual([name, true]);
}

describe("the migration from version 1", () => {
  it("gives each log a record of its own and leaves what is there alone; twice is once", () => {
    const store = oldStore(quickDisk, temporaryFolder());
    expect(prepareStore(quickDisk, store.places, versions)).toHaveLength(1);
    expectSplit(quickDisk, store);
    const after = filesBelow(store.places.raw);
    storeUpkeep.migrations[0]?.run(quickDisk, store.places);
    expect([...filesBelow(store.places.raw).keys()]).toEqual([...after.keys()]);
  });

  it("is completed by the next run, wherever it was killed", async () => {
    const { count } = await everyDeath(
      (disk, folder) => oldStore(disk, folder),
      (disk, _, { places }) => prepareStore(disk, places, versions),
      (disk, _, store) => {
        prepareStore(disk, store.places, versions);
        expect(readStoreState(disk, store.places, versions)).toEqual({ kind: "current" });
        expectSplit(disk, store);
      },
    );
    expect(count).toBeGreaterThan(20);
  });
});
