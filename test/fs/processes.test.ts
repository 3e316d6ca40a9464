import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import process from "node:process";
import { describe, expect, it } from "vitest";
import { type Disk, diskFrom } from "../../src/fs/disk.ts";
import { nodeDisk } from "../../src/fs/node-disk.ts";
import {
  markProcess,
  nodeProcesses,
  type ProcessMark,
  type ProcessState,
  stateOf,
} from "../../src/fs/processes.ts";

const self: ProcessMark = { pid: 10, started: "100", boot: "b1", host: "h", machine: "m1", space: "s1" };
const nothing: Disk = diskFrom({
  ...nodeDisk,
  open: () => {
    throw Object.assign(new Error("no such file"), { code: "ENOENT" });
  },
});
const everybody = { pid: 10, host: "h", exists: () => true };
const nobody = { ...everybody, exists: () => false };

describe("stateOf()", () => {
  it.each<[string, Partial<ProcessMark>, ProcessState, ProcessState]>([
    ["one of here", { pid: 11 }, "alive", "dead"],
    ["one of another host", { host: "other" }, "elsewhere", "elsewhere"],
    ["one of another machine with the same name", { machine: "m2" }, "elsewhere", "elsewhere"],
    ["one of another machine, another boot", { machine: "m2", boot: "b2" }, "elsewhere", "elsewhere"],
    ["one from before a restart", { boot: "b2" }, "dead", "dead"],
    ["one from a container before a restart", { boot: "b2", space: "s2" }, "dead", "dead"],
    ["one in another container", { space: "s2" }, "elsewhere", "elsewhere"],
    [
      "one of which little is known",
      { machine: null, boot: null, space: null, started: null },
      "alive",
      "dead",
    ],
  ])("%s", (_, mark, whileItExists, whenItIsGone) => {
    expect(stateOf(nothing, everybody, self, { ...self, ...mark })).toBe(whileItExists);
    expect(stateOf(nothing, nobody, self, { ...self, ...mark })).toBe(whenItIsGone);
  });

  it.each([
    ["with the same start", "11 (a b) c) S 1 1 1 0 -1 4 2 0 2 0 1 2 0 0 20 0 7 0 100 99 5", "alive"],
    [
      "with another start: the pid was used again",
      "11 (x) S 1 1 1 0 -1 4 2 0 2 0 1 2 0 0 20 0 7 0 101 99 5",
      "dead",
    ],
    [
      "that has ended and waits for its parent",
      "11 (x) Z 1 1 1 0 -1 4 2 0 2 0 1 2 0 0 20 0 7 0 100 99 5",
      "dead",
    ],
  ])("a process %s", (_, stat, state) => {
    const disk: Disk = {
      ...nothing,
      readFile: (path) => (path === "/proc/11/stat" ? Buffer.from(stat) : undefined),
    };
    expect(stateOf(disk, everybody, self, { ...self, pid: 11 })).toBe(state);
  });

  it("lets a bug through instead of calling it unknown", () => {
    const buggy: Disk = {
      ...nothing,
      readFile: () => {
        throw new Error("a bug");
      },
    };
    expect(() => stateOf(buggy, everybody, self, self)).toThrow("a bug");
  });
});

describe("nodeProcesses", () => {
  it("knows this process, and that it is alive", () => {
    const mark = markProcess(nodeDisk, nodeProcesses);
    expect(mark).toMatchObject({ pid: process.pid, host: expect.stringMatching(/./) });
    if (fs.existsSync("/proc/self/stat")) {
      expect(mark.started).toMatch(/^\d+$/);
      expect(mark.boot).toMatch(/^[0-9a-f-]{36}$/);
    }
    expect(stateOf(nodeDisk, nodeProcesses, mark, mark)).toBe("alive");
  });

  it("knows that a process has ended", async () => {
    const child = spawn("sleep", ["60"]);
    if (child.pid === undefined) throw new Error("no process");
    const mark = markProcess(nodeDisk, { ...nodeProcesses, pid: child.pid });
    const here = markProcess(nodeDisk, nodeProcesses);
    expect(stateOf(nodeDisk, nodeProcesses, here, mark)).toBe("alive");
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(stateOf(nodeDisk, nodeProcesses, here, mark)).toBe("dead");
  });
});
