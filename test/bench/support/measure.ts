import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Measured {
  readonly ms: number;
  /** Most memory that it held at once. */
  readonly peakMb: number;
  readonly stdout: string;
}

const loader = fileURLToPath(new URL("report-peak.cjs", import.meta.url));

/** Runs a Node program to its end. Its own last word tells how much memory it held: the system counts that for it. */
export function measure(
  program: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
): Measured {
  const start = performance.now();
  const { stdout, stderr, status, error } = spawnSync(program, ["--require", loader, ...argv], {
    env,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  const ms = performance.now() - start;
  if (error !== undefined) throw error;
  if (status !== 0 && status !== 1 && status !== 3)
    throw new Error(`${argv.join(" ")} ended with ${status}: ${stderr}`);
  const peakMb = Number(/peak-kb (\d+)/.exec(stderr)?.[1] ?? 0) / 1024;
  return { ms, peakMb, stdout };
}

export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

export function folderBytes(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}
