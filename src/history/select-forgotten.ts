import { resolve } from "node:path";
import { sessionOfLog } from "../agents/session-of-log.ts";
import { forgottenSessions } from "../archive/open-archive.ts";
import { exitCodes, UserError } from "../errors.ts";
import type { Library } from "../fs/library.ts";
import type { SearchEngine } from "../search/engine.ts";
import { findInIndex } from "../search/only-in-index.ts";
import { MIN_PREFIX, type SelectOptions, selectSession } from "../search/select-sessions.ts";
import type { SessionName } from "../session/session.ts";
import { logsWithMarkers } from "../shrink/logs-with-markers.ts";
import type { ForgetPreview } from "./history.ts";

/** Finds a session to forget: one with a log or an archive, one that a killed run half forgot, or one only in the index. */
export async function selectForForgetting(
  library: Library,
  engine: SearchEngine,
  words: readonly string[],
  options: SelectOptions,
): Promise<ForgetPreview> {
  try {
    const { agent, id, files, kept } = selectSession(library, words, options);
    const source = kept === undefined ? (files.files[0]?.path ?? null) : null;
    return { agent, id, source, isIndexed: false, flattened: logsWithMarkers(library, files) };
  } catch (error) {
    if (!(error instanceof UserError) || error.exitCode !== exitCodes.nothingFound) throw error;
    // A killed run may have hidden it before all of it was removed; finish that.
    const [stone, other] = tombstonesOf(library, words);
    if (stone !== undefined && other === undefined)
      return { ...stone, source: null, isIndexed: false, flattened: [] };
    const found = words.length === 1 ? await findInIndex(engine, words[0] ?? "") : undefined;
    if (found === undefined || forgottenSessions(library).has(found)) throw error;
    return { ...found, source: null, isIndexed: true, flattened: [] };
  }
}

/** Finds the one forgotten session that a selector names. */
export function selectForgotten(library: Library, words: readonly string[]): SessionName {
  const [word = ""] = words;
  const [found, other] = tombstonesOf(library, words);
  if (found !== undefined && other === undefined) return found;
  const known = forgottenSessions(library)
    .stones.map(({ id }) => id)
    .slice(0, 5);
  throw new UserError(
    found === undefined
      ? `Cannot undo: no session "${word}" was forgotten`
      : "Cannot undo: several forgotten sessions match",
    {
      exitCode: found === undefined ? exitCodes.nothingFound : exitCodes.wrongUsage,
      ...(known.length === 0 ? {} : { hint: `forgotten sessions: ${known.join(", ")}` }),
    },
  );
}

/** Finds forgotten sessions by an id, the start of one, or a log that the agent still has. */
function tombstonesOf(library: Library, words: readonly string[]): readonly SessionName[] {
  const [word = "", ...rest] = words;
  if (rest.length > 0) return [];
  const { stones } = forgottenSessions(library);
  const log = resolve(library.surroundings.folder, word);
  const named = library.disk.stat(log) === undefined ? undefined : sessionOfLog(library, log);
  const exact = stones.filter(
    ({ id, agent }) =>
      id === word || `${agent}:${id}` === word || (named?.agent === agent && named.id === id),
  );
  const matches =
    exact.length > 0 ? exact : stones.filter(({ id }) => word.length >= MIN_PREFIX && id.startsWith(word));
  return matches.map(({ agent, id }) => ({ agent, id }));
}
