import { basename, resolve } from "node:path";
import { callingSession } from "../agents/agents.ts";
import { hasLogs } from "../agents/find-sessions.ts";
import { shownPath } from "../archive/archive-source.ts";
import type { ListedSession } from "../archive/archive-store.ts";
import { readRenderNote } from "../archive/keep-session.ts";
import { logAt } from "../archive/log-identity.ts";
import { forgottenSessions, openArchive } from "../archive/open-archive.ts";
import { exitCodes, UserError } from "../errors.ts";
import type { Library } from "../fs/library.ts";
import { createRealPaths } from "../fs/real-path.ts";
import { logKey, sessionKey } from "../session/session.ts";
import { nearest } from "./query/nearest.ts";
import {
  firstOfEach,
  forgottenError,
  hasKeyword,
  MAX_NAMED,
  MIN_PREFIX,
  NOT_HERE,
  ofNearestFolder,
  readSelectors,
  type SelectOptions,
  severalCopies,
} from "./select-sessions.ts";
import { THIS_MACHINE } from "./session-condition.ts";

/** Lists all archived sessions, newest first: of all machines, or of those with these names. */
export function allArchived(library: Library, ...machines: readonly string[]): readonly ListedSession[] {
  const forgotten = forgottenSessions(library);
  const requested = new Set(machines.map((name) => name.toLowerCase()));
  const isWanted = ({ origin }: ListedSession): boolean =>
    requested.size === 0 || requested.has((origin?.name ?? THIS_MACHINE).toLowerCase());
  return openArchive(library)
    .list()
    .sessions.filter((session) => !forgotten.has(session) && isWanted(session))
    .toSorted((a, b) => changedAt(b) - changedAt(a));
}

/**
 * Finds the archived sessions that selectors name: ids, prefixes, `last`, `last N`, `current`, paths of their files.
 * The logs need not exist any more.
 */
export function selectArchived(
  library: Library,
  words: readonly string[],
  options: SelectOptions & { readonly machines?: readonly string[] } = {},
): readonly ListedSession[] {
  const all = allArchived(library, ...(options.machines ?? []));
  const selected = new Map<string, ListedSession>();
  for (const { word, count = 1 } of readSelectors(words)) {
    for (const session of selectByWord(library, all, word, count, options)) {
      selected.set(logKey(session), session);
    }
  }
  return [...selected.values()];
}

function selectByWord(
  library: Library,
  all: readonly ListedSession[],
  word: string,
  count: number,
  { copies = "all", ...options }: SelectOptions,
): readonly ListedSession[] {
  if (hasKeyword([word])) {
    const running = callingSession(library.environment.variables);
    const current = word === "current" ? all.find(({ id }) => id === running) : undefined;
    return current === undefined ? newest(library, all, count, options) : [current];
  }
  const exact = all.filter((session) => session.id === word || sessionKey(session) === word);
  if (exact.length > 0) return onlyOne(word, exact, copies);
  const path = resolve(library.environment.folder, word);
  const real = createRealPaths(library.disk);
  const isHere = (file: string): boolean => file === path;
  const leadsHere = (file: string): boolean => real(file) === real(path);
  for (const is of /[/\\]/.test(word) ? [isHere, leadsHere] : [isHere]) {
    // A path of another machine is typed as shown: `desktop:/home/ana/…`.
    const isIt = (session: ListedSession, file: string): boolean =>
      session.origin === null ? is(file) : shownPath(session, file) === word;
    const byPath = all.find((each) => each.files[0] !== undefined && isIt(each, each.files[0].path));
    if (byPath !== undefined) return [byPath];
    const whole = all.find((each) => each.files.some((file) => isIt(each, file.path)));
    if (whole !== undefined && copies === "refuse") throw partOfArchived(word, whole);
    if (whole !== undefined) return [whole];
  }
  const moved = /[/\\]/.test(word) ? logAt(library, path) : undefined;
  const byLog = moved === undefined ? undefined : all.find((each) => logKey(each) === logKey(moved));
  if (byLog !== undefined) return [byLog];
  const folded = word.toLowerCase();
  const matches = word.length < MIN_PREFIX ? [] : all.filter(({ id }) => id.toLowerCase().startsWith(folded));
  if (matches.length > 0) return onlyOne(word, matches, copies);
  const forgotten = forgottenError(library, word);
  if (forgotten !== undefined) throw forgotten;
  const ids = all.map(({ id }) => id.slice(0, Math.max(word.length, 8)));
  const close = nearest(word, ids, { limit: 3 });
  throw new UserError(`Cannot find a session "${word}" in the archive`, {
    exitCode: exitCodes.nothingFound,
    hint:
      all.length === 0
        ? nothingArchived(library)
        : close.length > 0
          ? `the nearest ids are ${close.join(", ")}`
          : "`sessions list` shows what there is",
  });
}

/** The logs of one session: all of them, or the only one. One of this machine comes before those of others. */
function onlyOne(
  word: string,
  found: readonly ListedSession[],
  copies: SelectOptions["copies"],
): readonly ListedSession[] {
  const own = found.filter(({ origin }) => origin === null);
  const matches = copies === "refuse" && own.length > 0 ? own : found;
  const sessions = [...new Map(matches.map((match) => [sessionKey(match), match])).values()];
  if (sessions.length === 1 && (matches.length === 1 || copies !== "refuse")) return matches;
  if (sessions.length === 1)
    throw severalCopies(
      matches[0]?.id ?? "",
      matches.map((each) => shownPath(each, each.files[0]?.path ?? "")),
    );
  const named = sessions.slice(0, MAX_NAMED).map(nameInError);
  const more = sessions.length > named.length ? [`  … ${sessions.length - named.length} more`] : [];
  const what = `Cannot tell which session "${word}" is: ${sessions.length} begin with it`;
  throw new UserError([what, ...named, ...more].join("\n"), {
    exitCode: exitCodes.wrongUsage,
    hint: "type more of the id",
  });
}

/** An id with the name of its readable copy, which begins with the date and the title. */
function nameInError({ id, markdown }: ListedSession): string {
  return markdown === null
    ? `  ${id}`
    : `  ${id} · ${basename(markdown, ".md").replace(/_[0-9a-f]{8}$/, "")}`;
}

function partOfArchived(word: string, { id, files }: ListedSession): UserError {
  return new UserError(`Cannot take ${word}: it is a part of session ${id}`, {
    exitCode: exitCodes.wrongUsage,
    hint: `the log of the session is ${JSON.stringify(files[0]?.path ?? "")}`,
  });
}

function nothingArchived(library: Library): string {
  return hasLogs(library)
    ? "the archive is empty; `sessions archive` fills it with the sessions of your agents"
    : "no agent has sessions here yet: `sessions list` shows an example history, of which nothing is archived";
}

function newest(
  library: Library,
  sessions: readonly ListedSession[],
  count: number,
  { everywhere = false, endedAt }: SelectOptions,
): readonly ListedSession[] {
  const endOf = (session: ListedSession): number => endedAt?.get(sessionKey(session)) ?? changedAt(session);
  const all = sessions.toSorted((a, b) => endOf(b) - endOf(a));
  if (everywhere) return firstOfEach(all).slice(0, count);
  const projectOf = (session: ListedSession): string | null => readRenderNote(session)?.project ?? null;
  const here = ofNearestFolder(library.environment.folder, all, projectOf);
  if (here.length > 0) return firstOfEach(here).slice(0, count);
  throw new UserError(`Cannot find an archived session of this folder: ${library.environment.folder}`, {
    exitCode: exitCodes.nothingFound,
    hint: all.length === 0 ? nothingArchived(library) : NOT_HERE,
  });
}

function changedAt({ files }: ListedSession): number {
  return files.reduce((latest, { mtimeMs }) => Math.max(latest, mtimeMs), 0);
}
