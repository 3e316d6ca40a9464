import type { Readable } from "node:stream";
import { spawnScript } from "./spawn-script.ts";

export interface KillOptions {
  /** The same seed gives the same delay. */
  readonly seed: number;
  /** The delay is between 0 and this, counted from the first output: starting up is not of interest. */
  readonly withinMs: number;
}

export interface Killed {
  /** False where the script ended before its time came. */
  readonly killed: boolean;
  readonly exitCode: number | null;
  readonly afterMs: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a script in a real process, waits until it prints something (that it has begun), and ends it
 * with SIGKILL after a random time. Resolves when the process is gone.
 */
export function killAtRandom(script: string, args: readonly string[], options: KillOptions): Promise<Killed> {
  const afterMs = randomFrom(options.seed)() * options.withinMs;
  const child = spawnScript(script, args);
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error("the process has no output to wait for");
  const output = collect(stdout);
  const errors = collect(stderr);
  let timer: NodeJS.Timeout | undefined;
  stdout.once("data", () => {
    timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode, signal) => {
      clearTimeout(timer);
      resolve({ killed: signal === "SIGKILL", exitCode, afterMs, stdout: output(), stderr: errors() });
    });
  });
}

/** Numbers from 0 to 1 that the seed determines (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function collect(stream: Readable): () => string {
  const parts: Buffer[] = [];
  stream.on("data", (part: Buffer) => parts.push(part));
  return () => Buffer.concat(parts).toString("utf8");
}
