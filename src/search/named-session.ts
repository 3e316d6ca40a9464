import { isAbsolute, resolve } from "node:path";
import { agentNames } from "../agents/agents.ts";
import type { Library } from "../fs/library.ts";
import { sessionKey } from "../session/session.ts";
import type { SearchAnswer, SearchReader, SessionHit, StoredSession } from "./engine.ts";
import { engineError } from "./refresh/index-access.ts";
import type { IndexRows } from "./refresh/index-rows.ts";
import type { SearchRequest } from "./search-sessions.ts";

/** A shorter word may be the name of a session by chance, so it is searched for. */
const MIN_CHARS = 8;
/** The ids of all agents have digits. */
const DIGIT = /\d/;
const LOG_NAME = /\.jsonl?$/;

/**
 * Answers a query that is only the full id of a session, or the path of its log, with that session. In quotes, or
 * with a filter, it is searched for like any word.
 */
export async function answerByName(
  library: Library,
  reader: SearchReader,
  rows: () => Promise<IndexRows>,
  { query, filter, excluded, offset, limit }: SearchRequest,
): Promise<SearchAnswer | undefined> {
  const [word, another] = query.words;
  if (word === undefined || another !== undefined || word.kind === "phrase") return undefined;
  if (word.isNegated || word.isPrefix || word.text.length < MIN_CHARS) return undefined;
  const isFiltered = Object.values(filter).some((value) => (Array.isArray(value) ? value.length : value));
  if (isFiltered || excluded.length > 0) return undefined;
  const path = pathOfLog(library, word.text);
  if (path === undefined && !DIGIT.test(word.text)) return undefined;
  const found =
    path === undefined ? await sessionWithId(reader, word.text) : await sessionAt(reader, await rows(), path);
  if (found === undefined) return undefined;
  const { key, source, row } = found;
  const nothing = { card: undefined, turns: [], matchingTurns: 0, unstored: [] };
  const hit: SessionHit = { key, source, row, score: 1, match: "all", ...nothing };
  return {
    kind: "answer",
    match: "all",
    total: 1,
    ranked: 1,
    totalIsExact: true,
    hits: [hit].slice(offset, offset + limit),
    terms: [],
    nearestWords: [],
    missingWords: [],
  };
}

/** The path of a log that a word may be. One that is relative to the folder must exist: it may as well be a word. */
function pathOfLog({ disk, environment }: Library, word: string): string | undefined {
  if (!LOG_NAME.test(word)) return undefined;
  const path = resolve(environment.folder, word);
  return isAbsolute(word) || disk.stat(path)?.kind === "file" ? path : undefined;
}

async function sessionWithId(reader: SearchReader, id: string): Promise<StoredSession | undefined> {
  for (const agent of agentNames()) {
    const found = await sessionOf(reader, sessionKey({ agent, id }));
    if (found !== undefined) return found;
  }
  return undefined;
}

async function sessionAt(
  reader: SearchReader,
  { rows }: IndexRows,
  path: string,
): Promise<StoredSession | undefined> {
  for (const row of rows.values()) {
    const { lead, logs = [] } = row;
    if (lead === path || logs.some((log) => log.path === path)) return sessionOf(reader, sessionKey(row));
  }
  return undefined;
}

async function sessionOf(reader: SearchReader, key: string): Promise<StoredSession | undefined> {
  const found = await reader.session(key);
  if (found !== undefined && found.kind !== "session") throw engineError(found);
  return found;
}
