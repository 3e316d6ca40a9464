import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Output, RunOptions, World } from "../../src/cli/world.ts";
import { nodeDisk } from "../../src/fs/node-disk.ts";
import { nodeProcesses } from "../../src/fs/processes.ts";

export interface MakeWorldOptions {
  /** stdout and stderr are a terminal of so many columns; without it they are pipes. */
  readonly columns?: number;
  readonly hasColor?: boolean;
  readonly variables?: Readonly<Record<string, string | undefined>>;
  readonly nowMs?: number;
  readonly offsetMinutes?: number;
  /** What stands on stdin; without it, stdin is empty. */
  readonly input?: string;
  /** Numbers of the processes that run. */
  readonly running?: readonly number[];
  /** Exit codes of the programs that are run; a program that is not here does not exist. */
  readonly programs?: Readonly<Record<string, number>>;
}

export interface ProgramRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly options: RunOptions;
}

export interface TestWorld extends World {
  /** All that was written so far. */
  readonly out: () => string;
  readonly err: () => string;
  readonly runs: readonly ProgramRun[];
  /** Everything of this world lies in here; it is removed after the test. */
  readonly root: string;
}

/** 12 October 2025, 12:00 UTC: what time it is in tests that don't say. */
export const TEST_NOW_MS: number = Date.UTC(2025, 9, 12, 12);

/** A world of its own in a temporary folder: a real disk, an empty home, a clock that stands still. */
export function makeWorld(options: MakeWorldOptions = {}): TestWorld {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sessions-test-")));
  // A process that a test left behind may still be writing its last.
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  const home = join(root, "home");
  const folder = join(home, "project");
  mkdirSync(folder, { recursive: true });

  const written = { out: "", err: "" };
  const output = (to: "out" | "err"): Output => ({
    write: (text) => {
      written[to] += text;
    },
    isTerminal: options.columns !== undefined,
    columns: options.columns,
    hasColor: options.hasColor ?? false,
  });
  const input = options.input ?? "";
  const runs: ProgramRun[] = [];
  let counter = 0;
  return {
    root,
    home,
    folder,
    managedFolder: join(root, "managed"),
    demoHome: fileURLToPath(new URL("../../fixtures/demo", import.meta.url)),
    pageFolder: fileURLToPath(new URL("../../dist/web", import.meta.url)),
    runs,
    threads: 1,
    out: () => written.out,
    err: () => written.err,
    now: () => options.nowMs ?? TEST_NOW_MS,
    offsetMinutesAt: () => options.offsetMinutes ?? 0,
    variables: { SESSIONS_HOME: join(home, ".sessions"), ...options.variables },
    stdout: output("out"),
    stderr: output("err"),
    stdin: {
      isTerminal: false,
      readText: async (maxBytes) => Buffer.from(input).subarray(0, maxBytes).toString(),
      async *lines() {
        yield* input.split("\n").slice(0, input.endsWith("\n") ? -1 : undefined);
      },
    },
    takeTerminal: () => undefined,
    disk: nodeDisk,
    random: () => ((++counter * 7919) % 10_007) / 10_007,
    uuid: () => `00000000-0000-4000-8000-${String(++counter).padStart(12, "0")}`,
    processes: nodeProcesses,
    isRunning: (pid) => options.running?.includes(pid) ?? false,
    program: { command: "/usr/bin/node", args: ["/opt/sessions/dist/sessions.cjs"] },
    run: async (program, args, runOptions) => {
      runs.push({ program, args, options: runOptions ?? {} });
      return options.programs?.[program];
    },
    untilEnd: async () => undefined,
    uninterrupted: (action) => action(),
  };
}
