import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { UserError } from "../../src/errors.ts";
import { storeUpkeep } from "../../src/forget.ts";
import { nodeDisk as disk } from "../../src/fs/node-disk.ts";
import { findPlaces, type Places } from "../../src/fs/places.ts";
import { type MigrationStep, prepareStore, readStoreState, STORE_VERSION } from "../../src/fs/store.ts";
import { diskThatFailsAt } from "../crash/sick-disks.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";

function newPlaces(): Places {
  const home = temporaryFolder();
  return findPlaces({ home, variables: {}, folder: home });
}

function writeVersion(places: Places, text: string): void {
  fs.mkdirSync(places.home, { recursive: true });
  fs.writeFileSync(places.version, text);
}

/** Steps that leave a trace. */
function tracing(trace: number[]): readonly MigrationStep[] {
  return [1, 2].map((from) => ({ from, what: `from ${from}`, run: () => void trace.push(from) }));
}

describe("the table of migrations", () => {
  it("has a step from every version but the present one", () => {
    const known = storeUpkeep.migrations.map(({ from }) => from);
    expect(known).toEqual(Array.from({ length: STORE_VERSION - 1 }, (_, i) => i + 1));
  });
});

describe("readStoreState()", () => {
  it("sees no store where there is none, and makes none", () => {
    const places = newPlaces();
    expect(readStoreState(disk, places)).toEqual({ kind: "absent" });
    expect(fs.existsSync(places.home)).toBe(false);
    fs.mkdirSync(places.raw, { recursive: true });
    expect(readStoreState(disk, places)).toEqual({ kind: "absent" });
  });

  it.each([
    ['{"version":1}\n', { kind: "older", version: 1 }],
    ['{"version":2,"migratingTo":3}', { kind: "older", version: 2 }],
    ['{"version":3}', { kind: "current" }],
    ['{"version":3,"more":true}', { kind: "current" }],
  ])("%s is %j for a program of version 3", (text, state) => {
    const places = newPlaces();
    writeVersion(places, text);
    expect(readStoreState(disk, places, { current: 3, steps: tracing([]) })).toEqual(state);
  });

  it.each(['{"version":3}', '{"version":2,"migratingTo":3}', '{"version":99}'])(
    "refuses %s with exit code 5",
    (text) => {
      const places = newPlaces();
      writeVersion(places, text);
      for (const use of [readStoreState, prepareStore]) {
        expect(() => use(disk, places)).toThrow(
          expect.objectContaining({
            name: "UserError",
            exitCode: 5,
            message: expect.stringMatching(/its version is \d+, and this program knows versions up to 2/),
            hint: expect.stringContaining("update"),
          }),
        );
      }
      expect(fs.readFileSync(places.version, "utf8")).toBe(text);
      expect(fs.readdirSync(places.home)).toEqual(["version.json"]);
    },
  );

  it.each(["", "{", "null", "1", "{}", '{"version":"1"}', '{"version":0}', '{"version":1.5}', "\0\0"])(
    "does not guess what %j means",
    (text) => {
      const places = newPlaces();
      writeVersion(places, text);
      expect(() => readStoreState(disk, places)).toThrow(
        expect.objectContaining({
          exitCode: 5,
          message: expect.stringContaining("does not contain its version"),
        }),
      );
      expect(fs.readFileSync(places.version, "utf8")).toBe(text);
    },
  );

  it("takes a store whose version file was lost for the oldest", () => {
    const places = newPlaces();
    fs.mkdirSync(join(places.raw, "claude"), { recursive: true });
    expect(readStoreState(disk, places, { current: 3, steps: tracing([]) })).toEqual({
      kind: "older",
      version: 1,
    });
    expect(readStoreState(disk, places)).toEqual({ kind: "older", version: 1 });
  });
});

describe("prepareStore()", () => {
  it("creates a store for its owner alone, once", () => {
    const places = newPlaces();
    expect(prepareStore(disk, places)).toEqual([]);
    expect(fs.readFileSync(places.version, "utf8")).toBe('{"version":2}\n');
    expect(disk.stat(places.home)?.mode).toBe(0o700);
    expect(disk.stat(places.version)?.mode).toBe(0o600);
    const before = disk.stat(places.version);
    expect(prepareStore(disk, places)).toEqual([]);
    expect(disk.stat(places.version)?.inode).toBe(before?.inode);
  });

  it("writes the version file again if it was lost", () => {
    const places = newPlaces();
    fs.mkdirSync(join(places.raw, "claude"), { recursive: true });
    prepareStore(disk, places, { current: 3, steps: tracing([]) });
    expect(fs.readFileSync(places.version, "utf8")).toBe('{"version":3}\n');
  });

  it.each([
    [1, [1, 2]],
    [2, [2]],
    [3, []],
  ])("takes a store of version %i through steps %j", (version, expected) => {
    const places = newPlaces();
    writeVersion(places, JSON.stringify({ version }));
    const trace: number[] = [];
    const done = prepareStore(disk, places, { current: 3, steps: tracing(trace) });
    expect(trace).toEqual(expected);
    expect(done).toEqual(expected.map((from) => `from ${from}`));
    expect(readStoreState(disk, places, { current: 3, steps: [] })).toEqual({ kind: "current" });
  });

  it("keeps an older program out while a step is under way, and after one that failed", () => {
    const places = newPlaces();
    writeVersion(places, '{"version":1}');
    const steps: readonly MigrationStep[] = [
      {
        from: 1,
        what: "fails",
        run: () => {
          expect(() => readStoreState(disk, places, { current: 1, steps: [] })).toThrow(
            "knows versions up to 1",
          );
          throw new Error("no");
        },
      },
    ];
    expect(() => prepareStore(disk, places, { current: 2, steps })).toThrow("no");
    expect(() => readStoreState(disk, places, { current: 1, steps: [] })).toThrow("knows versions up to 1");
    expect(readStoreState(disk, places, { current: 2, steps })).toEqual({ kind: "older", version: 1 });
  });

  it("says what is wrong with the disk, at whatever call it fails", () => {
    let failures = 0;
    for (let n = 0; ; n++) {
      const places = newPlaces();
      const failing = diskThatFailsAt(disk, n);
      try {
        prepareStore(failing.disk, places);
      } catch (error) {
        expect(error).toBeInstanceOf(UserError);
      }
      expect(failing.leftOpen()).toEqual([]);
      prepareStore(disk, places);
      expect(readStoreState(disk, places)).toEqual({ kind: "current" });
      if (failing.failedAt() === undefined) break;
      failures++;
    }
    expect(failures).toBeGreaterThan(10);
  });
});
