import fs from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { run } from "../../../src/cli/run.ts";
import type { Output, World } from "../../../src/cli/world.ts";
import { type Disk, diskFrom } from "../../../src/fs/disk.ts";
import { bundle } from "../../support/run-bundle.ts";
import { quickDisk } from "../quick-disk.ts";
import { village } from "../village.ts";

/** Where one row of the table lives and dies: a home with logs, and a store in it. */
export interface Place {
  readonly home: string;
  readonly store: string;
  /** For second names of files: on the same file system, outside of the home. */
  readonly safe: string;
  readonly grave: string;
  /** A program that does what a process of the bundle does, on this disk. */
  command(argv: readonly string[], options?: CommandOptions): Promise<Ended>;
  remove(): void;
}

export interface CommandOptions {
  readonly disk?: Disk;
  readonly input?: string;
  /** Also runs what the command starts in the background, after it has ended. */
  readonly guard?: boolean;
  /** So many hours from now. */
  readonly hours?: number;
  /** Is the process dead? Then it starts nothing any more. */
  readonly isDead?: () => boolean;
}

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** Exit codes of what it started in the background. */
  readonly background: readonly Ended[];
}

/** On this machine: what a real process left is told to be dead, too. */
const people = village(hostname());
const demoHome = fileURLToPath(new URL("../../../fixtures/demo", import.meta.url));
/** As the bundle says of itself: what a killed process has installed is what the next one installs. */
const program = { command: process.execPath, args: [bundle] };

/** A new place, empty. */
export function makePlace(): Place {
  const root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "sessions-crash-")));
  const [home, safe, grave] = ["home", "safe", "grave"].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [home, safe, grave]) fs.mkdirSync(folder);
  const store = join(home, ".sessions");
  let made = 0;

  const command = async (argv: readonly string[], options: CommandOptions = {}): Promise<Ended> => {
    const { disk = quickDisk, input = "", hours = 0, isDead = () => false } = options;
    const processes = people.born();
    const written = { out: "", err: "" };
    const afterwards: (() => Promise<void>)[] = [];
    const started: (readonly string[])[] = [];
    const output = (to: "out" | "err"): Output => ({
      write: (text) => {
        written[to] += text;
      },
      isTerminal: false,
      columns: undefined,
      hasColor: false,
    });
    const world: World = {
      home,
      folder: home,
      demoHome,
      pageFolder: "/no-page",
      program,
      processes,
      threads: 1,
      managedFolder: join(root, "managed"),
      variables: { SESSIONS_HOME: store, ...(options.guard === true ? {} : { SESSIONS_GUARD: "off" }) },
      now: () => Date.now() + hours * 3_600_000,
      offsetMinutesAt: () => 0,
      stdout: output("out"),
      stderr: output("err"),
      stdin: {
        isTerminal: false,
        readText: async (maxBytes) => input.slice(0, maxBytes),
        async *lines() {
          yield* input.split("\n").filter((line) => line !== "");
        },
      },
      takeTerminal: () => undefined,
      disk: withoutProcesses(disk),
      random: () => Math.random(),
      uuid: () => `77777777-0000-4000-8000-${String(++made).padStart(12, "0")}`,
      isRunning: () => false,
      run: async () => undefined,
      startDetached: async (args) => started.push(args) > 0,
      afterwards: (work) => {
        afterwards.push(work);
      },
      untilEnd: async () => undefined,
      uninterrupted: (action) => action(),
    };
    const code = await run(argv, world);
    for (const work of afterwards) if (!isDead()) await work();
    people.kill(processes);
    const background: Ended[] = [];
    for (const args of started) {
      if (!isDead()) background.push(await command(args, { ...options, input: "", guard: false }));
    }
    return { code, ...written, background };
  };

  return {
    home,
    store,
    safe,
    grave,
    command,
    remove: () => fs.rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }),
  };
}

/** Who holds which file open is asked of the whole machine, which takes longer than all the rest. */
function withoutProcesses(disk: Disk): Disk {
  return diskFrom({
    ...disk,
    stat: (path) => (path.startsWith("/proc/") ? undefined : disk.stat(path)),
  });
}
