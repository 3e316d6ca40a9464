import { constants } from "node:os";
import { describe, expect, it } from "vitest";
import { UserError } from "../../src/errors.ts";
import { diskError, errorCode, explainDiskError, isAbsent, systemError } from "../../src/fs/disk-error.ts";

describe("diskError()", () => {
  it.each([
    ["ENOSPC", "the disk is full", /free some space/],
    ["EDQUOT", "the disk quota is used up", /free some space/],
    ["EROFS", "the file system is read-only", /SESSIONS_HOME/],
    ["EACCES", "permission denied", /owner and the mode/],
    ["ENOTDIR", "a part of the path is a file and not a folder", /out of the way/],
    ["EISDIR", "it is a folder and not a file", /out of the way/],
    ["EMFILE", "too many open files", /ulimit/],
    ["ELOOP", "its links form a cycle", /link/],
    ["EIO", "the disk reports an input/output error", /failing/],
  ])("%s names the path, says what is wrong and what to do", (code, what, hint) => {
    const cause = systemError(code, "below");
    const error = diskError("write", "/some/file", cause);
    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({
      message: `Cannot write "/some/file": ${what}`,
      hint: expect.stringMatching(hint),
      exitCode: 5,
      cause,
    });
  });

  it("takes what Deno's permissions refuse for a denied permission", () => {
    const refused = Object.assign(new Error('Requires all access to "/proc/1/stat"'), { name: "NotCapable" });
    expect(diskError("read", "/proc/1/stat", refused)).toMatchObject({
      message: 'Cannot read "/proc/1/stat": permission denied',
    });
  });

  it("names an error of the system that it has no words for", () => {
    expect(diskError("write", "/a", systemError("EWEIRD", "?"))).toMatchObject({
      message: 'Cannot write "/a": the system says EWEIRD',
      hint: undefined,
    });
  });

  it.each([
    new Error("a bug"),
    Object.assign(new Error("a bug"), { code: "ERR_INVALID_ARG_VALUE" }),
    Object.assign(new Error("a bug"), { code: 5 }),
    new UserError("said already", { exitCode: 4 }),
    "text",
    undefined,
  ])("returns what is no error of the system: %s", (error) => {
    expect(diskError("write", "/a", error)).toBe(error);
    expect(errorCode(error)).toBeUndefined();
    expect(isAbsent(error)).toBe(false);
  });
});

describe("errorCode()", () => {
  const quota = constants.errno.EDQUOT;
  it.each([
    ["Node, which has no name for a quota", { code: `Unknown system error -${quota}` }, "EDQUOT"],
    ["Deno, which has only the number", { message: `Disk quota exceeded (os error ${quota})` }, "EDQUOT"],
    ["a number that has no name at all", { code: "Unknown system error -9999" }, "E9999"],
  ])("understands %s", (_, fields, code) => {
    expect(errorCode(Object.assign(new Error("failed"), fields))).toBe(code);
  });
});

describe("diskError() without a path", () => {
  it("names the one that the error has, or none", () => {
    expect(diskError("write", undefined, systemError("EIO", "fsync", "/a"))).toMatchObject({
      message: 'Cannot write "/a": the disk reports an input/output error',
    });
    expect(diskError("go on", undefined, systemError("EIO", "fsync"))).toMatchObject({
      message: "Cannot go on: the disk reports an input/output error",
    });
  });
});

describe("explainDiskError()", () => {
  it("throws a bug on instead of making a problem of it", () => {
    expect(() => explainDiskError(new Error("a bug"))).toThrow("a bug");
  });
});
