import { availableParallelism } from "node:os";
import { join } from "node:path";
import { exitCodes, UserError } from "../errors.ts";
import type { Disk } from "../fs/disk.ts";
import { errorCode, explainDiskError } from "../fs/disk-error.ts";
import { nodeDisk } from "../fs/node-disk.ts";
import { homeFolder, workingFolder } from "../fs/process-folders.ts";
import { nodeProcesses, type Processes } from "../fs/processes.ts";
import type { StartWorker } from "../search/worker-handle.ts";
import { wantsColor } from "./output/style.ts";
import type { Interrupts } from "./process-world.ts";
import { inputFrom, outputTo } from "./streams.ts";
import { type Terminal, type TerminalListener, takeTerminal } from "./terminal.ts";

/** Output streams: answers go to stdout, everything else to stderr. */
export interface Output {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** The present width of the terminal; undefined if there is none. */
  readonly columns: number | undefined;
  readonly hasColor: boolean;
}

export interface Input {
  readonly isTerminal: boolean;
  /** Reads everything, cut off at `maxBytes`; or only until the text is complete, because the writer may keep the pipe open. */
  readText(maxBytes: number, isWhole?: (text: string) => boolean): Promise<string>;
  /** Reads lines, without their LF, as they come in; each is cut off at `maxChars`. */
  lines(maxChars?: number): AsyncIterable<string>;
}

export interface RunOptions {
  readonly folder?: string;
  /** The program's input; without it, the program gets the terminal. */
  readonly input?: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** Hides its output. */
  readonly quiet?: boolean;
  /** Receives the stderr of a quiet program: the end of it, if it is long. */
  readonly takeErrors?: (text: string) => void;
  /** Ends it after this time. */
  readonly timeoutMs?: number;
}

/** Everything the program knows about its machine. Passed in, so that tests choose time, home and disk. */
export interface World {
  readonly now: () => number;
  /** Minutes that local time is ahead of UTC at that moment. */
  readonly offsetMinutesAt: (ms: number) => number;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** The user's current folder. */
  readonly folder: string;
  /** The folder of an administrator's Claude Code settings, for all users of this machine. */
  readonly managedFolder: string;
  /** A home with an example history, which comes with the program. */
  readonly demoHome: string;
  /** The folder of the built page, which comes with the program. */
  readonly pageFolder: string;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: Input;
  /** Takes the terminal for a command that draws on it; undefined if there is none. */
  readonly takeTerminal: (listener: TerminalListener) => Terminal | undefined;
  readonly disk: Disk;
  /** Between 0 and 1. */
  readonly random: () => number;
  readonly uuid: () => string;
  readonly processes: Processes;
  /** How many threads this machine can run at once. */
  readonly threads: number;
  /** Starts another thread of this program; absent: everything runs in this one. */
  readonly startWorker?: StartWorker;
  /** Whether a process with this number is running. */
  readonly isRunning: (pid: number) => boolean;
  /** How this program is run, with absolute paths: for hooks and timers. */
  readonly program: { readonly command: string; readonly args: readonly string[] };
  /** Runs another program and returns its exit code; undefined if there is no such program. */
  run(program: string, args: readonly string[], options?: RunOptions): Promise<number | undefined>;
  /** Starts this program in a background process, and returns whether it started; absent if nothing may be started. */
  readonly startDetached?: (args: readonly string[]) => Promise<boolean>;
  /** Prints a note once, on a terminal; absent: the answer is not for people. */
  readonly noteOnce?: (text: string) => void;
  /** Schedules work for after the answer; absent: it is not done. */
  readonly afterwards?: (work: () => Promise<void>) => void;
  /** Keeps the code that was compiled so far for the next start, for a server that its client kills; absent: at the end. */
  readonly keepCode?: () => void;
  /** Resolves when a server has to end. In a terminal that is never: Ctrl-C ends the process. */
  untilEnd(): Promise<void>;
  /** Runs a step that must not be left half done: Ctrl-C and a closed pipe end the program only after it. */
  uninterrupted<T>(action: () => Promise<T>): Promise<T>;
}

const managedFolders: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: "/Library/Application Support/ClaudeCode",
  win32: "C:\\Program Files\\ClaudeCode",
};

/** Bundles are one folder below the package, this file is two. */
const packageFolder = join(import.meta.dirname, import.meta.filename.endsWith(".ts") ? "../.." : "..");

const closedPipe: readonly string[] = ["EPIPE", "ERR_STREAM_DESTROYED"];

/** This machine, as the process sees it. */
export function realWorld(
  host: NodeJS.Process,
  startWorker: StartWorker,
  interrupts: Interrupts,
  afterwards: (work: () => Promise<void>) => void,
): World {
  const variables = host.env;
  const hasColor = (isTerminal: boolean): boolean => wantsColor(isTerminal, variables);
  const pastStreams = host.versions.deno === undefined && host.platform !== "win32" ? { disk: nodeDisk } : {};
  return {
    now: () => Date.now(),
    offsetMinutesAt: (ms) => -new Date(ms).getTimezoneOffset(),
    variables,
    home: homeFolder(),
    folder: workingFolder(host),
    managedFolder: managedFolders[host.platform] ?? "/etc/claude-code",
    demoHome: join(packageFolder, "fixtures", "demo"),
    pageFolder: join(packageFolder, "dist", "web"),
    stdout: outputTo({
      handle: 1,
      open: () => host.stdout,
      ...pastStreams,
      hasColor,
      onError: (error) => {
        // A reader may stop at any time (`| head`); that is not an error.
        if (closedPipe.includes(errorCode(error) ?? "")) return interrupts.request(exitCodes.done);
        throw new UserError(`Cannot write the answer: ${explainDiskError(error)}`, {
          exitCode: exitCodes.broken,
          cause: error,
        });
      },
    }),
    // A closed stderr is no reason to stop.
    stderr: outputTo({ handle: 2, open: () => host.stderr, ...pastStreams, hasColor, onError: () => {} }),
    stdin: inputFrom(() => host.stdin),
    takeTerminal: (listener) => takeTerminal(host, listener),
    disk: nodeDisk,
    random: () => Math.random(),
    uuid: () => crypto.randomUUID(),
    processes: nodeProcesses,
    threads: availableParallelism(),
    startWorker,
    isRunning: (pid) => nodeProcesses.exists(pid),
    program: programOf(host),
    run: async (program, args, options) => {
      const { runProgram } = await import("./programs.ts");
      const start = (): Promise<number | undefined> => runProgram(program, args, variables, options ?? {});
      // Only a program that shows its output has the terminal, and so Ctrl-C.
      return options?.quiet === true ? start() : interrupts.leaveTo(start);
    },
    startDetached: async (args) => {
      const { startDetached } = await import("./programs.ts");
      return startDetached(programOf(host), args, variables);
    },
    afterwards,
    untilEnd: () => new Promise(() => undefined),
    uninterrupted: (action) => interrupts.hold(action),
  };
}

function programOf(host: NodeJS.Process): World["program"] {
  const given = host.argv[1] ?? import.meta.filename;
  // A link in a bin folder may point elsewhere tomorrow.
  const script = nodeDisk.stat(given) === undefined ? given : nodeDisk.realpath(given);
  const { execPath: command, versions, env } = host;
  if (versions.deno === undefined) {
    // Sources need the loader that they were started with.
    return { command, args: [...(script.endsWith(".ts") ? host.execArgv : []), script] };
  }
  // In a clone without node_modules only the task knows where packages come from.
  const isTask =
    env.DENO_NO_PACKAGE_JSON !== undefined &&
    script === import.meta.filename.replace(/world\.ts$/, "main.ts");
  const config = join(packageFolder, "deno.json");
  const args = isTask
    ? ["task", "--quiet", "--config", config, "sessions"]
    : ["run", "-A", "--quiet", script];
  return { command, args };
}
