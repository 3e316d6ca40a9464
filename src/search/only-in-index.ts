import { forgottenSessions } from "../archive/open-archive.ts";
import { exitCodes, UserError } from "../errors.ts";
import { IndexDamage } from "../fs/damage.ts";
import type { Library } from "../fs/library.ts";
import type { SessionName } from "../session/session.ts";
import type { SearchEngine } from "./engine.ts";
import { rowsOf } from "./refresh/index-rows.ts";
import { MIN_PREFIX } from "./select-sessions.ts";

/**
 * Finds a session by id or prefix that only the index still has: its log is gone and it was never archived. Returns
 * undefined if the index has none or several.
 */
export async function findInIndex(engine: SearchEngine, word: string): Promise<SessionName | undefined> {
  const opened = await engine.read();
  if (opened.kind !== "open") return undefined;
  try {
    const known = await rowsOf(opened.reader);
    if (known.kind !== "rows") return undefined;
    const rows = [...known.rows.values()];
    const exact = rows.filter(({ agent, id }) => id === word || `${agent}:${id}` === word);
    const byPrefix =
      word.length < MIN_PREFIX
        ? []
        : rows.filter(({ id }) => id.toLowerCase().startsWith(word.toLowerCase()));
    const [found, other] = exact.length > 0 ? exact : byPrefix;
    return found === undefined || other !== undefined ? undefined : { agent: found.agent, id: found.id };
  } catch (error) {
    if (error instanceof IndexDamage) return undefined;
    throw error;
  } finally {
    await opened.reader.close();
  }
}

/** The error for a session that only the index still has; undefined if that is not the reason, or it was forgotten. */
export async function onlyInIndex(
  library: Library,
  engine: SearchEngine,
  word: string,
): Promise<UserError | undefined> {
  const found = await findInIndex(engine, word);
  if (found === undefined || forgottenSessions(library).hasSession(found)) return undefined;
  return new UserError(`Cannot show session ${found.id}: its log is gone and it was not archived`, {
    exitCode: exitCodes.nothingFound,
    hint: "`sessions search` still finds its words; `sessions archive` keeps those that are left",
  });
}
