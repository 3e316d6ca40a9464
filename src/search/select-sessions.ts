import { dirname } from "node:path";
import type { SessionFiles } from "../agents/agent.ts";
import { formats } from "../agents/agents.ts";
import { diskSource } from "../agents/disk-source.ts";
import { exitCodes, UserError } from "../errors.ts";
import type { Library } from "../fs/library.ts";
import { nearest } from "./query/nearest.ts";
import { type SessionPointer, type SessionPointers, sessionPointers } from "./session-pointers.ts";

export interface SelectOptions {
  /** `last` looks at all projects instead of this folder's. */
  readonly everywhere?: boolean;
}

/** Shortest prefix of an id that may stand for it. */
export const MIN_PREFIX = 4;

/** Finds the one session that a selector names. */
export function selectSession(
  library: Library,
  words: readonly string[],
  options: SelectOptions = {},
): SessionPointer {
  const selected = selectSessions(library, words, options);
  const [first] = selected;
  if (first === undefined || selected.length > 1) {
    throw new UserError(`Cannot take ${selected.length} sessions: this command works on one`, {
      exitCode: exitCodes.wrongUsage,
      hint: "name a single session; `sessions list` shows their ids",
    });
  }
  return first;
}

/** Finds the sessions that selectors name: ids, prefixes, `last`, `last N`, `current`, paths. Each once. */
export function selectSessions(
  library: Library,
  words: readonly string[],
  options: SelectOptions = {},
): readonly SessionPointer[] {
  const narrow = sessionPointers(library);
  let wide: SessionPointers | undefined;
  const selected = new Map<string, SessionPointer>();
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    const count = word === "last" && /^\d+$/.test(words[at + 1] ?? "") ? Number(words[++at]) : undefined;
    let found = selectByWord(library, narrow, word, count, options);
    if (found instanceof UserError) {
      wide ??= narrow.widen();
      found = selectByWord(library, wide, word, count, options);
    }
    if (found instanceof UserError) throw found;
    for (const pointer of found) selected.set(pointer.key, pointer);
  }
  return [...selected.values()];
}

/** What was found, or why nothing was. */
type Selected = readonly SessionPointer[] | UserError;

function selectByWord(
  library: Library,
  pointers: SessionPointers,
  word: string,
  count: number | undefined,
  options: SelectOptions,
): Selected {
  if (word === "last" || word === "current") {
    const running = library.surroundings.variables.CLAUDE_CODE_SESSION_ID;
    const current = word === "current" && running !== undefined ? pointers.withId(running) : undefined;
    return current !== undefined
      ? [current]
      : newest(library, pointers, count ?? 1, options.everywhere === true);
  }
  const byPath = looksLikePath(word) ? selectByPath(library, pointers, word) : undefined;
  if (byPath !== undefined) return [byPath];
  const exact = pointers.withId(word);
  if (exact !== undefined) return [exact];
  const matches =
    word.length >= MIN_PREFIX
      ? pointers.all().filter(({ id }) => id.startsWith(word.toLowerCase()) || id.startsWith(word))
      : [];
  if (matches.length === 1) return matches;
  return matches.length > 1 ? ambiguous(word, matches) : unknown(word, pointers);
}

/** The newest sessions of this folder's project: of the folder itself, else of the nearest one above it that has any. */
function newest(library: Library, pointers: SessionPointers, count: number, everywhere: boolean): Selected {
  const all = pointers.newestFirst();
  if (everywhere) return all.slice(0, count);
  for (let folder = library.surroundings.folder; ; folder = dirname(folder)) {
    const here = all.filter((pointer) => pointers.projectOf(pointer) === folder).slice(0, count);
    if (here.length > 0) return here;
    if (folder === dirname(folder)) break;
  }
  return new UserError(`Cannot find a session of ${library.surroundings.folder}`, {
    exitCode: exitCodes.nothingFound,
    hint: "`--everywhere` takes the newest of all projects",
  });
}

function looksLikePath(word: string): boolean {
  return /[/\\]/.test(word) || /\.jsonl?$/.test(word);
}

/** A file of a known session, or a log that lies anywhere: its content tells whose it is. */
function selectByPath(library: Library, pointers: SessionPointers, word: string): SessionPointer | undefined {
  const path = pointers.resolve(word);
  const known = pointers.all().find(({ files }) => files.files.some((file) => file.path === path));
  if (known !== undefined) return { ...known, named: path };
  const stat = library.disk.stat(path);
  if (stat === undefined) return undefined;
  if (stat.kind !== "file") {
    throw new UserError(`Cannot read ${word}: it is not a file`, { exitCode: exitCodes.wrongUsage });
  }
  const peek = diskSource(library.disk).head;
  const file = { path, size: stat.size, mtimeMs: stat.mtimeMs, inode: stat.inode };
  for (const format of formats) {
    if (!format.owns(peek(path))) continue;
    const [files]: readonly (SessionFiles | undefined)[] = format.group([file], peek);
    if (files !== undefined) return pointers.pointTo(files);
  }
  throw new UserError(`Cannot read ${word}: it is not a log of an agent that this program knows`, {
    exitCode: exitCodes.wrongUsage,
  });
}

function ambiguous(word: string, matches: readonly SessionPointer[]): UserError {
  const ids = matches.slice(0, 5).map(({ id }) => id);
  const more = matches.length > ids.length ? ` and ${matches.length - ids.length} more` : "";
  return new UserError(`Cannot tell which session "${word}" is: ${ids.join(", ")}${more} begin with it`, {
    exitCode: exitCodes.wrongUsage,
    hint: "type more of the id",
  });
}

function unknown(word: string, pointers: SessionPointers): UserError {
  const close = nearest(
    word,
    pointers.all().map(({ id }) => id.slice(0, Math.max(word.length, 8))),
    { limit: 3 },
  );
  const hint =
    close.length > 0
      ? `the nearest ids are ${close.join(", ")}`
      : "`sessions list` shows what there is, `sessions search` finds words";
  return new UserError(`Cannot find a session "${word}"`, { exitCode: exitCodes.nothingFound, hint });
}
