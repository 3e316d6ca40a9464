import { Buffer } from "node:buffer";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { diskFrom, sameMark } from "../../src/fs/disk.ts";
import { errorCode } from "../../src/fs/disk-error.ts";
import { nodeDisk as disk } from "../../src/fs/node-disk.ts";
import { diskThatFailsAt } from "../crash/sick-disks.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import fc from "../support/fc.ts";

function codeOf(action: () => unknown): string | undefined {
  try {
    action();
  } catch (error) {
    return errorCode(error);
  }
  return "nothing was thrown";
}

describe("nodeDisk.open()", () => {
  it("opens files and nothing else, so that nobody waits for the other end of a pipe", () => {
    const folder = temporaryFolder();
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    // Would it wait, the test would too: a writer that is there already makes it answer.
    const other = fs.openSync(pipe, fs.constants.O_RDWR | fs.constants.O_NONBLOCK);
    try {
      expect(codeOf(() => disk.open(pipe, "read"))).toBe("ENXIO");
      expect(codeOf(() => disk.open(pipe, "append"))).toBe("ENXIO");
    } finally {
      fs.closeSync(other);
    }
    expect(codeOf(() => disk.open("/dev/zero", "read"))).toBe("ENXIO");
    expect(codeOf(() => disk.open(folder, "read"))).toBe("EISDIR");
  });

  it("has errors say which file they are about", () => {
    const path = join(temporaryFolder(), "a");
    const handle = disk.open(path, "create");
    try {
      expect(() => disk.read(handle, Buffer.alloc(1), 0)).toThrow(expect.objectContaining({ path }));
    } finally {
      disk.close(handle);
    }
  });
});

describe("nodeDisk.stat()", () => {
  it("reports kind, size, mode, whole milliseconds and inode", () => {
    const folder = temporaryFolder();
    const path = join(folder, "a");
    fs.writeFileSync(path, "hello");
    fs.chmodSync(path, 0o640);
    const real = fs.statSync(path);
    expect(disk.stat(path)).toEqual({
      kind: "file",
      size: 5,
      mode: 0o640,
      inode: real.ino,
      uid: real.uid,
      gid: real.gid,
      mtimeMs: Math.floor(real.mtimeMs),
      atimeMs: Math.floor(real.atimeMs),
      ctimeMs: Math.floor(real.ctimeMs),
    });
    expect(disk.stat(folder)?.kind).toBe("folder");
  });

  it("knows what takes everything from other devices", () => {
    expect([disk.stat("/dev/null")?.kind, disk.stat("/dev/zero")?.kind]).toEqual(["null", "other"]);
  });

  it("follows links where lstat() does not", () => {
    const folder = temporaryFolder();
    fs.writeFileSync(join(folder, "a"), "hello");
    fs.symlinkSync("a", join(folder, "to-a"));
    fs.symlinkSync("nowhere", join(folder, "dangling"));
    expect(disk.stat(join(folder, "to-a"))?.kind).toBe("file");
    expect(disk.lstat(join(folder, "to-a"))?.kind).toBe("link");
    expect(disk.stat(join(folder, "dangling"))).toBeUndefined();
    expect(disk.lstat(join(folder, "dangling"))?.kind).toBe("link");
    expect(disk.readlink(join(folder, "dangling"))).toBe("nowhere");
    expect(disk.realpath(join(folder, "to-a"))).toBe(join(folder, "a"));
  });

  it("is undefined if nothing is there, or if a file is in the way", () => {
    const folder = temporaryFolder();
    fs.writeFileSync(join(folder, "a"), "");
    expect(disk.stat(join(folder, "b"))).toBeUndefined();
    expect(disk.stat(join(folder, "a", "b"))).toBeUndefined();
    expect(disk.lstat(join(folder, "a", "b"))).toBeUndefined();
  });

  it("throws if links form a cycle", () => {
    const folder = temporaryFolder();
    fs.symlinkSync("loop", join(folder, "loop"));
    expect(codeOf(() => disk.stat(join(folder, "loop")))).toBe("ELOOP");
  });
});

describe("nodeDisk.utimes()", () => {
  it("sets a time that stat() returns to the millisecond", () => {
    const path = join(temporaryFolder(), "a");
    fs.writeFileSync(path, "");
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000_000_000 }), (ms) => {
        disk.utimes(path, ms, ms);
        expect(disk.stat(path)).toMatchObject({ mtimeMs: ms, atimeMs: ms });
      }),
      { numRuns: 500 },
    );
  });
});

describe("nodeDisk.readdir()", () => {
  it("says what each name is", () => {
    const folder = temporaryFolder();
    fs.writeFileSync(join(folder, "file"), "");
    fs.mkdirSync(join(folder, "folder"));
    fs.symlinkSync("folder", join(folder, "link"));
    expect(disk.readdir(folder).toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([
      { name: "file", kind: "file" },
      { name: "folder", kind: "folder" },
      { name: "link", kind: "link" },
    ]);
  });
});

describe("nodeDisk, changing things", () => {
  it("creates only what does not exist, and appends to what does", () => {
    const path = join(temporaryFolder(), "a");
    const created = disk.open(path, "create");
    expect(disk.write(created, Buffer.from("one"))).toBe(3);
    disk.fsync(created);
    expect(disk.fstat(created).size).toBe(3);
    disk.close(created);
    expect(disk.stat(path)?.mode).toBe(0o600);
    expect(codeOf(() => disk.open(path, "create"))).toBe("EEXIST");
    const appended = disk.open(path, "append");
    disk.write(appended, Buffer.from("two"));
    disk.close(appended);
    expect(fs.readFileSync(path, "utf8")).toBe("onetwo");
  });

  it("makes folders that only their owner may enter", () => {
    const folder = join(temporaryFolder(), "a");
    disk.mkdir(folder);
    expect(disk.stat(folder)).toMatchObject({ kind: "folder", mode: 0o700 });
    expect(codeOf(() => disk.mkdir(folder))).toBe("EEXIST");
    disk.fsyncFolder(folder);
    disk.rmdir(folder);
    expect(disk.stat(folder)).toBeUndefined();
  });

  it("links never overwrite, renames do", () => {
    const folder = temporaryFolder();
    fs.writeFileSync(join(folder, "a"), "a");
    fs.writeFileSync(join(folder, "b"), "b");
    expect(codeOf(() => disk.link(join(folder, "a"), join(folder, "b")))).toBe("EEXIST");
    disk.rename(join(folder, "a"), join(folder, "b"));
    expect(fs.readFileSync(join(folder, "b"), "utf8")).toBe("a");
  });

  it("unlink() never removes a folder", () => {
    const folder = temporaryFolder();
    fs.mkdirSync(join(folder, "empty"));
    expect(codeOf(() => disk.unlink(join(folder, "empty")))).toBe("EISDIR");
    expect(fs.existsSync(join(folder, "empty"))).toBe(true);
  });
});

describe("readChunks()", () => {
  const bytes = Buffer.from(Array.from({ length: 1000 }, (_, i) => i % 251));

  it("returns exactly the requested bytes, in any sizes", () => {
    const path = join(temporaryFolder(), "a");
    fs.writeFileSync(path, bytes);
    const position = fc.integer({ min: 0, max: 1100 });
    fc.assert(
      fc.property(position, position, fc.integer({ min: 1, max: 300 }), (from, to, chunkSize) => {
        const read = [...disk.readChunks(path, { from, to, chunkSize })].length;
        const copies: Buffer[] = [];
        for (const chunk of disk.readChunks(path, { from, to, chunkSize })) copies.push(Buffer.from(chunk));
        expect(copies.length).toBe(read);
        expect(Buffer.concat(copies)).toEqual(bytes.subarray(from, Math.max(from, to)));
        expect(copies.every((chunk) => chunk.length <= chunkSize)).toBe(true);
      }),
    );
  });

  it("reads into one buffer, or into the one that it is given", () => {
    const path = join(temporaryFolder(), "a");
    fs.writeFileSync(path, bytes);
    const buffer = Buffer.alloc(300);
    for (const chunk of disk.readChunks(path, { buffer })) expect(chunk.buffer).toBe(buffer.buffer);
    const own = new Set([...disk.readChunks(path, { chunkSize: 300 })].map((chunk) => chunk.buffer));
    expect(own.size).toBe(1);
  });

  it("closes the file also where its reader stops early or fails", () => {
    const path = join(temporaryFolder(), "a");
    fs.writeFileSync(path, bytes);
    const watched = diskThatFailsAt(disk, 1_000_000);
    for (const _ of watched.disk.readChunks(path, { chunkSize: 10 })) break;
    expect(() => {
      for (const _ of watched.disk.readChunks(path, { chunkSize: 10 })) throw new Error("enough");
    }).toThrow("enough");
    expect(watched.leftOpen()).toEqual([]);
  });

  it("throws the system's error where there is no file", () => {
    expect(codeOf(() => disk.readChunks(join(temporaryFolder(), "a")).next())).toBe("ENOENT");
  });
});

describe("readFile()", () => {
  it("reads up to its cap and refuses one byte more", () => {
    const path = join(temporaryFolder(), "a");
    fs.writeFileSync(path, "12345");
    expect(disk.readFile(path, 5)?.toString()).toBe("12345");
    expect(() => disk.readFile(path, 4)).toThrow(
      expect.objectContaining({ name: "UserError", message: expect.stringContaining("larger than 4 bytes") }),
    );
  });

  it("is undefined where nothing is", () => {
    const folder = temporaryFolder();
    fs.writeFileSync(join(folder, "a"), "");
    expect(disk.readFile(join(folder, "b"), 10)).toBeUndefined();
    expect(disk.readFile(join(folder, "a", "b"), 10)).toBeUndefined();
    expect(disk.readFile(join(folder, "a"), 10)).toEqual(Buffer.alloc(0));
  });

  it("reads files that say they are empty", () => {
    const folder = temporaryFolder();
    const path = join(folder, "a");
    fs.writeFileSync(path, "x".repeat(20_000));
    // As below /proc, which not every system has.
    const lying = diskFrom({ ...disk, fstat: (handle) => ({ ...disk.fstat(handle), size: 0 }) });
    expect(lying.readFile(path, 30_000)?.length).toBe(20_000);
    expect(lying.readHead(path, 100).length).toBe(100);
    expect(() => lying.readFile(path, 19_999)).toThrow("larger than");
  });
});

describe("readHead()", () => {
  it("reads the first bytes, or all there are", () => {
    const path = join(temporaryFolder(), "a");
    fs.writeFileSync(path, "12345");
    expect(disk.readHead(path, 3).toString()).toBe("123");
    expect(disk.readHead(path, 100).toString()).toBe("12345");
    expect(disk.readHead(path, 0).length).toBe(0);
  });
});

describe("sameMark()", () => {
  const mark = { size: 1, mtimeMs: 2, inode: 3 };
  it.each([
    [{ ...mark }, true],
    [{ ...mark, size: 9 }, false],
    [{ ...mark, mtimeMs: 9 }, false],
    [{ ...mark, inode: 9 }, false],
  ])("%j: %s", (other, same) => {
    expect(sameMark(mark, other)).toBe(same);
  });
});
