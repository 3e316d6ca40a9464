import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { bundle } from "../../support/run-bundle.ts";
import type { Trial } from "./trial.ts";

const shim = fileURLToPath(new URL("kill-at-call.cjs", import.meta.url));

/** Who is killed: the process of the command, or the guard that it starts in the background. */
export type Role = "command" | "guard";

export interface KillAt {
  readonly role: Role;
  readonly at: number;
}

export interface RealRun {
  /** null where it was killed. */
  readonly code: number | null;
  readonly err: string;
  /** The call at which the one that was to die died; undefined where it ended by itself. */
  readonly diedAt: string | undefined;
  /** Changing calls of the processes in that role, of which each ended by itself. */
  readonly calls: Readonly<Record<Role, number>>;
}

/**
 * Runs the command of a trial as users do: the bundle in a process of its own, which may start the guard in the
 * background. Resolves when all of them are gone.
 */
export async function runReal(trial: Trial, kill?: KillAt): Promise<RealRun> {
  const folder = join(trial.place.grave, "processes");
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder);
  const { code, err } = await start(trial, trial.argv, folder, kill);
  await allGone(folder);
  return { code, err, ...notesIn(folder) };
}

/** The same, while a guard that was started at the same moment is at work. */
export async function runBesideGuard(trial: Trial, kill: KillAt): Promise<RealRun> {
  const folder = join(trial.place.grave, "processes");
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder);
  const guard = start(trial, ["guard"], folder);
  const { code, err } = await start(trial, trial.argv, folder, kill);
  const beside = await guard;
  await allGone(folder);
  // A log that is replaced while it is read may be a problem that it names; the next guard has it.
  if (beside.code !== 0 && beside.code !== 3)
    throw new Error(`the guard beside it ended with ${beside.code}: ${beside.err}`);
  return { code, err, ...notesIn(folder) };
}

async function start(
  { place, input }: Trial,
  argv: readonly string[],
  folder: string,
  kill?: KillAt,
): Promise<{ readonly code: number | null; readonly err: string }> {
  const child = spawn(process.execPath, [bundle, ...argv], {
    cwd: place.home,
    env: {
      PATH: process.env.PATH,
      HOME: place.home,
      SESSIONS_HOME: place.store,
      NODE_OPTIONS: `--require ${shim}`,
      CRASH_FOLDER: folder,
      CRASH_INSIDE: place.home,
      ...(kill === undefined ? {} : { CRASH_ROLE: kill.role, CRASH_AT: String(kill.at) }),
    },
    stdio: ["pipe", "ignore", "pipe"],
  });
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  // A process that was killed reads nothing any more.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const [code] = await once(child, "close");
  return { code, err };
}

const POLL_MS = 5;

/** Processes in the background are nobody's children: they are asked for until they are gone. */
async function allGone(folder: string): Promise<void> {
  const pids = (): readonly number[] => fs.readdirSync(folder).map((name) => Number.parseInt(name, 10));
  while (pids().some(isRunning)) await setTimeout(POLL_MS);
}

/** One that has ended and waits for its parent runs no more. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(fs.readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    if (process.platform === "linux") return false;
    return isAnswering(pid);
  }
}

function isAnswering(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function notesIn(folder: string): Pick<RealRun, "diedAt" | "calls"> {
  const names = fs.readdirSync(folder);
  const textOf = (name: string): string => fs.readFileSync(join(folder, name), "utf8");
  const died = names.find((name) => name.endsWith(".died"));
  const callsOf = (role: Role): number =>
    names
      .filter((name) => name.endsWith(`.${role}`))
      .map((name) => `${name.slice(0, -role.length)}calls`)
      .filter((name) => names.includes(name))
      .reduce((sum, name) => sum + Number(textOf(name)), 0);
  return {
    diedAt: died === undefined ? undefined : textOf(died),
    calls: { command: callsOf("command"), guard: callsOf("guard") },
  };
}
