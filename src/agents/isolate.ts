import { type Problem, UserError } from "../errors.ts";
import { ArchiveDamage, IndexDamage } from "../fs/damage.ts";
import { errorCode } from "../fs/disk-error.ts";

/** Longer reasons quote log content. */
const MAX_CHARS = 300;

/**
 * Runs one step on one session. An unexpected error becomes a problem with the session's file and the reason, so that
 * the other sessions continue; the result is undefined then.
 */
export function isolate<T>(problems: Problem[], path: string, what: string, step: () => T): T | undefined {
  try {
    return step();
  } catch (error) {
    problems.push({ path, line: 0, what: `${what}: ${reasonOf(error)}` });
    return undefined;
  }
}

/**
 * Explains in a few words why a session could not be processed. Rethrows errors that are not the session's fault: a
 * full disk, a damaged index and the like would affect every other one as well.
 */
export function reasonOf(error: unknown): string {
  if (error instanceof ArchiveDamage) return error.what;
  if (error instanceof UserError || error instanceof IndexDamage || errorCode(error) !== undefined)
    throw error;
  return (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, MAX_CHARS);
}
