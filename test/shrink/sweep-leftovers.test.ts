import fs from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { archiveSessions } from "../../src/archive/archive-sessions.ts";
import { restoreSessions } from "../../src/archive/restore-sessions.ts";
import type { Library } from "../../src/fs/library.ts";
import { tempPathFor } from "../../src/fs/replace-file.ts";
import { checkLeftovers } from "../../src/integrations/doctor/check-store.ts";
import { openJournal } from "../../src/shrink/journal.ts";
import { sweepLeftovers } from "../../src/shrink/sweep-leftovers.ts";
import { archiving, locking, quickLibrary } from "../support/archive/archiving.ts";
import { type LogHome, makeLogHome } from "../support/archive/log-home.ts";

const HOUR_MS = 3_600_000;

async function ground(): Promise<{ readonly library: Library; readonly made: LogHome }> {
  const library = quickLibrary();
  const made = makeLogHome(library.environment.home);
  await archiveSessions(library, archiving);
  return { library, made };
}

/** A temp file in a folder, and how long ago it was written. */
function leave(library: Library, folder: string, ageMs: number): string {
  fs.mkdirSync(folder, { recursive: true });
  const path = tempPathFor(join(folder, "x"));
  fs.writeFileSync(path, "half of it");
  library.disk.utimes(path, library.now() - ageMs, library.now() - ageMs);
  return path;
}

/** Everywhere that this program writes. */
function foldersOf({ places }: Library, made: LogHome): readonly string[] {
  const { claude } = made.ids;
  return [
    places.home,
    places.cache,
    places.index,
    join(places.index, "tails"),
    places.logs,
    places.backups,
    places.raw,
    join(places.raw, "claude", claude, "1"),
    join(places.archive, "claude", "shop"),
    join(places.flat, "claude"),
    join(places.notes, "claude"),
    join(places.rewrites, "claude"),
    ...new Set(made.files.map(({ path }) => dirname(path))),
  ];
}

describe("sweepLeftovers()", () => {
  it("finds temp files wherever this program writes, and young ones nowhere", async () => {
    const { library, made } = await ground();
    const folders = foldersOf(library, made);
    const old = folders.map((folder) => leave(library, folder, HOUR_MS + 1));
    const young = folders.map((folder) => leave(library, folder, HOUR_MS - 60_000));
    expect(sweepLeftovers(library, { dryRun: true }).files.toSorted()).toEqual(old.toSorted());
    expect(old.every((path) => fs.existsSync(path))).toBe(true);
    expect(sweepLeftovers(library)).toEqual({
      files: expect.arrayContaining(old),
      bytes: "half of it".length * old.length,
    });
    expect(old.filter((path) => fs.existsSync(path))).toEqual([]);
    expect(young.every((path) => fs.existsSync(path))).toBe(true);
  });

  it("leaves folders alone that this program does not write to", async () => {
    const { library, made } = await ground();
    const elsewhere = leave(library, made.project, 2 * HOUR_MS);
    const beside = leave(library, join(made.home, ".claude", "plans"), 2 * HOUR_MS);
    expect(sweepLeftovers(library).files).toEqual([]);
    expect([elsewhere, beside].every((path) => fs.existsSync(path))).toBe(true);
  });

  it("leaves what a journal names to the one that ends it", async () => {
    const { library, made } = await ground();
    const log = made.files[0]?.path ?? "";
    const temp = leave(library, dirname(log), 2 * HOUR_MS);
    const old = leave(library, dirname(log), 2 * HOUR_MS);
    const name = (path: string): string => path.slice(dirname(path).length + 1);
    openJournal(library.disk, library.places.rewrites, {
      path: log,
      temps: [name(temp)],
      old: name(old),
      plannedTo: 0,
      made: 0,
      inode: null,
      round: 0,
    });
    expect(sweepLeftovers(library).files).toEqual([]);
  });

  it("leaves a journal alone that names no log, and doctor names it", async () => {
    const { library } = await ground();
    const notes = join(library.environment.home, "notes.txt");
    fs.writeFileSync(notes, "not a log\n");
    const temp = leave(library, library.environment.home, 0);
    openJournal(library.disk, library.places.rewrites, {
      path: notes,
      temps: [temp.slice(dirname(temp).length + 1)],
      old: null,
      plannedTo: 0,
      made: 0,
      inode: null,
      round: 0,
    });
    await archiveSessions(library, archiving);
    expect([fs.existsSync(temp), fs.readFileSync(notes, "utf8")]).toEqual([true, "not a log\n"]);
    expect(checkLeftovers(library)).toMatchObject([
      { state: "problem", details: [expect.stringContaining(join("rewrites", "open"))] },
    ]);
  });

  it("is done for a folder that is restored into", async () => {
    const { library, made } = await ground();
    const to = join(made.home, "elsewhere");
    const place = dirname(made.files[0]?.path ?? "").replace(made.home, to);
    const left = leave(library, place, 2 * HOUR_MS);
    await restoreSessions(library, [{ agent: "claude", id: made.ids.claude, copy: null }], { locking, to });
    expect(fs.existsSync(left)).toBe(false);
  });
});
