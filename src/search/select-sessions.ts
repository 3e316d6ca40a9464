import { dirname, resolve } from "node:path";
import type { SessionFiles } from "../agents/agent.ts";
import { agents } from "../agents/agents.ts";
import { type ByteSource, diskSource } from "../agents/byte-source.ts";
import { findSessions } from "../agents/find-sessions.ts";
import { projectInHead } from "../agents/session-of-log.ts";
import { archivedSessions } from "../archive/archived-sessions.ts";
import { forgottenSessions } from "../archive/open-archive.ts";
import { exitCodes, UserError } from "../errors.ts";
import type { Library } from "../fs/library.ts";
import type { AgentName } from "../session/entry.ts";
import { sessionKey } from "../session/session.ts";
import { type HistoryStub, historyStubs } from "./history-stubs.ts";
import { nearest } from "./query/nearest.ts";

export interface SelectOptions {
  /** Whether `last` means all projects instead of this folder's. */
  readonly everywhere?: boolean;
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
    if (found instanceof UserError) {
      wide ??= narrow.widen();
      found = selectByWord(library, wide, word, count, options);
    }
    if (found instanceof UserError) throw found;
    for (const pointer of found) selected.set(pointer.key, pointer);
  }
  return [...selected.values()];
}

/** The sessions, or why there are none. */
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

/** Finds the newest sessions of this folder, or else of the nearest parent folder that has any. */
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

/** Finds the session of a file: a known one, or any log whose content an agent recognizes. */
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
  for (const format of agents) {
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

/** A session that is known by its files and has not been read yet. */
export interface SessionPointer {
  readonly key: string;
  readonly agent: AgentName;
  readonly id: string;
  readonly files: SessionFiles;
  /** The file that the user named by its path, if there are several copies of a log. */
  readonly named?: string;
  /** Its bytes in the archive, if the agent's own files are gone. */
  readonly kept?: ByteSource;
  /** Set if only its prompts are left. */
  readonly stub?: HistoryStub;
  /** The path of its readable copy; null if there is none. */
  readonly archive: string | null;
}

interface SessionPointers {
  all(): readonly SessionPointer[];
  /** Adds the logs in all project folders and the prompt histories. Slower: reads the head of every log. */
  widen(): SessionPointers;
  withId(id: string): SessionPointer | undefined;
  newestFirst(): readonly SessionPointer[];
  /** Reads the project from the head of the log. */
  projectOf(pointer: SessionPointer): string | null;
  pointTo(files: SessionFiles): SessionPointer;
  /** Makes a path that the user typed absolute. */
  resolve(path: string): string;
}

/** Lists every session without reading any: enough to resolve selectors. */
export function sessionPointers(
  library: Library,
  projectFolders: readonly string[] = [],
  isWide = false,
): SessionPointers {
  const logs = diskSource(library.disk);
  const archived = new Map(archivedSessions(library).map((session) => [sessionKey(session.files), session]));
  const forgotten = forgottenSessions(library);
  const projects = new Map<string, string | null>();
  const pointTo = (files: SessionFiles): SessionPointer => {
    const key = sessionKey(files);
    return { key, agent: files.agent, id: files.id, files, archive: archived.get(key)?.markdown ?? null };
  };
  const projectOf = (pointer: SessionPointer): string | null => {
    const known = projects.get(pointer.key);
    if (known !== undefined) return known;
    const path = pointer.files.files[0]?.path ?? "";
    const project = projectInHead(pointer.agent, path, (pointer.kept ?? logs).head(path));
    projects.set(pointer.key, project);
    return project;
  };
  const here = findSessions(library, projectFolders)
    .sessions.filter((files) => !forgotten.has(files))
    .map(pointTo);
  const isHere = new Set(here.map(({ key }) => key));
  const kept = [...archived.values()]
    .filter(({ files }) => !isHere.has(sessionKey(files)))
    .map(({ files, source }): SessionPointer => ({ ...pointTo(files), kept: source }));
  const found = [
    ...here,
    ...kept,
    ...(isWide ? stubPointers(library, new Set([...isHere, ...archived.keys()])) : []),
  ];
  return {
    all: () => found,
    widen: () =>
      sessionPointers(
        library,
        [...new Set(found.map(projectOf).filter((project) => project !== null))],
        true,
      ),
    withId: (id) =>
      found.find((pointer) => pointer.id === id || pointer.id === id.toLowerCase() || pointer.key === id),
    newestFirst: () => found.toSorted((a, b) => changedAt(b) - changedAt(a)),
    projectOf,
    pointTo,
    resolve: (path) => resolve(library.surroundings.folder, path),
  };
}

/** Lists the sessions of which only the prompts are left. */
function stubPointers(library: Library, known: ReadonlySet<string>): readonly SessionPointer[] {
  if (library.demo) return [];
  return historyStubs(library, (session) => known.has(sessionKey(session))).stubs.map((stub) => {
    const files = { agent: stub.agent, id: stub.id, files: [] };
    return { key: sessionKey(stub), agent: stub.agent, id: stub.id, files, stub, archive: null };
  });
}

function changedAt(pointer: SessionPointer): number {
  return Math.max(...pointer.files.files.map((file) => file.mtimeMs));
}
