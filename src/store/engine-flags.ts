import process from "node:process";
import { setFlagsFromString } from "node:v8";

/** V8 of Node 20, 22 and 24. */
export type EngineVersion = 11 | 12 | 13;

/**
 * Sets flags of V8, in the versions that are known to have them: one that a V8 does not know makes it complain on stderr,
 * whoever asked.
 */
export function setEngineFlags(versions: readonly EngineVersion[], ...flags: readonly string[]): void {
  const version = Number.parseInt(process.versions.v8 ?? "", 10);
  if (!versions.some((known) => known === version)) return;
  for (const flag of flags) setFlagsFromString(flag);
}
