import { dirname, resolve } from "node:path";
import type { LogFiles } from "../agents/agent.ts";
import { agentNamed, agents, callingSession } from "../agents/agents.ts";
import { type ByteSource, diskSource } from "../agents/byte-source.ts";
import { findSessions } from "../agents/find-sessions.ts";
import { readSession } from "../agents/read-session.ts";
import { newestLogFirst } from "../agents/session-copies.ts";
import { projectInHead } from "../agents/session-of-log.ts";
import { archivedLogs, listArchive } from "../archive/archived-sessions.ts";
import { byLogKey, logIdentities } from "../archive/log-identity.ts";
import { forgottenSessions } from "../archive/open-archive.ts";
import { exitCodes, UserError } from "../errors.ts";
import type { Library } from "../fs/library.ts";
import { insideOf } from "../fs/places.ts";
import { createRealPaths } from "../fs/real-path.ts";
import { type LogKey, logKey, sessionKey } from "../session/session.ts";
import { type HistoryStub, historyStubs } from "./history-stubs.ts";
import { nearest } from "./query/nearest.ts";

export interface SelectOptions {
  /** Whether `last` means all projects instead of this folder's. */
  readonly everywhere?: boolean;
  /**
   * What to do with an id that several logs share. `one`: take the one in this folder's project, else the newest.
   * `refuse`: for commands that write; they are not to guess. `present`: take each that has a file. `all`: take each,
   * also those that only the archive has.
   */
  readonly copies?: "one" | "refuse" | "present" | "all";
  /** When sessions ended by the times in their logs, for `last`; of others the time of their files counts. */
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
    if (needsAll(found, word, options)) {
      wide ??= narrow.widen();
      found = selectByWord(library, wide, word, count, options);
    }
    if (found instanceof UserError) throw found;
    for (const pointer of found) selected.set(pointer.key, pointer);
  }
  return [...selected.values()];
}

/** Is there a reason to look everywhere: nothing was found, or a copy of what is to be written may be in a project? */
function needsAll(found: Selected, word: string, { copies }: SelectOptions): boolean {
  if (found instanceof UserError) return found.exitCode === exitCodes.nothingFound;
  if (copies !== "refuse" || looksLikePath(word)) return false;
  return found.some(({ agent }) => agentNamed(agent).inProjects === true);
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
    const running = callingSession(library.surroundings.variables);
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

/** Of the logs that share an id, those that are meant. */
function chooseCopies(
  library: Library,
  pointers: SessionPointers,
  copies: readonly SessionPointer[],
  { copies: rule = "one" }: SelectOptions,
): Selected {
  if (rule === "all" || copies.length === 1) return copies.map((copy) => withOthers(copy, copies));
  // A log that is there is meant before one that only the archive has.
  const present = copies.filter(({ kept, stub }) => kept === undefined && stub === undefined);
  const pool = present.length > 0 ? present : copies;
  if (rule === "present") return pool.map((copy) => withOthers(copy, copies));
  if (pool.length > 1 && rule === "refuse") return severalCopies(pool[0]?.id ?? "", pool.map(leadOf));
  const byTime = pool.toSorted(byNewestLog);
  const { folder } = library.surroundings;
  const here = byTime.find((pointer) => {
    const project = pointers.projectOf(pointer);
    return project !== null && (project === folder || insideOf(project, folder));
  });
  const chosen = here ?? byTime[0];
  if (chosen === undefined) return [];
  const named = withOthers(chosen, copies);
  return [pool.length > 1 ? { ...named, chosenFrom: pool.map(leadOf) } : named];
}

function withOthers(pointer: SessionPointer, copies: readonly SessionPointer[]): SessionPointer {
  const others = copies.filter(({ key }) => key !== pointer.key).map(leadOf);
  return { ...pointer, others };
}

function leadOf({ files }: SessionPointer): string {
  return files.files[0]?.path ?? "";
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
  const all = pointers.newestFirst(endedAt);
  // The example history has no folder here.
  if (everywhere || library.demo) return eachOnce(all, pointers).slice(0, count);
  for (let folder = library.surroundings.folder; ; folder = dirname(folder)) {
    const here = all.filter((pointer) => pointers.projectOf(pointer) === folder);
    if (here.length > 0) return eachOnce(here, pointers).slice(0, count);
    if (folder === dirname(folder)) break;
  }
  return new UserError(`Cannot find a session of ${library.surroundings.folder}`, {
    exitCode: exitCodes.nothingFound,
    hint:
      all.length === 0
        ? "no agent has sessions here; `sessions` shows an example history"
        : "`--everywhere` takes the newest of all projects",
  });
}

/** The first of each session: logs with one id are one session. */
function eachOnce(all: readonly SessionPointer[], pointers: SessionPointers): readonly SessionPointer[] {
  const seen = new Set<string>();
  return all
    .filter((pointer) => !seen.has(sessionKey(pointer)) && seen.add(sessionKey(pointer)))
    .map((pointer) => withOthers(pointer, pointers.withId(sessionKey(pointer))));
}

function looksLikePath(word: string): boolean {
  return /[/\\]/.test(word) || /\.jsonl?$/.test(word);
}

/** The log at a path, which may be anywhere: its content says whose it is. */
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
  if (stat === undefined) return undefined;
  if (stat.kind !== "file") {
    throw new UserError(`Cannot read ${word}: it is not a file`, { exitCode: exitCodes.wrongUsage });
  }
  const peek = diskSource(library.disk).head;
  const file = { path, size: stat.size, mtimeMs: stat.mtimeMs, inode: stat.inode };
  for (const format of agents) {
    if (!format.owns(peek(path))) continue;
    const [files] = format.group([file], peek).flatMap(logIdentities(library).of);
    if (files !== undefined) return withOthers(pointers.pointTo(files), pointers.withId(sessionKey(files)));
  }
  throw new UserError(`Cannot read ${word}: it is not a log of an agent that this program knows`, {
    exitCode: exitCodes.wrongUsage,
  });
}

/** A command that writes does not take a session for one of its parts. */
export function partOfSession(word: string, pointer: SessionPointer): UserError {
  return new UserError(`Cannot take ${word}: it is a part of session ${pointer.id}`, {
    exitCode: exitCodes.wrongUsage,
    hint: `the log of the session is ${JSON.stringify(leadOf(pointer))}`,
  });
}

/** Sessions that an error names. */
const MAX_NAMED = 5;
/** Reading a longer log for its title would take too long. */
const TITLE_BYTES = 32 * 1024 * 1024;

function ambiguous(library: Library, word: string, matches: readonly SessionPointer[]): UserError {
  const all = [...new Map(matches.map((match) => [match.id, match])).values()];
  const named = all.slice(0, MAX_NAMED).map((match) => `${match.id} (${titleOf(library, match)})`);
  const more = all.length > named.length ? `; and ${all.length - named.length} more` : "";
  return new UserError(`Cannot tell which session "${word}" is: ${named.join("; ")}${more} begin with it`, {
    exitCode: exitCodes.wrongUsage,
    hint: "type more of the id",
  });
}

function titleOf(library: Library, { files, kept, stub }: SessionPointer): string {
  const size = files.files.reduce((sum, file) => sum + file.size, 0);
  if (stub !== undefined || size > TITLE_BYTES) return "no title";
  return readSession(kept ?? diskSource(library.disk), files).title ?? "no title";
}

function unknown(library: Library, word: string, pointers: SessionPointers): UserError {
  const { stones } = forgottenSessions(library);
  const forgotten = stones.find(
    ({ id }) => id === word || (word.length >= MIN_PREFIX && id.startsWith(word)),
  );
  if (forgotten !== undefined) {
    return new UserError(`Cannot find session ${forgotten.id}: it was forgotten`, {
      exitCode: exitCodes.nothingFound,
      hint: `\`sessions forget ${forgotten.id} --undo\` brings it back`,
    });
  }
  if (word.length < MIN_PREFIX && pointers.all().some(({ id }) => id.startsWith(word))) {
    return new UserError(`Cannot tell which session "${word}" is: that is too short`, {
      exitCode: exitCodes.wrongUsage,
      hint: `type at least ${MIN_PREFIX} characters of the id`,
    });
  }
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

/** A log that is known by its name and not yet read. */
export interface SessionPointer extends LogKey {
  readonly key: string;
  /** The log, and what belongs to it. */
  readonly files: LogFiles;
  /** Where other logs with the same id are, or were if only the archive has them. */
  readonly others: readonly string[];
  /** Set if an id of several logs was named and this one was taken: where they are. */
  readonly chosenFrom?: readonly string[];
  /** Set if the user named a file of the session that is not its log: that file. */
  readonly part?: string;
  /** Set if the agent's own files are gone: the archive has the bytes. */
  readonly kept?: ByteSource;
  /** What people call the machine that it was pulled from; absent: it is of this one. */
  readonly machine?: string;
  /** Set if only its prompts are left. */
  readonly stub?: HistoryStub;
  /** The readable copy; null if there is none. */
  readonly archive: string | null;
}

interface SessionPointers {
  /** Every log. Those with one id are one session. */
  all(): readonly SessionPointer[];
  /** Adds the logs in all project folders and the prompt histories. Slower: reads the head of every log. */
  widen(): SessionPointers;
  /** All logs with this id. */
  withId(id: string): readonly SessionPointer[];
  /** The log at this path, else the one that the file there belongs to. The path may lead there through links. */
  at(path: string): SessionPointer | undefined;
  /** In the order of lists; without `endedAt` by the time of files. */
  newestFirst(endedAt?: SelectOptions["endedAt"]): readonly SessionPointer[];
  /** Reads the project from the head of the log. */
  projectOf(pointer: SessionPointer): string | null;
  pointTo(files: LogFiles): SessionPointer;
  /** Makes a path as the user typed it absolute. */
  resolve(path: string): string;
}

/** Names every log without reading one: enough to find those that a selector means. */
export function sessionPointers(
  library: Library,
  projectFolders: readonly string[] = [],
  isWide = false,
): SessionPointers {
  const logs = diskSource(library.disk);
  const listed = listArchive(library);
  const archived = byLogKey(
    archivedLogs(library, listed).map((session) => ({ ...session, ...nameOf(session.files) })),
  );
  const forgotten = forgottenSessions(library);
  const projects = new Map<string, string | null>();
  const pointTo = (files: LogFiles): SessionPointer => {
    const key = logKey(files);
    return { ...nameOf(files), key, files, others: [], archive: archived.get(key)?.markdown ?? null };
  };
  const projectOf = (pointer: SessionPointer): string | null => {
    const known = projects.get(pointer.key);
    if (known !== undefined) return known;
    const path = leadOf(pointer);
    const project = projectInHead(pointer.agent, path, (pointer.kept ?? logs).head(path));
    projects.set(pointer.key, project);
    return project;
  };
  const here = findSessions(library, projectFolders)
    .sessions.flatMap(logIdentities(library, listed).of)
    .filter((files) => !forgotten.has(files))
    .map(pointTo);
  const isHere = new Set(here.map(({ key }) => key));
  const kept = [...archived]
    .filter(([key]) => !isHere.has(key))
    .map(([, { files, source, machines }]): SessionPointer => {
      const machine = machines[files.files[0]?.path ?? ""];
      return { ...pointTo(files), kept: source, ...(machine === undefined ? {} : { machine }) };
    });
  const known = new Set([...here, ...kept].map(sessionKey));
  const found = [...here, ...kept, ...(isWide ? stubPointers(library, known) : [])];
  return {
    all: () => found,
    widen: () =>
      sessionPointers(
        library,
        [...new Set(found.map(projectOf).filter((project) => project !== null))],
        true,
      ),
    withId: (id) => {
      const first = found.find(
        (pointer) =>
          pointer.id === id ||
          pointer.id === id.toLowerCase() ||
          pointer.key === id ||
          sessionKey(pointer) === id,
      );
      if (first === undefined) return [];
      return first.key === id && first.copy !== null
        ? [first]
        : found.filter((pointer) => sessionKey(pointer) === sessionKey(first));
    },
    at: (path) => {
      const real = createRealPaths(library.disk);
      const isHere = (file: string): boolean => file === path;
      const leadsHere = (file: string): boolean => real(file) === real(path);
      for (const is of [isHere, leadsHere]) {
        const log = found.find((pointer) => is(leadOf(pointer)));
        if (log !== undefined) return log;
        const whole = found.find(({ files }) => files.files.some((file) => is(file.path)));
        if (whole !== undefined) return { ...whole, part: path };
      }
      return undefined;
    },
    newestFirst: (endedAt) => newestFirst(found, endedAt),
    projectOf,
    pointTo,
    // Paths of other machines are none of this one: `desktop:/home/ana/…`.
    resolve: (path) =>
      found.some((pointer) => pointer.machine !== undefined && leadOf(pointer) === path)
        ? path
        : resolve(library.surroundings.folder, path),
  };
}

function nameOf({ agent, id, copy }: LogKey): LogKey {
  return { agent, id, copy };
}

/** Sessions of which only the prompts are left. */
function stubPointers(library: Library, known: ReadonlySet<string>): readonly SessionPointer[] {
  if (library.demo) return [];
  return historyStubs(library, (session) => known.has(sessionKey(session))).stubs.map((stub) => {
    const key = { agent: stub.agent, id: stub.id, copy: null };
    const files = { ...key, files: [] };
    return { ...key, key: logKey(key), files, others: [], stub, archive: null };
  });
}

function changedAt({ files }: { readonly files: LogFiles }): number {
  return files.files.reduce((latest, { mtimeMs }) => Math.max(latest, mtimeMs), 0);
}

/** Sorts as lists do: by the end of sessions, then by id, then the file that changed last. */
function newestFirst(
  pointers: readonly SessionPointer[],
  endedAt: SelectOptions["endedAt"],
): readonly SessionPointer[] {
  const endOf = (pointer: SessionPointer): number => endedAt?.get(sessionKey(pointer)) ?? changedAt(pointer);
  return pointers.toSorted(
    (a, b) => endOf(b) - endOf(a) || (a.id < b.id ? -1 : a.id > b.id ? 1 : changedAt(b) - changedAt(a)),
  );
}

function byNewestLog(
  {
    files: {
      files: [a],
    },
  }: SessionPointer,
  {
    files: {
      files: [b],
    },
  }: SessionPointer,
): number {
  return a === undefined || b === undefined
    ? Number(a === undefined) - Number(b === undefined)
    : newestLogFirst(a, b);
}
