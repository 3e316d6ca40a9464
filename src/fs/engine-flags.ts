import { versions as runtime } from "node:process";
import { setFlagsFromString } from "node:v8";

/** V8 of Node 20, 22 and 24. */
export type EngineVersion = 11 | 12 | 13;

/**
 * Sets flags of V8, but only in versions that are known to have them: V8 prints a complaint about an unknown flag.
 */
export function setEngineFlags(versions: readonly EngineVersion[], ...flags: readonly string[]): void {
  const version = Number.parseInt(runtime.v8 ?? "", 10);
  if (!versions.some((known) => known === version)) return;
  for (const flag of flags) setFlagsFromString(flag);
}

/**
 * Makes V8 11 (Node 20) run a function for longer before it optimizes it, as later versions do by default; it can be
 * deleted together with Node 20. In a short process optimized code comes too late to be useful, and each worker thread
 * would optimize the same code again (docs/decisions/cold-start.md). Call it late: modules of the runtime that are loaded
 * afterwards take three times as long to load.
 */
export function deferOptimization(): void {
  setEngineFlags([11], "--interrupt-budget=1000000");
}

/**
 * Makes V8 collect garbage when the heap has grown by this share since the last collection; by default it lets the heap
 * grow to several times its size (docs/decisions/bounded-memory.md).
 */
export function limitHeapGrowth(percent: number): void {
  setEngineFlags([11, 12, 13], `--heap-growing-percent=${percent}`);
}
