import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

export interface Measured {
  readonly ms: number;
  readonly stdout: string;
}

/** Runs a program to its end. */
export function measure(
  program: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  input = "",
): Measured {
  const start = performance.now();
  const { stdout } = run(program, argv, env, input);
  return { ms: performance.now() - start, stdout };
}

const loader = fileURLToPath(new URL("report-peak.cjs", import.meta.url));

/**
 * Most memory that a Node program held at once. Its own last word tells: the system counts that for it. Not in a run
 * whose time counts, as who asks takes time too.
 */
export function peakMbOf(argv: readonly string[], env: Readonly<Record<string, string>>): number {
  const { stderr } = run(process.execPath, ["--require", loader, ...argv], env, "");
  return Number(/peak-kb (\d+)/.exec(stderr)?.[1] ?? 0) / 1024;
}

function run(
  program: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  input: string,
): { readonly stdout: string; readonly stderr: string } {
  const { stdout, stderr, status, error } = spawnSync(program, argv, {
    env,
    input,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (error !== undefined) throw error;
  if (status !== 0 && status !== 1 && status !== 3)
    throw new Error(`${argv.join(" ")} ended with ${status}: ${stderr}`);
  return { stdout, stderr };
}

export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

export function folderBytes(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}
