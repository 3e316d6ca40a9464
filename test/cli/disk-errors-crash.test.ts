import fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { BUG_EXIT_CODE } from "../../src/cli/report-error.ts";
import { run } from "../../src/cli/run.ts";
import { systemError } from "../../src/fs/disk-error.ts";
import { crashOptions } from "../crash/commands/crash-options.ts";
import { type Call, describeCall, intercept } from "../crash/intercept.ts";
import { quickDisk } from "../crash/quick-disk.ts";
import { makeWorld, type TestWorld } from "../support/make-world.ts";
import {
  callOf,
  piToolLog,
  putPiLog,
  putToolLog,
  TOOL_SESSION,
  toolLog,
} from "../support/shrink/tool-log.ts";

const NOW = Date.UTC(2026, 10, 16, 12);

/** What disks say, one for each kind of trouble. */
const CODES: readonly string[] = [
  "ENOSPC",
  "EDQUOT",
  "EIO",
  "EROFS",
  "EACCES",
  "EPERM",
  "EMFILE",
  "ENFILE",
  "ENAMETOOLONG",
  "ELOOP",
  "ENOTDIR",
  "EISDIR",
  "ESTALE",
  "EBUSY",
  "EFBIG",
  "ENXIO",
  "ENOENT",
  "EEXIST",
];

interface Case {
  readonly argv: readonly string[];
  /** Commands that were run before. */
  readonly after?: readonly (readonly string[])[];
  /** What else was done before. */
  readonly change?: (log: string) => void;
}

const ARCHIVE = ["archive"];
const cases: readonly Case[] = [
  { argv: ["archive"] },
  { argv: ["archive"], after: [ARCHIVE], change: (log) => fs.appendFileSync(log, '{"type":"x"}\n') },
  { argv: ["index", "--rebuild"], after: [["index"]] },
  { argv: ["search", "zanzibar"] },
  { argv: ["guard"] },
  { argv: ["restore", TOOL_SESSION], after: [ARCHIVE], change: (log) => fs.rmSync(log) },
  {
    argv: ["restore", TOOL_SESSION, "--force"],
    after: [ARCHIVE],
    change: (log) => fs.writeFileSync(log, "other\n"),
  },
  { argv: ["compact", TOOL_SESSION, "--keep", "0"] },
  { argv: ["flatten", TOOL_SESSION] },
  { argv: ["unflatten", TOOL_SESSION], after: [["flatten", TOOL_SESSION]] },
  { argv: ["flatten", TOOL_SESSION, "--fork"] },
  { argv: ["retrieve", TOOL_SESSION, "toolu_a"], after: [["flatten", TOOL_SESSION]] },
  { argv: ["forget", TOOL_SESSION, "--yes"], after: [ARCHIVE, ["flatten", TOOL_SESSION]] },
  {
    argv: ["forget", TOOL_SESSION, "--undo"],
    after: [ARCHIVE, ["forget", TOOL_SESSION, "--yes"]],
  },
  { argv: ["retention", "set", "60"] },
  { argv: ["install", "--agent", "claude", "--yes"] },
  { argv: ["uninstall", "--agent", "claude", "--yes"], after: [["install", "--agent", "claude", "--yes"]] },
  { argv: ["export", TOOL_SESSION, "--format", "md", "-o", "out.md"] },
  { argv: ["verify"], after: [ARCHIVE] },
  { argv: ["doctor"], after: [ARCHIVE] },
  { argv: ["show", TOOL_SESSION] },
  { argv: ["grep", "zanzibar"] },
  { argv: ["hook", "pre-compact"] },
];

/** Failing at every call takes half an hour; at one in so many, it finds what a change breaks. */
const STRIDE = crashOptions.all ? 1 : 61;

interface Ground {
  readonly world: TestWorld;
  /** Makes everything as it was before the command. */
  reset(): void;
}

async function ground({ after = [], change }: Case): Promise<Ground> {
  const world = makeWorld({
    nowMs: NOW,
    input: JSON.stringify({ hook_event_name: "PreCompact", transcript_path: "LOG" }),
  });
  const text = toolLog([callOf("Bash", 3_000, { command: "echo zanzibar" }, "toolu_a")]);
  const log = putToolLog(world.home, text);
  putPiLog(world.home, piToolLog());
  const quick = { ...world, disk: quickDisk };
  for (const argv of after) expect(await run(argv, quick)).toBe(0);
  change?.(log);
  const before = join(dirname(world.root), `${basename(world.root)}-before`);
  onTestFinished(() => fs.rmSync(before, { recursive: true, force: true }));
  fs.cpSync(world.home, before, { recursive: true, preserveTimestamps: true });
  return {
    world: {
      ...quick,
      stdin: {
        ...world.stdin,
        readText: async (most) => (await world.stdin.readText(most)).replace("LOG", log),
      },
    },
    reset: () => {
      fs.rmSync(world.home, { recursive: true });
      fs.cpSync(before, world.home, { recursive: true, preserveTimestamps: true });
    },
  };
}

// All of its calls take more than ten minutes.
describe("a disk that fails at any call", { timeout: 3_600_000 }, () => {
  test.each(cases)("is reported as what it is: sessions $argv", async (each) => {
    const { world, reset } = await ground(each);
    const bugs: string[] = [];
    // Each command begins with another error.
    let at = cases.indexOf(each);
    const begin = at;
    for (let n = at % STRIDE; ; n += STRIDE) {
      const code = CODES[at++ % CODES.length] ?? "";
      reset();
      let made = 0;
      let failed: Call | undefined;
      const disk = intercept(quickDisk, (call, go) => {
        // What the kernel tells of processes is thousands of calls, and no disk.
        if (call.path.startsWith("/proc/") || made++ !== n) return go();
        failed = call;
        if (call.name === "close") go();
        throw systemError(code, describeCall(call));
      });
      const before = world.err().length;
      const exit = await run(each.argv, { ...world, disk });
      if (failed === undefined) break;
      const said = world.err().slice(before);
      if (exit === BUG_EXIT_CODE) bugs.push(`${code} at ${n} (${describeCall(failed)}): ${said}`);
    }
    expect(at - begin).toBeGreaterThan(1);
    expect(bugs).toEqual([]);
  });
});
