import { Buffer } from "node:buffer";
import fs from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, it } from "vitest";
import { UserError } from "../../src/errors.ts";
import type { Disk, FileStat } from "../../src/fs/disk.ts";
import { systemError } from "../../src/fs/disk-error.ts";
import { nodeDisk as disk } from "../../src/fs/node-disk.ts";
import { replaceFile } from "../../src/fs/replace-file.ts";
import { intercept } from "../crash/intercept.ts";
import {
  diskThatFailsAt,
  diskThatIsFull,
  diskThatPausesAt,
  diskWithoutLinks,
  readOnlyDisk,
} from "../crash/sick-disks.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import fc from "../support/fc.ts";

const read = (path: string): string => fs.readFileSync(path, "utf8");

describe("replaceFile()", () => {
  it("writes a new file with mode 0600 and says what is there now", () => {
    const path = join(temporaryFolder(), "a");
    const done = replaceFile(disk, path, "hello");
    // Taking its name is a change, too.
    const file = { ...disk.stat(path), ctimeMs: expect.any(Number) };
    expect(done).toEqual({ kind: "done", path, file });
    expect(read(path)).toBe("hello");
    expect(disk.stat(path)?.mode).toBe(0o600);
  });

  it("replaces a file whole and leaves nothing beside it", () => {
    const folder = temporaryFolder();
    const path = join(folder, "a");
    fs.writeFileSync(path, "much longer than what comes");
    replaceFile(disk, path, "short");
    expect(read(path)).toBe("short");
    expect(fs.readdirSync(folder)).toEqual(["a"]);
  });

  it("writes any chunks, also empty ones and views into larger buffers", () => {
    const path = join(temporaryFolder(), "a");
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 50 })), (chunks) => {
        const views = chunks.map((chunk) =>
          Buffer.concat([Buffer.from("xx"), chunk, Buffer.from("yy")]).subarray(2, -2),
        );
        replaceFile(disk, path, views);
        expect(fs.readFileSync(path)).toEqual(Buffer.concat(chunks));
      }),
      { numRuns: 30 },
    );
  });

  it("goes on where the disk takes only a part of a write", () => {
    const path = join(temporaryFolder(), "a");
    const slow = intercept(disk, (call, run) => {
      if (call.write !== undefined) call.write.limit = Math.min(3, call.write.length);
      return run();
    });
    replaceFile(slow, path, "a longer text");
    expect(read(path)).toBe("a longer text");
  });

  it("sets exactly the mode that it is given, whatever the umask", () => {
    const folder = temporaryFolder();
    const before = process.umask(0o077);
    try {
      for (const mode of [0o600, 0o644, 0o666, 0o400, 0o755]) {
        replaceFile(disk, join(folder, "a"), "x", { mode });
        expect(disk.stat(join(folder, "a"))?.mode).toBe(mode);
      }
    } finally {
      process.umask(before);
    }
  });

  it("keeps the mode where asked to, and takes 0600 where there is none to keep", () => {
    const folder = temporaryFolder();
    fs.writeFileSync(join(folder, "a"), "old");
    fs.chmodSync(join(folder, "a"), 0o640);
    replaceFile(disk, join(folder, "a"), "new", { mode: "keep" });
    expect(disk.stat(join(folder, "a"))?.mode).toBe(0o640);
    replaceFile(disk, join(folder, "b"), "new", { mode: "keep" });
    expect(disk.stat(join(folder, "b"))?.mode).toBe(0o600);
  });

  it("gives a file back to the owner that it had", () => {
    const path = join(temporaryFolder(), "a");
    fs.writeFileSync(path, "old");
    const asked: unknown[] = [];
    const foreign: Disk = {
      ...disk,
      stat: (of) => {
        const stat = disk.stat(of);
        return stat === undefined || of !== path ? stat : { ...stat, uid: 4711, gid: 4712 };
      },
      chown: (_, uid, gid) => {
        asked.push(uid, gid);
      },
    };
    replaceFile(foreign, path, "new", { mode: "keep" });
    expect(asked).toEqual([4711, 4712]);
    replaceFile(foreign, path, "new");
    expect(asked.length).toBe(2);
  });

  it("goes on where only the group can't be kept, and refuses where the owner can't be", () => {
    const folder = temporaryFolder();
    const path = join(folder, "a");
    fs.writeFileSync(path, "old");
    const refusing = (owner: Partial<FileStat>): Disk => ({
      ...disk,
      stat: (of) => {
        const stat = disk.stat(of);
        return stat === undefined || of !== path ? stat : { ...stat, ...owner };
      },
      chown: () => {
        throw systemError("EPERM", "not yours to give");
      },
    });
    expect(replaceFile(refusing({ gid: 4712 }), path, "new", { mode: "keep" }).kind).toBe("done");
    expect(() => replaceFile(refusing({ uid: 4711 }), path, "newer", { mode: "keep" })).toThrow(
      "not permitted",
    );
    expect(read(path)).toBe("new");
    expect(fs.readdirSync(folder)).toEqual(["a"]);
  });

  it("sets the time that it is given", () => {
    const path = join(temporaryFolder(), "a");
    const done = replaceFile(disk, path, "x", { mtimeMs: 1_700_000_000_123 });
    expect(disk.stat(path)?.mtimeMs).toBe(1_700_000_000_123);
    expect(done).toMatchObject({ file: { mtimeMs: 1_700_000_000_123 } });
  });

  it("leaves a link where it is and replaces what it points to", () => {
    const folder = temporaryFolder();
    fs.mkdirSync(join(folder, "real"));
    fs.writeFileSync(join(folder, "real", "a"), "old");
    fs.symlinkSync("real", join(folder, "by-folder"));
    fs.symlinkSync("../by-folder/a", join(folder, "real", "hop"));
    fs.symlinkSync("by-folder/hop", join(folder, "link"));
    const done = replaceFile(disk, join(folder, "link"), "new");
    expect(read(join(folder, "real", "a"))).toBe("new");
    expect(fs.lstatSync(join(folder, "link")).isSymbolicLink()).toBe(true);
    expect(fs.readdirSync(join(folder, "real")).toSorted()).toEqual(["a", "hop"]);
    expect(fs.realpathSync(done.path)).toBe(join(folder, "real", "a"));
  });

  it("makes the file that a dangling link points to", () => {
    const folder = temporaryFolder();
    fs.symlinkSync("later", join(folder, "link"));
    replaceFile(disk, join(folder, "link"), "new");
    expect(read(join(folder, "later"))).toBe("new");
    expect(fs.lstatSync(join(folder, "link")).isSymbolicLink()).toBe(true);
  });

  it("passes on what goes wrong where the content comes from, and leaves the file", () => {
    const folder = temporaryFolder();
    fs.writeFileSync(join(folder, "a"), "old");
    function* failing(): Generator<Uint8Array> {
      yield Buffer.from("half");
      yield* disk.readChunks(join(folder, "missing"));
    }
    expect(() => replaceFile(disk, join(folder, "a"), failing())).toThrow(
      expect.objectContaining({ code: "ENOENT", name: "Error" }),
    );
    expect(read(join(folder, "a"))).toBe("old");
    expect(fs.readdirSync(folder)).toEqual(["a"]);
  });
});

describe("replaceFile() with expect", () => {
  it("replaces a file that is still what was read", () => {
    const path = join(temporaryFolder(), "a");
    fs.writeFileSync(path, "old");
    const expected = disk.stat(path);
    if (expected === undefined) throw new Error("no file");
    expect(replaceFile(disk, path, "new", { expect: expected }).kind).toBe("done");
    expect(read(path)).toBe("new");
  });

  it.each([
    ["grew", (path: string) => fs.appendFileSync(path, "more")],
    ["was touched", (path: string) => fs.utimesSync(path, 1, 1)],
    ["was removed", (path: string) => fs.rmSync(path)],
    [
      "was replaced",
      (path: string) => {
        const { atime, mtime } = fs.statSync(path);
        fs.writeFileSync(`${path}2`, "old");
        fs.utimesSync(`${path}2`, atime, mtime);
        fs.renameSync(`${path}2`, path);
      },
    ],
  ])("leaves a file alone that %s, at whatever moment", (_, change) => {
    let moments = 0;
    for (let n = 0; ; n++) {
      const folder = temporaryFolder();
      const path = join(folder, "a");
      fs.writeFileSync(path, "old");
      const expected = disk.stat(path);
      if (expected === undefined) throw new Error("no file");
      let changedBefore: string | undefined;
      const paused = diskThatPausesAt(disk, n, (call) => {
        changedBefore = call.name;
        change(path);
      });
      const result = replaceFile(paused, path, "new", { expect: expected });
      // Behind the last look there is only the rename; nothing can close that gap.
      if (changedBefore === "rename") break;
      expect(result.kind).toBe("changed");
      expect(fs.existsSync(path) ? read(path) : "gone").not.toBe("new");
      expect(fs.readdirSync(folder).filter((name) => name !== "a")).toEqual([]);
      moments++;
    }
    expect(moments).toBeGreaterThan(5);
  });

  it("asks a function for it when all content is written", () => {
    const path = join(temporaryFolder(), "a");
    fs.writeFileSync(path, "one\n");
    let mark = disk.stat(path);
    function* content(): Generator<Uint8Array> {
      yield Buffer.from("ONE\n");
      fs.appendFileSync(path, "two\n");
      mark = disk.stat(path);
      yield Buffer.from("two\n");
    }
    const expectation = (): NonNullable<typeof mark> => {
      if (mark === undefined) throw new Error("no file");
      return mark;
    };
    expect(replaceFile(disk, path, content(), { expect: expectation }).kind).toBe("done");
    expect(read(path)).toBe("ONE\ntwo\n");
  });
});

describe.each([
  ["with hard links", disk],
  ["without hard links", diskWithoutLinks(disk)],
])("replaceFile() with exclusive, %s", (_, linking) => {
  it("makes a file", () => {
    const folder = temporaryFolder();
    expect(replaceFile(linking, join(folder, "a"), "new", { exclusive: true }).kind).toBe("done");
    expect(read(join(folder, "a"))).toBe("new");
    expect(fs.readdirSync(folder)).toEqual(["a"]);
  });

  it("never writes over one, at whatever moment it appears", () => {
    let appeared = 0;
    for (let n = 0; ; n++) {
      const folder = temporaryFolder();
      const path = join(folder, "a");
      let came = false;
      const paused = diskThatPausesAt(linking, n, () => {
        if (fs.existsSync(path)) return;
        fs.writeFileSync(path, "theirs");
        came = true;
      });
      const result = replaceFile(paused, path, "ours", { exclusive: true });
      if (!came) {
        expect(result.kind).toBe("done");
        break;
      }
      expect(result.kind).toBe("exists");
      expect(read(path)).toBe("theirs");
      expect(fs.readdirSync(folder)).toEqual(["a"]);
      appeared++;
    }
    expect(appeared).toBeGreaterThan(5);
  });
});

describe("replaceFile() on a sick disk", () => {
  it.each([0, 1, 4, 9])(
    "a disk that is full after %i bytes leaves the old file and nothing else",
    (bytes) => {
      const folder = temporaryFolder();
      const path = join(folder, "a");
      fs.writeFileSync(path, "old");
      expect(() => replaceFile(diskThatIsFull(disk, bytes), path, "ten bytes!")).toThrow(
        expect.objectContaining({
          message: `Cannot write ${JSON.stringify(path)}: the disk is full`,
          exitCode: 5,
        }),
      );
      expect(read(path)).toBe("old");
      expect(fs.readdirSync(folder)).toEqual(["a"]);
    },
  );

  it("fills a disk to its last byte", () => {
    const path = join(temporaryFolder(), "a");
    expect(replaceFile(diskThatIsFull(disk, 10), path, "ten bytes!").kind).toBe("done");
  });

  it("does not trust a disk that says it wrote what it did not", () => {
    const folder = temporaryFolder();
    const path = join(folder, "a");
    fs.writeFileSync(path, "old");
    const lying: Disk = {
      ...disk,
      write: (handle, bytes) => {
        disk.write(handle, bytes.subarray(0, 3));
        return bytes.length;
      },
    };
    expect(() => replaceFile(lying, path, "ten bytes!")).toThrow("input/output error");
    expect(read(path)).toBe("old");
    expect(fs.readdirSync(folder)).toEqual(["a"]);
  });

  it("says that a disk is read-only", () => {
    const path = join(temporaryFolder(), "a");
    expect(() => replaceFile(readOnlyDisk(disk), path, "x")).toThrow(
      expect.objectContaining({ message: expect.stringContaining("read-only"), hint: expect.any(String) }),
    );
  });

  it.each([
    ["its folder does not exist", "missing/a", "no such file or folder"],
    ["a file stands where its folder should be", "file/a", "a part of the path is a file"],
    ["a folder has its name", "folder", "it is a folder"],
    ["its name is too long", "x".repeat(300), "the name is too long"],
    ["its links form a cycle", "loop", "links form a cycle"],
  ])("says that %s", (_, name, what) => {
    const folder = temporaryFolder();
    fs.writeFileSync(join(folder, "file"), "");
    fs.mkdirSync(join(folder, "folder"));
    fs.symlinkSync("loop", join(folder, "loop"));
    const before = fs.readdirSync(folder, { recursive: true });
    const path = join(folder, name);
    const fails = (): unknown => replaceFile(disk, path, "x");
    expect(fails).toThrow(UserError);
    expect(fails).toThrow(what);
    expect(fails).toThrow(JSON.stringify(path));
    expect(fs.readdirSync(folder, { recursive: true })).toEqual(before);
  });

  it.each(["pipe", "null", "other"] as const)(
    "refuses to replace what is not an ordinary file (%s)",
    (kind) => {
      const stat = {
        ...disk.stat("/"),
        kind,
        size: 0,
        mtimeMs: 0,
        inode: 0,
        mode: 0,
        uid: 0,
        gid: 0,
        atimeMs: 0,
        ctimeMs: 0,
      };
      const path = join(temporaryFolder(), "fifo");
      expect(() => replaceFile({ ...disk, stat: () => stat }, path, "x")).toThrow(
        "it is not an ordinary file",
      );
    },
  );

  it("has a word for every call that fails once, leaves old or new, no litter and no open file", () => {
    let failures = 0;
    for (const exclusive of [false, true]) {
      for (let n = 0; ; n++) {
        const folder = temporaryFolder();
        const path = join(folder, "a");
        if (!exclusive) fs.writeFileSync(path, "old");
        const failing = diskThatFailsAt(disk, n);
        const replace = (): unknown =>
          replaceFile(failing.disk, path, "new", { exclusive, mode: 0o644, mtimeMs: 1_000 });
        try {
          replace();
        } catch (error) {
          expect(error).toBeInstanceOf(UserError);
        }
        const failed = failing.failedAt();
        expect(failing.leftOpen()).toEqual([]);
        const names = fs.readdirSync(folder);
        // Only where the removal of the temp file itself fails, it stays, under a name that the sweep knows.
        if (failed?.name !== "unlink") expect(names.filter((name) => name !== "a")).toEqual([]);
        if (names.includes("a")) expect(["old", "new"]).toContain(read(path));
        else expect(exclusive).toBe(true);
        if (failed === undefined) break;
        failures++;
      }
    }
    expect(failures).toBeGreaterThan(20);
  });
});
