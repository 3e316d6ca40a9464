import { versions as runtime } from "node:process";
import { setFlagsFromString } from "node:v8";

/** V8 of Node 20, 22 and 24. */
export type EngineVersion = 11 | 12 | 13;

/**
 * Sets flags of V8, in the versions that are known to have them: one that a V8 does not know makes it complain on stderr,
 * whoever asked.
 */
export function setEngineFlags(versions: readonly EngineVersion[], ...flags: readonly string[]): void {
  const version = Number.parseInt(runtime.v8 ?? "", 10);
  if (!versions.some((known) => known === version)) return;
  for (const flag of flags) setFlagsFromString(flag);
}

/**
 * Makes the V8 of Node 20 run a function for longer before it optimizes it; later ones wait by themselves. What is
 * optimized in a short process comes too late to be of use, and threads that all do the same each optimize all of it
 * (docs/decisions/cold-start.md). Modules of the runtime that are loaded afterwards take three times as long to load.
 */
export function deferOptimization(): void {
  setEngineFlags([11], "--interrupt-budget=1000000");
}
