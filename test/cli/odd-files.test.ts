import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { type BundleRun, runBundle } from "../support/run-bundle.ts";
import { callOf, putToolLog, toolLog } from "../support/shrink/tool-log.ts";

/** Far more than any of these takes; one that hangs ends with a signal. */
const LIMIT_MS = 240_000;

interface Ground {
  readonly home: string;
  readonly store: string;
  /** Puts a pipe that nobody writes to there. */
  pipe(path: string): void;
  sessions(args: readonly string[], input?: string): Promise<BundleRun>;
}

function ground(): Ground {
  const home = temporaryFolder();
  const store = join(home, ".sessions");
  putToolLog(home, toolLog([callOf("Bash", 2_000, { command: "echo zanzibar" })]));
  return {
    home,
    store,
    pipe: (path) => {
      fs.mkdirSync(dirname(path), { recursive: true });
      execFileSync("mkfifo", [path]);
    },
    sessions: (args, input = "") => runBundle(args, { home, input, timeoutMs: LIMIT_MS }),
  };
}

describe("a pipe where a file should be", () => {
  test.each([
    ["lock", ["archive"], 5],
    ["config.json", ["list"], 5],
    ["version.json", ["archive"], 5],
    ["index/lock", ["search", "zanzibar"], 0],
    ["index/manifest", ["search", "zanzibar"], 5],
    ["logs/hooks.log", ["doctor"], 5],
  ])("%s of the store ends no command in waiting: %j", async (name, args, code) => {
    const { store, pipe, sessions } = ground();
    pipe(join(store, name));
    const ran = await sessions(args);
    expect(ran).toMatchObject({ code, signal: null });
    expect(ran.err).toContain("it is a pipe or a device and not a file");
  });

  test.each([["settings.json"], ["history.jsonl"]])("%s of an agent is left out", async (name) => {
    const { home, pipe, sessions } = ground();
    pipe(join(home, ".claude", name));
    for (const command of ["list", "retention"])
      expect(await sessions([command])).toMatchObject({ code: 0, signal: null });
  });
});

describe("a hook whose log is no file", () => {
  test.each([["/proc/kmsg"], ["/dev/zero"], ["PIPE"]])("says so, and is done: %s", async (named) => {
    const { home, store, pipe, sessions } = ground();
    const path = named === "PIPE" ? join(home, "pipe.jsonl") : named;
    if (named === "PIPE") pipe(path);
    const event = { hook_event_name: "PreCompact", session_id: "a", transcript_path: path };
    expect(await sessions(["hook", "pre-compact"], JSON.stringify(event))).toMatchObject({
      code: 0,
      signal: null,
      out: "",
      err: "",
    });
    expect(fs.readFileSync(join(store, "logs", "hooks.log"), "utf8")).toContain("there is no log");
  });
});
