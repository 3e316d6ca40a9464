import { basename } from "node:path";
import { ArchiveDamage } from "../../fs/damage.ts";
import { type Disk, sameMark } from "../../fs/disk.ts";
import { errorCode, explainDiskError, isAbsent } from "../../fs/disk-error.ts";
import { isSamePath } from "../../fs/real-path.ts";
import type { LogKey } from "../../session/session.ts";
import type { FileToKeep, PutOptions, PutProblem } from "../archive-store.ts";
import { createChunkKeeper } from "./chunk.ts";
import {
  beginGeneration,
  type FolderOf,
  filesAside,
  foldersOf,
  generationNumbers,
  type NewGeneration,
  newestIntact,
  readGeneration,
  writeManifest,
} from "./generations.ts";
import { keptSession } from "./kept-session.ts";
import { contentState, type Manifest, ownFiles, type StoredFile } from "./manifest.ts";
import { examineFile, storedFileOf, storeFile } from "./store-file.ts";
import { chunksOf, tidySession } from "./tidy-session.ts";

interface PutResult {
  readonly kind: "kept" | "unchanged" | "absent";
  /** The generation with the present files; 0 if there is none. */
  readonly generation: number;
  /** Whether the manifest was written, even if only times changed. */
  readonly wrote: boolean;
  readonly startedGeneration: boolean;
  readonly mended: number;
  readonly problems: readonly PutProblem[];
}

/** Logs, to which agents only append. Other files are states, which are rewritten all the time. */
const LOG_ROLES: ReadonlySet<string> = new Set(["main", "rotation", "subagent", "spilled"]);

/** Attempts to read a file that keeps changing before it is left to the next run. */
const MAX_ATTEMPTS = 3;

/**
 * Archives what is new in a session. The order makes it safe: first the chunks, each durable; then the manifest that
 * names them; then the removal of chunks that it no longer names. Wherever the process is killed, the manifest on disk
 * names only what exists, and the next run continues from it.
 */
export function putSession(
  disk: Disk,
  sessionFolder: string,
  session: LogKey,
  files: readonly FileToKeep[],
  options: PutOptions,
): PutResult {
  const problems: PutProblem[] = [];
  const numbers = generationNumbers(disk, sessionFolder);
  const newest = numbers.at(-1) ?? 0;
  const base = newestIntact(disk, sessionFolder, session, numbers, problems);
  const mayHaveMoved = options.aside !== true;
  const matches = matchFiles(disk, base, files, { mayHaveMoved });
  const isAside = options.aside === true;
  const before = isAside ? asideBefore(disk, sessionFolder, session, numbers, files) : undefined;
  if (before !== undefined)
    return {
      kind: "unchanged",
      generation: before,
      wrote: false,
      startedGeneration: false,
      mended: 0,
      problems,
    };
  const aside = isAside || numbers.length < 2 ? [] : filesAside(disk, sessionFolder, session, numbers);
  const changed = matches.filter(
    (match) => options.thorough === true || !(isStored(match) || isAmong(aside, match.file)),
  );
  const starts =
    isAside || base?.generation !== newest || changed.some((match) => isRewrittenLog(match, problems));
  const generation = starts ? newest + 1 : newest;

  let begun: NewGeneration | undefined;
  /** Created when the first chunk is written, so that a session that can't be read leaves nothing behind. */
  const folderOf: FolderOf = (number) => {
    if (number !== generation || !starts) return foldersOf(sessionFolder)(number);
    begun ??= beginGeneration(disk, sessionFolder, generation);
    return begun.folder;
  };
  // A log may return to an earlier state: after `flatten` and `unflatten`, all chunks exist already.
  const known = starts
    ? goodManifests(disk, sessionFolder, session, numbers)
    : base === undefined
      ? []
      : [base];
  const keeper = createChunkKeeper(disk, folderOf, generation, known.flatMap(chunksOf));
  const stored = new Map<FileToKeep, StoredFile>();
  const outdated: StoredFile[] = [];
  let mended = 0;

  const attempt = ({ file, kept }: Match): StoredFile | undefined => {
    const opened = file.open();
    try {
      if (kept === undefined) return storeFile(file, opened, keeper.write);
      const examined = examineFile(opened, kept);
      if (options.thorough === true) mended += keeper.mend(kept, opened);
      switch (examined.kind) {
        case "unsteady":
          return undefined;
        case "same":
          return opened.isStill() ? storedFileOf(file, opened, kept.sha256, kept.chunks) : undefined;
        case "grown":
          return storeFile(file, opened, keeper.write, { kept, hash: examined.hash });
        case "rewritten": {
          // It was not a rewrite a moment ago, or a new generation would have been started.
          if (!starts && LOG_ROLES.has(kept.role)) return undefined;
          const stored = storeFile(file, opened, keeper.write);
          if (stored !== undefined && !starts) outdated.push(kept);
          return stored;
        }
      }
    } finally {
      opened.close();
    }
  };

  for (const match of changed) {
    const { file } = match;
    guard(file.path, problems, () => {
      for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
        const made = attempt(match);
        if (made === undefined) continue;
        stored.set(file, made);
        return;
      }
      problems.push({ path: file.path, what: "it kept changing while it was read" });
    });
  }

  const all = matches.flatMap(({ file, kept }) => stored.get(file) ?? kept ?? []);
  const taken = new Set(matches.map(({ kept }) => kept));
  const gone = (base?.files ?? []).filter((kept) => !taken.has(kept));
  const nothing = {
    generation: base?.generation ?? 0,
    wrote: false,
    startedGeneration: false,
    mended,
    problems,
  };
  if (all.length + gone.length === 0) return { kind: "absent", ...nothing };
  const isNameDue = base?.markdown === null && options.nameMarkdown !== undefined && !starts;
  if (stored.size === 0 && !isAside && !isNameDue) {
    return { kind: "unchanged", ...nothing };
  }

  const log = logOf(base, isAside ? [] : files);
  const draft: Manifest = {
    agent: session.agent,
    id: session.id,
    copy: session.copy,
    generation,
    log,
    markdown: base?.markdown ?? null,
    files: [...all, ...gone].sort(leadFirst(log)),
    earlier: starts ? [] : withoutRepeats([...(base?.earlier ?? []), ...outdated]),
    isAside,
    origin: base?.origin ?? null,
  };
  const name = (): string | null =>
    options.nameMarkdown?.(keptSession(disk, sessionFolder, draft, [...numbers, generation], folderOf)) ??
    null;
  const manifest = { ...draft, markdown: draft.markdown ?? name() };
  if (stored.size === 0 && isNameDue && manifest.markdown === null) return { kind: "unchanged", ...nothing };
  writeManifest(disk, folderOf(generation), manifest);
  begun?.finish();
  tidySession(disk, sessionFolder, manifest);
  const isNew = starts || base === undefined || contentState(base) !== contentState(manifest);
  return {
    kind: isNew ? "kept" : "unchanged",
    generation,
    wrote: true,
    startedGeneration: starts && newest > 0,
    mended,
    problems,
  };
}

/** The generation in which a killed restore put these same files aside, if every byte of it can be read. */
function asideBefore(
  disk: Disk,
  sessionFolder: string,
  session: LogKey,
  numbers: readonly number[],
  files: readonly FileToKeep[],
): number | undefined {
  const good = goodManifests(disk, sessionFolder, session, numbers);
  const found = good.findLast(
    (manifest) => manifest.isAside && files.every((file) => isAmong(manifest.files, file)),
  );
  if (found === undefined) return undefined;
  const kept = keptSession(disk, sessionFolder, found, numbers);
  try {
    for (const file of kept.files) for (const _ of kept.read(file));
    return found.generation;
  } catch (error) {
    if (error instanceof ArchiveDamage) return undefined;
    throw error;
  }
}

function goodManifests(
  disk: Disk,
  sessionFolder: string,
  session: LogKey,
  numbers: readonly number[],
): readonly Manifest[] {
  return numbers.flatMap((number) => {
    const found = readGeneration(disk, sessionFolder, number, session);
    return found.kind === "good" ? [found.manifest] : [];
  });
}

function isStored({ file, kept }: Match): boolean {
  return kept !== undefined && kept.path === file.path && kept.role === file.role && sameMark(kept, file);
}

/**
 * Whether a file was put aside by a restore and has not changed since. Then the restore failed before replacing it,
 * and archiving it must not make it the newest state of its session.
 */
function isAmong(aside: readonly StoredFile[], file: FileToKeep): boolean {
  return aside.some(({ path, ...mark }) => path === file.path && sameMark(mark, file));
}

function isRewrittenLog({ file, kept }: Match, problems: PutProblem[]): boolean {
  if (kept === undefined || !LOG_ROLES.has(kept.role)) return false;
  let rewritten = false;
  guard(file.path, problems, () => {
    const opened = file.open();
    try {
      rewritten = examineFile(opened, kept).kind === "rewritten";
    } finally {
      opened.close();
    }
  });
  return rewritten;
}

/** Isolates errors of one file from the others. A file that vanished in the meantime is not a problem. */
function guard(path: string, problems: PutProblem[], action: () => void): void {
  try {
    action();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    if (isAbsent(error) || problems.some((problem) => problem.path === path)) return;
    problems.push({ path, what: `it can't be read: ${explainDiskError(error)}` });
  }
}

/** The log that the record is about: the one that is put, or else the one that the record was about before. */
function logOf(base: Manifest | undefined, files: readonly FileToKeep[]): string | null {
  const main = files.find(({ role }) => role === "main") ?? (base && ownFiles(base)[0]);
  return main?.path ?? null;
}

/** The log itself comes first, then others that were once kept with it, the longest first. */
function leadFirst(log: string | null): (a: StoredFile, b: StoredFile) => number {
  const rank = ({ path, role }: StoredFile): number => (path === log ? 2 : role === "main" ? 1 : 0);
  return (a, b) => {
    if (rank(a) !== rank(b)) return rank(b) - rank(a);
    if (rank(a) === 1 && a.size !== b.size) return b.size - a.size;
    return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
  };
}

function withoutRepeats(files: readonly StoredFile[]): readonly StoredFile[] {
  const last = new Map(files.map((file) => [`${file.path}\0${file.sha256}`, file]));
  return [...last.values()];
}

/** A file, and its archived state. */
interface Match {
  readonly file: FileToKeep;
  readonly kept: StoredFile | undefined;
}

/**
 * Finds the archived state of each file: by its path or, if a log was moved (an agent does that when its session
 * changes folders), by its name and role among those that are gone. The log itself may have any name.
 */
function matchFiles(
  disk: Disk,
  base: Manifest | undefined,
  files: readonly FileToKeep[],
  options: { readonly mayHaveMoved: boolean },
): readonly Match[] {
  const byPath = new Map(base?.files.map((kept) => [kept.path, kept]));
  const present = new Set(files.map(({ path }) => path));
  const missing = (base?.files ?? []).filter(({ path }) => !present.has(path));
  const isNew = (file: FileToKeep): boolean => !byPath.has(file.path);

  const movedFrom = (file: FileToKeep): StoredFile | undefined => {
    if (!options.mayHaveMoved) return undefined;
    // It is the same log, as the caller has found out; only its name may differ.
    const [log] = base === undefined ? [] : ownFiles(base);
    if (file.role === "main" && log?.role === "main" && missing.includes(log)) return log;
    const [kept, other] = missing.filter((each) => isNamesake(each, file));
    const [first, second] = files.filter((each) => isNew(each) && isNamesake(each, file));
    const isClear = other === undefined && first === file && second === undefined;
    if (kept === undefined || !isClear) return undefined;
    return isGone(disk, kept.path) || isSamePath(disk, kept.path, file.path) ? kept : undefined;
  };

  return files.map((file) => ({ file, kept: byPath.get(file.path) ?? movedFrom(file) }));
}

function isGone(disk: Disk, path: string): boolean {
  try {
    return disk.stat(path) === undefined;
  } catch (error) {
    // Without permission to look, it may still exist.
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

interface Named {
  readonly path: string;
  readonly role: string;
}

function isNamesake(a: Named, b: Named): boolean {
  return a.role === b.role && basename(a.path) === basename(b.path);
}
