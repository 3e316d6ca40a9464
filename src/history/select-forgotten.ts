import { resolve } from "node:path";
import { countMarkers } from "../agents/flattened-line.ts";
import { logAt } from "../archive/log-identity.ts";
import { forgottenSessions } from "../archive/open-archive.ts";
import type { Tombstone } from "../archive/raw/tombstones.ts";
import { exitCodes, UserError } from "../errors.ts";
import type { ForgetTarget } from "../forget.ts";
import { errorCode } from "../fs/disk-error.ts";
import type { Library } from "../fs/library.ts";
import { insideOf } from "../fs/places.ts";
import { createRealPaths } from "../fs/real-path.ts";
import type { SearchEngine } from "../search/engine.ts";
import { findInIndex } from "../search/only-in-index.ts";
import {
  hasKeyword,
  MIN_PREFIX,
  partOfSession,
  type SelectOptions,
  selectSessions,
  severalCopies,
} from "../search/select-sessions.ts";
import type { SessionPointer } from "../search/session-pointers.ts";
import type { AgentName } from "../session/entry.ts";
import { type LogKey, logKey, sessionKey } from "../session/session.ts";
import type { ForgetPreview, SelectedOptions } from "./history.ts";

/**
 * Finds a session to forget: one with a log or an archive, one that a killed run half forgot, or one only in the
 * index.
 */
export async function selectForForgetting(
  library: Library,
  engine: SearchEngine,
  words: readonly string[],
  { everywhere = false, allCopies = false, endedAt }: SelectedOptions & Pick<SelectOptions, "endedAt">,
): Promise<ForgetPreview> {
  try {
    const pointers = selectSessions(library, words, { everywhere, copies: "all", endedAt });
    const [first, ...others] = pointers;
    if (first?.part !== undefined) throw partOfSession(words.join(" "), first);
    if (first === undefined || new Set(pointers.map(sessionKey)).size > 1) {
      throw new UserError(`Cannot forget ${pointers.length} sessions at once`, {
        exitCode: exitCodes.wrongUsage,
        hint: "name a single session; `sessions list` shows their ids",
      });
    }
    if (others.length > 0 && !allCopies) throw severalCopies(first.id, pointers.map(pathOf));
    const present = pointers.filter(({ kept, stub }) => kept === undefined && stub === undefined);
    const isCopy = (path: string): boolean => insideOf(library.places.cache, path);
    const sources = present.map(pathOf).filter((path) => !isCopy(path));
    return {
      agent: first.agent,
      id: first.id,
      source: sources[0] ?? null,
      sources,
      isInDatabase: present.some((pointer) => isCopy(pathOf(pointer))),
      selector: others.length === 0 && first.others.length > 0 ? pathOf(first) : first.id,
      isIndexed: false,
      isForgotten: pointers.every((pointer) => pointer.isForgotten === true),
      flattened: sources.flatMap((path) => {
        const markers = markersAt(library, first.agent, path);
        return markers === 0 ? [] : [{ path, markers }];
      }),
      logs: pointers.map(toTarget),
    };
  } catch (error) {
    if (!(error instanceof UserError) || error.exitCode !== exitCodes.nothingFound) throw error;
    if (hasKeyword(words)) throw error;
    // A killed run may have hidden it before all of it was removed; finish that.
    const [stone, other] = tombstonesOf(library, words);
    const gone = { source: null, sources: [], isInDatabase: false, flattened: [] };
    if (stone !== undefined && other === undefined)
      return {
        agent: stone.agent,
        id: stone.id,
        ...gone,
        selector: stone.id,
        isIndexed: false,
        isForgotten: true,
        logs: [stone],
      };
    const found = words.length === 1 ? await findInIndex(engine, words[0] ?? "") : undefined;
    if (found === undefined || forgottenSessions(library).hasSession(found)) throw error;
    return {
      ...found,
      ...gone,
      selector: found.id,
      isIndexed: true,
      isForgotten: false,
      logs: [{ ...found, copy: null }],
    };
  }
}

/** How many markers a log has; 0 if it can't be read. */
function markersAt({ disk }: Library, agent: AgentName, path: string): number {
  try {
    return countMarkers(agent, disk.readChunks(path)).markers;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return 0;
  }
}

function pathOf({ files }: SessionPointer): string {
  return files.files[0]?.path ?? "";
}

function toTarget({ agent, id, copy, files, kept, stub }: SessionPointer): ForgetTarget {
  const isHere = kept === undefined && stub === undefined && files.files.length > 0;
  return { agent, id, copy, ...(isHere ? { files: files.files } : {}) };
}

/** Finds the forgotten logs that a selector names: one, or with `allCopies` all of one session. */
export function selectForgotten(
  library: Library,
  words: readonly string[],
  { allCopies = false }: Pick<SelectedOptions, "allCopies">,
): readonly [LogKey, ...LogKey[]] {
  const [word = ""] = words;
  const [found, ...others] = tombstonesOf(library, words);
  const isOneSession = found !== undefined && others.every((each) => sessionKey(each) === sessionKey(found));
  if (found !== undefined && (others.length === 0 || (isOneSession && allCopies))) return [found, ...others];
  const { stones } = forgottenSessions(library);
  const known = [...new Set(stones.map(({ id }) => id))].slice(0, 5);
  const paths = stones.flatMap(({ id, path }) => (id === found?.id && path !== null ? [path] : []));
  const hint = isOneSession
    ? `name one by its path (${paths.join(", ")}), or take all with --all-copies`
    : `forgotten sessions: ${known.join(", ")}`;
  throw new UserError(
    found === undefined
      ? `Cannot undo: no session "${word}" was forgotten on this machine`
      : "Cannot undo: several forgotten sessions match",
    {
      exitCode: found === undefined ? exitCodes.nothingFound : exitCodes.wrongUsage,
      hint: known.length === 0 ? "what another of your machines forgot is brought back there" : hint,
    },
  );
}

/** Finds forgotten logs by the path of the log, an id, or the start of one. */
function tombstonesOf(library: Library, words: readonly string[]): readonly LogKey[] {
  const [word = "", ...rest] = words;
  if (rest.length > 0) return [];
  const { stones } = forgottenSessions(library);
  const path = resolve(library.environment.folder, word);
  const named = library.disk.stat(path) === undefined ? undefined : logAt(library, path);
  const isNamed = (stone: LogKey): boolean => named !== undefined && logKey(stone) === logKey(named);
  const real = createRealPaths(library.disk);
  const isHere = (stone: Tombstone): boolean => stone.path !== null && real(stone.path) === real(path);
  const byPath = stones.filter((stone) => stone.path === path || isNamed(stone) || isHere(stone));
  // A tombstone without a path counts for every log with its id.
  const whole = stones.filter(
    (stone) => stone.path === null && stone.agent === named?.agent && stone.id === named.id,
  );
  if (byPath.length + whole.length > 0) return (byPath.length > 0 ? byPath : whole).map(nameOf);
  const exact = stones.filter(({ id, agent }) => id === word || `${agent}:${id}` === word);
  const matches =
    exact.length > 0 ? exact : stones.filter(({ id }) => word.length >= MIN_PREFIX && id.startsWith(word));
  return matches.map(nameOf);
}

function nameOf({ agent, id, copy }: LogKey): LogKey {
  return { agent, id, copy };
}
