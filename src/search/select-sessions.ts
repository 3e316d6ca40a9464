import { dirname, resolve } from "node:path";
import { agentNamed, agents, callingSession } from "../agents/agents.ts";
import { diskSource } from "../agents/byte-source.ts";
import { findSessions, hasLogs } from "../agents/find-sessions.ts";
import { readSession } from "../agents/read-session.ts";
import { newestLogFirst } from "../agents/session-copies.ts";
import { hasLog } from "../archive/archived-sessions.ts";
import { logIdentities } from "../archive/log-identity.ts";
import { forgottenSessions } from "../archive/open-archive.ts";
import { exitCodes, UserError } from "../errors.ts";
import { shorten } from "../extract/sentences.ts";
import { isExcluded } from "../fs/config.ts";
import type { Library } from "../fs/library.ts";
import { insideOf } from "../fs/places.ts";
import { type SessionName, sessionKey } from "../session/session.ts";
import { editDistance, nearest } from "./query/nearest.ts";
import { leadOf, type SessionPointer, type SessionPointers, sessionPointers } from "./session-pointers.ts";

export interface SelectOptions {
  /** Whether `last` means all projects instead of this folder's. */
  readonly everywhere?: boolean;
  /**
   * How to treat an id that several logs share. `one`: take the one in this folder's project, or else the newest.
   * `refuse`: for commands that write, which must not guess. `present`: take each that has a file. `all`: take each,
   * including those that only the archive has.
   */
  readonly copies?: "one" | "refuse" | "present" | "all";
  /** When sessions ended by the times in their logs, for `last`; for others the time of their files counts. */
  readonly endedAt?: ReadonlyMap<string, number> | undefined;
}

/** The shortest prefix that may name an id. */
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

/** Selectors that stand for sessions by their place in time; no id and no title is looked up for them. */
const KEYWORDS: readonly string[] = ["last", "current"];

/** One selector, and after `last` how many sessions it takes. */
interface SelectorWord {
  readonly word: string;
  readonly count: number | undefined;
}

/** Reads selectors; `last 3` may be two words or, in quotes, one. */
export function readSelectors(words: readonly string[]): readonly SelectorWord[] {
  const read: SelectorWord[] = [];
  const apart = words.flatMap((word) => (/^last +\d+$/.test(word) ? word.split(/ +/) : [word]));
  for (let at = 0; at < apart.length; at++) {
    const word = apart[at] ?? "";
    const count = word === "last" && /^\d+$/.test(apart[at + 1] ?? "") ? Number(apart[++at]) : undefined;
    read.push({ word, count });
  }
  return read;
}

/** Whether a selector is `last`, `last N` or `current`. */
export function hasKeyword(words: readonly string[]): boolean {
  return readSelectors(words).some(({ word }) => KEYWORDS.includes(word));
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
  for (const { word, count } of readSelectors(words)) {
    let found = selectByWord(library, narrow, word, count, options);
    if (needsAll(found, word, options)) {
      wide ??= narrow.widen();
      found = selectByWord(library, wide, word, count, options);
    }
    if (found instanceof UserError) throw found;
    for (const pointer of found) selected.set(pointer.key, pointer);
  }
  return [...selected.values()];
}

/**
 * Whether there is a reason to search everywhere: nothing was found, or a copy of a session to be written may be in a
 * project.
 */
function needsAll(found: Selected, word: string, { copies }: SelectOptions): boolean {
  if (found instanceof UserError) return found.exitCode === exitCodes.nothingFound;
  if (copies !== "refuse" || looksLikePath(word)) return false;
  return found.some(({ agent }) => agentNamed(agent).inProjects === true);
}

/** The result, or the reason why there is none. */
type Selected = readonly SessionPointer[] | UserError;

function selectByWord(
  library: Library,
  pointers: SessionPointers,
  word: string,
  count: number | undefined,
  options: SelectOptions,
): Selected {
  if (KEYWORDS.includes(word)) {
    const running = callingSession(library.environment.variables);
    const current = word === "current" && running !== undefined ? pointers.withId(running) : [];
    return current.length > 0
      ? chooseCopies(library, pointers, current, options)
      : newest(library, pointers, count ?? 1, options);
  }
  const byPath = looksLikePath(word) ? selectByPath(library, pointers, word, options) : undefined;
  if (byPath !== undefined) return [byPath];
  const exact = pointers.withId(word);
  if (exact.length > 0) return chooseCopies(library, pointers, exact, options);
  const matches =
    word.length >= MIN_PREFIX
      ? pointers.all().filter(({ id }) => id.startsWith(word.toLowerCase()) || id.startsWith(word))
      : [];
  const names = new Set(matches.map(sessionKey));
  if (names.size === 1) return chooseCopies(library, pointers, matches, options);
  return names.size > 1 ? ambiguous(library, word, matches) : unknown(library, word, pointers);
}

/** The logs that are meant, among those that share an id. */
function chooseCopies(
  library: Library,
  pointers: SessionPointers,
  all: readonly SessionPointer[],
  { copies: rule = "one" }: SelectOptions,
): Selected {
  // Excluded logs are not alternatives; but if all are excluded, they were named on purpose.
  const allowed = withoutExcludedProjects(library, pointers, all);
  const copies = allowed.length > 0 ? allowed : all;
  if (rule === "all" || copies.length === 1) return copies.map((copy) => withOthers(copy, copies));
  // A log on disk is meant before one that only the archive has.
  const present = copies.filter(({ kept, stub }) => kept === undefined && stub === undefined);
  const pool = present.length > 0 ? present : copies;
  if (rule === "present") return pool.map((copy) => withOthers(copy, copies));
  if (pool.length > 1 && rule === "refuse") return severalCopies(pool[0]?.id ?? "", pool.map(leadOf));
  const byTime = pool.toSorted(byNewestLog);
  const { folder } = library.environment;
  const here = byTime.find((pointer) => {
    const project = pointers.projectOf(pointer);
    return project !== null && (project === folder || insideOf(project, folder));
  });
  const chosen = here ?? byTime[0];
  if (chosen === undefined) return [];
  const named = withOthers(chosen, copies);
  return [pool.length > 1 ? { ...named, chosenFrom: pool.map(leadOf) } : named];
}

function withoutExcludedProjects(
  library: Library,
  pointers: SessionPointers,
  all: readonly SessionPointer[],
): readonly SessionPointer[] {
  if (library.config.exclude.length === 0) return all;
  return all.filter((each) => !isExcluded(library, { project: pointers.projectOf(each) }));
}

function withOthers(pointer: SessionPointer, copies: readonly SessionPointer[]): SessionPointer {
  const others = copies.filter(({ key }) => key !== pointer.key).map(leadOf);
  return { ...pointer, others };
}

/** The refusal of a command that would have to guess which log to write. */
export function severalCopies(id: string, paths: readonly string[]): UserError {
  const names = paths.toSorted().map((path) => JSON.stringify(path));
  return new UserError(`Cannot tell which log of session ${id} is meant: ${names.join(", ")}`, {
    exitCode: exitCodes.wrongUsage,
    hint: "name one by its path, or take all with --all-copies",
  });
}

/** Finds the newest sessions of this folder, or else of the nearest parent folder that has any. */
function newest(
  library: Library,
  pointers: SessionPointers,
  count: number,
  { everywhere = false, endedAt }: SelectOptions,
): Selected {
  const all = withoutExcludedProjects(library, pointers, pointers.newestFirst(endedAt));
  if (all.length === 0) return noSessions(library);
  // The example history has no folder on this machine.
  if (everywhere || library.demo) return eachOnce(all, pointers).slice(0, count);
  const here = ofNearestFolder(library.environment.folder, all, pointers.projectOf);
  if (here.length > 0) return eachOnce(here, pointers).slice(0, count);
  return new UserError(`Cannot find a session of this folder: ${library.environment.folder}`, {
    exitCode: exitCodes.nothingFound,
    hint: NOT_HERE,
  });
}

/** What to do where this folder has no sessions. */
export const NOT_HERE = "`--everywhere` takes the newest of all projects, `sessions list` shows them";

function eachOnce(all: readonly SessionPointer[], pointers: SessionPointers): readonly SessionPointer[] {
  return firstOfEach(all).map((pointer) => withOthers(pointer, pointers.withId(sessionKey(pointer))));
}

/** The error of commands that need logs, if there are none that can be read. */
function noSessions(library: Library): UserError {
  const { nothingFound: exitCode } = exitCodes;
  if (hasLogs(library))
    return new UserError("Cannot find a session: all are excluded, or can't be read", {
      exitCode,
      hint: "`sessions doctor` says which",
    });
  return new UserError("Cannot find a session: no agent has sessions here yet", {
    exitCode,
    hint:
      "`sessions list` shows an example history: it can be read and exported, and with --dry-run " +
      "compact, flatten and unflatten show what they would do to it",
  });
}

/** The logs whose project is a folder, or else the nearest parent of it that is the project of any log. */
export function ofNearestFolder<T>(
  start: string,
  all: readonly T[],
  projectOf: (log: T) => string | null,
): readonly T[] {
  for (let folder = start; ; folder = dirname(folder)) {
    const here = all.filter((log) => projectOf(log) === folder);
    if (here.length > 0 || folder === dirname(folder)) return here;
  }
}

/** The first log of each session: logs with one id are one session. */
export function firstOfEach<T extends SessionName>(all: readonly T[]): readonly T[] {
  const first = new Map<string, T>();
  for (const log of all) if (!first.has(sessionKey(log))) first.set(sessionKey(log), log);
  return [...first.values()];
}

function looksLikePath(word: string): boolean {
  return /[/\\]/.test(word) || /\.jsonl?$/.test(word);
}

/** The log at a path, which may be anywhere: its content decides whose it is. */
function selectByPath(
  library: Library,
  pointers: SessionPointers,
  word: string,
  options: SelectOptions,
): SessionPointer | undefined {
  const path = pointers.resolve(word);
  const known = pointers.at(path);
  if (known !== undefined) {
    if (known.part !== undefined && options.copies === "refuse") throw partOfSession(word, known);
    return withOthers(known, pointers.withId(sessionKey(known)));
  }
  const stat = library.disk.stat(path);
  if (stat === undefined) {
    // Commands that write take no other file than the named one.
    const moved = options.copies === "refuse" ? undefined : pointers.movedFrom(path);
    return moved && withOthers(moved, pointers.withId(sessionKey(moved)));
  }
  if (stat.kind !== "file") {
    throw new UserError(`Cannot read ${word}: it is not a file`, { exitCode: exitCodes.wrongUsage });
  }
  const peek = diskSource(library.disk).head;
  const file = { path, size: stat.size, mtimeMs: stat.mtimeMs, inode: stat.inode };
  for (const format of agents) {
    if (!format.owns(peek(path))) continue;
    const [files] = format.group([file], peek).flatMap(logIdentities(library).of);
    if (files === undefined) continue;
    const forgotten = forgottenSessions(library).has(files);
    const pointer = withOthers(pointers.pointTo(files), pointers.withId(sessionKey(files)));
    return forgotten ? { ...pointer, isForgotten: true } : pointer;
  }
  const whole = findSessions(library).sessions.find(({ files }) => files.some((each) => each.path === path));
  if (whole !== undefined && forgottenSessions(library).hasSession(whole)) throw wasForgotten(whole);
  throw new UserError(`Cannot read ${word}: it is not a log of an agent that this program knows`, {
    exitCode: exitCodes.wrongUsage,
  });
}

/** A command that writes does not treat a part of a session as the session. */
export function partOfSession(word: string, pointer: SessionPointer): UserError {
  return new UserError(`Cannot take ${word}: it is a part of session ${pointer.id}`, {
    exitCode: exitCodes.wrongUsage,
    hint: hasLog(pointer.files)
      ? `the log of the session is ${JSON.stringify(leadOf(pointer))}`
      : `the log of the session is gone; name what is left of it by its id: ${pointer.id}`,
  });
}

function wasForgotten({ id }: Pick<SessionName, "id">): UserError {
  return new UserError(`Cannot find session ${id}: it was forgotten`, {
    exitCode: exitCodes.nothingFound,
    hint: `\`sessions forget ${id} --undo\` brings it back`,
  });
}

/** The number of sessions that an error names. */
export const MAX_NAMED = 5;
const TITLE_CHARS = 36;
/** Reading a longer log only for its title would take too long. */
const TITLE_BYTES = 32 * 1024 * 1024;

function ambiguous(library: Library, word: string, matches: readonly SessionPointer[]): UserError {
  const all = [...new Map(matches.map((match) => [match.id, match])).values()];
  const named = all.slice(0, MAX_NAMED).map((match) => `  ${match.id} · ${titleOf(library, match)}`);
  const more = all.length > named.length ? [`  … ${all.length - named.length} more`] : [];
  const what = `Cannot tell which session "${word}" is: ${all.length} begin with it`;
  return new UserError([what, ...named, ...more].join("\n"), {
    exitCode: exitCodes.wrongUsage,
    hint: "type more of the id",
  });
}

function titleOf(library: Library, { files, kept, stub }: SessionPointer): string {
  const size = files.files.reduce((sum, file) => sum + file.size, 0);
  if (stub !== undefined || size > TITLE_BYTES) return "no title";
  return shorten(readSession(kept ?? diskSource(library.disk), files).title ?? "no title", TITLE_CHARS);
}

/** The error about a word that names a forgotten session, by its id, the start of one, or the path of its log. */
export function forgottenError(library: Library, word: string): UserError | undefined {
  const path = resolve(library.environment.folder, word);
  const forgotten = forgottenSessions(library).stones.find(
    (stone) =>
      stone.id === word || stone.path === path || (word.length >= MIN_PREFIX && stone.id.startsWith(word)),
  );
  return forgotten && wasForgotten(forgotten);
}

function unknown(library: Library, word: string, pointers: SessionPointers): UserError {
  const forgotten = forgottenError(library, word);
  if (forgotten !== undefined) return forgotten;
  if (word.length < MIN_PREFIX && pointers.all().some(({ id }) => id.startsWith(word))) {
    return new UserError(`Cannot tell which session "${word}" is: that is too short`, {
      exitCode: exitCodes.wrongUsage,
      hint: `type at least ${MIN_PREFIX} characters of the id`,
    });
  }
  const all = pointers.all();
  if (all.length === 0 && !library.demo && !looksLikePath(word)) return noSessions(library);
  const close = nearest(
    word,
    all.map(({ id }) => id.slice(0, Math.max(word.length, 8))),
    { limit: 3 },
  );
  const keyword = KEYWORDS.find((each) => editDistance(word, each, 1) <= 1);
  const hint =
    keyword !== undefined
      ? `did you mean \`${keyword}\`?`
      : close.length > 0
        ? `the nearest ids are ${close.join(", ")}`
        : "`sessions list` shows what there is, `sessions search` finds words";
  return new UserError(`Cannot find a session "${word}"`, { exitCode: exitCodes.nothingFound, hint });
}

function byNewestLog(one: SessionPointer, other: SessionPointer): number {
  const [a] = one.files.files;
  const [b] = other.files.files;
  return a === undefined || b === undefined
    ? Number(a === undefined) - Number(b === undefined)
    : newestLogFirst(a, b);
}
