import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { UserError } from "../../src/errors.ts";
import { makeFolders } from "../../src/fs/folders.ts";
import { nodeDisk as disk } from "../../src/fs/node-disk.ts";
import { diskThatPausesAt } from "../crash/sick-disks.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";

describe("makeFolders()", () => {
  it("makes all that are missing, for their owner alone", () => {
    const folder = temporaryFolder();
    fs.chmodSync(folder, 0o755);
    makeFolders(disk, join(folder, "a", "b", "c"));
    for (const path of ["a", "a/b", "a/b/c"]) expect(disk.stat(join(folder, path))?.mode).toBe(0o700);
    expect(disk.stat(folder)?.mode).toBe(0o755);
    makeFolders(disk, join(folder, "a", "b", "c"));
  });

  it("does not mind another process that makes them at the same moment", () => {
    for (let n = 0; n < 12; n++) {
      const folder = temporaryFolder();
      const target = join(folder, "a", "b");
      makeFolders(
        diskThatPausesAt(disk, n, () => fs.mkdirSync(target, { recursive: true })),
        target,
      );
      expect(fs.statSync(target).isDirectory()).toBe(true);
    }
  });

  it("says what is in the way", () => {
    const folder = temporaryFolder();
    fs.writeFileSync(join(folder, "file"), "");
    const make = (): void => makeFolders(disk, join(folder, "file", "a"));
    expect(make).toThrow(UserError);
    expect(make).toThrow(/Cannot make the folder .*a part of the path is a file and not a folder/);
    expect(fs.readdirSync(folder)).toEqual(["file"]);
  });
});
