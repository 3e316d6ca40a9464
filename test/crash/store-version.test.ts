import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Disk } from "../../src/fs/disk.ts";
import { isAbsent } from "../../src/fs/disk-error.ts";
import { makeFolders } from "../../src/fs/folders.ts";
import { findPlaces, type Places } from "../../src/fs/places.ts";
import { replaceFile } from "../../src/fs/replace-file.ts";
import { type MigrationStep, prepareStore, readStoreState } from "../../src/fs/store.ts";
import { everyDeath } from "./every-death.ts";

const placesIn = (folder: string): Places => findPlaces({ home: folder, variables: {}, folder });

/** Moves every file of raw/ one level down, then puts a word in front of each: order and repetition would show. */
const steps: readonly MigrationStep[] = [
  {
    from: 1,
    what: "one folder per session",
    run: (disk, places) => {
      for (const { name, kind } of disk.readdir(places.raw)) {
        if (kind !== "file" || name.startsWith(".")) continue;
        const folder = join(places.raw, `${name}.d`);
        makeFolders(disk, folder);
        disk.rename(join(places.raw, name), join(folder, name));
        disk.fsyncFolder(folder);
        disk.fsyncFolder(places.raw);
      }
    },
  },
  {
    from: 2,
    what: "new content",
    run: (disk, places) => {
      for (const { name } of disk.readdir(places.raw).filter(({ kind }) => kind === "folder")) {
        const path = join(places.raw, name, name.replace(/\.d$/, ""));
        const old = disk.readFile(path, 100)?.toString() ?? "";
        if (!old.startsWith("v3 ")) replaceFile(disk, path, `v3 ${old}`);
      }
      removeIfThere(disk, join(places.raw, "obsolete.d", "obsolete"));
      disk.fsyncFolder(join(places.raw, "obsolete.d"));
    },
  },
];
const versions = { current: 3, steps };

function removeIfThere(disk: Disk, path: string): void {
  try {
    disk.unlink(path);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

describe("prepareStore(), killed at every call", () => {
  it("makes a store that is absent or whole", async () => {
    await everyDeath(
      (_, folder) => placesIn(folder),
      (disk, _, places) => prepareStore(disk, places),
      (disk, _, places, { diedAt }) => {
        const state = readStoreState(disk, places).kind;
        expect(diedAt === undefined ? ["current"] : ["absent", "current"]).toContain(state);
        prepareStore(disk, places);
        expect(readStoreState(disk, places)).toEqual({ kind: "current" });
      },
    );
  });

  it("a migration that died is completed by the next run, and keeps older programs out until then", async () => {
    const { count } = await everyDeath(
      (_, folder) => {
        const places = placesIn(folder);
        fs.mkdirSync(places.raw, { recursive: true });
        for (const name of ["a", "obsolete"]) fs.writeFileSync(join(places.raw, name), name);
        fs.writeFileSync(places.version, '{"version":1}\n');
        return places;
      },
      (disk, _, places) => prepareStore(disk, places, versions),
      (disk, _, places, { diedAt }) => {
        const touched = fs.readdirSync(places.raw).some((name) => name.endsWith(".d"));
        if (touched)
          expect(() => readStoreState(disk, places, { current: 1, steps: [] })).toThrow(
            "knows versions up to 1",
          );
        if (diedAt === undefined) expect(readStoreState(disk, places, versions)).toEqual({ kind: "current" });
        prepareStore(disk, places, versions);
        expect(readStoreState(disk, places, versions)).toEqual({ kind: "current" });
        expect(fs.readFileSync(join(places.raw, "a.d", "a"), "utf8")).toBe("v3 a");
        expect(
          fs.readdirSync(join(places.raw, "obsolete.d")).filter((name) => !name.startsWith(".")),
        ).toEqual([]);
      },
    );
    expect(count).toBeGreaterThan(100);
  });
});
