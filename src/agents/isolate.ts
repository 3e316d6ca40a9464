import { type Problem, UserError } from "../errors.ts";
import { ArchiveDamage, IndexDamage } from "../fs/damage.ts";
import { errorCode } from "../fs/disk-error.ts";

/** Longer reasons quote what was read. */
const MAX_CHARS = 300;

/**
 * Runs one step on one session. What nobody foresaw in it is a problem with its file and the
 * reason, and the other sessions go on. Gives undefined then.
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
 * Says in a few words what a session made the program stumble over. Throws what is no fault of that session: a full
 * disk, a damaged index and the like would meet every other one as well.
 */
export function reasonOf(error: unknown): string {
  if (error instanceof ArchiveDamage) return error.what;
  if (error instanceof UserError || error instanceof IndexDamage || errorCode(error) !== undefined)
    throw error;
  return (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, MAX_CHARS);
}
