import { dirname } from "node:path";
import type { LogFiles, SessionFiles } from "../agents/agent.ts";
import { agentNamed, agents } from "../agents/agents.ts";
import { type ByteSource, diskSource } from "../agents/byte-source.ts";
import { findSessionsOf } from "../agents/find-sessions.ts";
import { isolate } from "../agents/isolate.ts";
import { readSession } from "../agents/read-session.ts";
import { isDamaged, sniffHeads } from "../agents/sniff-format.ts";
import type { Problem } from "../errors.ts";
import { isExcluded } from "../fs/config.ts";
import type { Library } from "../fs/library.ts";
import { type Locking, withStore } from "../fs/store.ts";
import { sweepTempFiles } from "../fs/sweep-temp-files.ts";
import { type LogKey, logKey } from "../session/session.ts";
import type { ArchiveStore, ListedSession } from "./archive-store.ts";
import { archiveState, hasLog, markdownPath } from "./archived-sessions.ts";
import { isRendered, type Kept, keepSession, type MarkdownWriter, readRenderNote } from "./keep-session.ts";
import { type LogIdentities, logIdentities } from "./log-identity.ts";
import { forgottenSessions, openArchive } from "./open-archive.ts";
import type { Progress } from "./progress.ts";
import { sessionFolder } from "./raw/generations.ts";

export interface ArchiveOptions {
  /** Only these; absent: all that changed. */
  readonly sessions?: readonly LogFiles[];
  readonly markdown?: MarkdownWriter;
  /** Reads everything again, even if sizes and times are unchanged, and checks and repairs the archive. */
  readonly thorough?: boolean;
  /** Only says what would be archived: nothing is written. */
  readonly dryRun?: boolean;
  readonly locking: Locking;
  readonly onProgress?: (progress: Progress) => void;
  /** Called between sessions, so that Ctrl-C can be handled. */
  readonly pause?: () => Promise<void>;
}

/** A log that had something new to archive. */
export interface NewlyArchived extends LogKey {
  /** The log; null if only fragments of the session are left. */
  readonly source: string | null;
  readonly markdown: string | null;
  /** Where the bytes are. */
  readonly raw: string;
  /** Sizes: of the logs; of all files; of what the archive needs for all generations. */
  readonly bytes: number;
  readonly totalBytes: number;
  readonly storedBytes: number;
  readonly files: number;
  /** Of the leading log. */
  readonly sha256: string | null;
  readonly generation: number;
  /** Whether its log had been rewritten. */
  readonly startedGeneration: boolean;
}

export interface ArchiveAnswer {
  readonly archived: readonly NewlyArchived[];
  readonly unchanged: number;
  /** Skipped because they were forgotten. */
  readonly forgotten: readonly LogKey[];
  /** Skipped because their projects are excluded. */
  readonly excluded: readonly LogKey[];
  /** Damaged parts that were written again. */
  readonly mended: number;
  readonly problems: readonly Problem[];
  /** The content of the archive afterwards. */
  readonly total: {
    readonly sessions: number;
    /** Those of them of which only parts are left. */
    readonly stubs: number;
    readonly bytes: number;
    readonly storedBytes: number;
  };
}

/** Archives the named sessions, or all that changed. Running it twice has the same result as once. */
export function archiveSessions(library: Library, options: ArchiveOptions): Promise<ArchiveAnswer> {
  const run = async (): Promise<ArchiveAnswer> => {
    const archive = openArchive(library);
    try {
      return await archiveAll(library, archive, options);
    } finally {
      if (options.dryRun !== true) archive.close();
    }
  };
  return options.dryRun === true ? run() : withStore(library, options.locking, run);
}

async function archiveAll(
  library: Library,
  archive: ArchiveStore,
  options: ArchiveOptions,
): Promise<ArchiveAnswer> {
  const { markdown: writer, thorough } = options;
  const listing = archive.list();
  const problems: Problem[] = listing.unreadable.map(({ location, what }) => ({
    path: location,
    line: 0,
    what,
  }));
  const before = archiveState(listing.sessions);
  const names = new Set<string>();
  for (const { markdown } of listing.sessions) if (markdown !== null) names.add(markdown.toLowerCase());
  const source = diskSource(library.disk);
  const tombstones = forgottenSessions(library);
  const forgotten: LogKey[] = [];
  const excluded: LogKey[] = [];
  const archived: NewlyArchived[] = [];
  const projects = new Set<string>();
  const swept = new Set<string>();
  let unchanged = 0;
  let mended = 0;

  const isUnchanged = (log: LogFiles, known: ListedSession): boolean =>
    thorough !== true && before.holds(log) && (writer === undefined || isRendered(library, known, writer));

  const noteProject = (project: string | null | undefined): void => {
    if (typeof project === "string") projects.add(project);
  };

  const take = (files: LogFiles, { agent, id, copy }: LogKey): void => {
    if (library.config.exclude.length > 0 && isExcluded(library, readSession(source, files))) {
      excluded.push({ agent, id, copy });
      return;
    }
    if (options.dryRun === true) {
      // If the archive has all bytes, only the readable copy is missing.
      if (before.holds(files)) unchanged++;
      else archived.push(toPreview(library, files, before.knownOf(files)));
      return;
    }
    const kept = keepSession(library, archive, files, {
      markdown: writer,
      thorough,
      isTaken: (name) => names.has(name.toLowerCase()),
    });
    problems.push(...kept.problems);
    mended += kept.outcome.mended;
    const { session } = kept.outcome;
    if (session === undefined) return;
    if (session.markdown !== null) names.add(session.markdown.toLowerCase());
    noteProject(kept.project);
    if (kept.rendered) sweepBeside(library, session, swept);
    if (kept.outcome.kind === "kept") archived.push(toAnswer(library, archive, session, kept));
    else unchanged++;
  };

  /** The copy of a session that only the archive has is rebuilt if the rules changed, for example those of masking. */
  const renderAgain = ({ agent, id, copy }: LogKey, markdown: MarkdownWriter): void => {
    const kept = keepSession(library, archive, { agent, id, copy, files: [] }, { markdown });
    problems.push(...kept.problems);
    const { session } = kept.outcome;
    if (kept.rendered && session !== undefined) sweepBeside(library, session, swept);
  };

  const identify = (log: LogFiles): LogFiles =>
    isolate(problems, leadOf(log), "cannot be identified", () => identifySession(source, log)) ?? log;

  const seen = new Set<string>();
  const visit = (log: LogFiles): void => {
    const known = before.knownOf(log);
    const { agent, id, copy } = log;
    seen.add(logKey(log));
    if (tombstones.has(log)) forgotten.push({ agent, id, copy });
    else if (known !== undefined && isUnchanged(log, known)) {
      unchanged++;
      noteProject(readRenderNote(known)?.project);
    } else {
      // A file that cannot be parsed still has the name of a session: its bytes are archived.
      const files = known === undefined ? identify(log) : log;
      if (!tombstones.has(files)) take(files, log);
    }
  };

  const progress = createCount(options.onProgress);
  const identities = logIdentities(library, listing.sessions);
  for (const find of steps(library, identities, options.sessions, projects, problems)) {
    const groups = find();
    progress.expect(groups);
    for (const group of groups) {
      await options.pause?.();
      isolate(problems, leadOf(group), "cannot be archived", () => visit(group));
      progress.done(group);
    }
  }
  if (options.sessions === undefined && writer !== undefined && options.dryRun !== true) {
    const left = listing.sessions.filter(
      (session) =>
        !seen.has(logKey(session)) && !tombstones.has(session) && !isRendered(library, session, writer),
    );
    for (const session of left) {
      await options.pause?.();
      isolate(problems, session.location, "no readable copy", () => renderAgain(session, writer));
    }
  }
  const { sessions } = archive.list();
  const sum = (of: (session: ListedSession) => number): number =>
    sessions.reduce((total, session) => total + of(session), 0);
  return {
    archived,
    unchanged,
    forgotten,
    excluded,
    mended,
    problems,
    total: {
      sessions: sessions.length,
      stubs: sessions.filter((session) => !hasLog(session)).length,
      bytes: sum(({ bytes }) => bytes),
      storedBytes: sum(({ storedBytes }) => storedBytes),
    },
  };
}

function leadOf({ files }: SessionFiles): string {
  return files[0]?.path ?? "";
}

/** Finds logs in two steps: some agents keep theirs inside projects, which the sessions of the others name. */
function steps(
  library: Library,
  identities: LogIdentities,
  sessions: readonly LogFiles[] | undefined,
  projects: ReadonlySet<string>,
  problems: Problem[],
): readonly (() => readonly LogFiles[])[] {
  if (sessions !== undefined)
    return [() => sessions.flatMap(({ agent, id, files }) => identities.of({ agent, id, files }))];
  const find = (inProjects: boolean) => (): readonly LogFiles[] =>
    agents
      .filter((format) => (format.inProjects === true) === inProjects)
      .flatMap((format) => {
        const found = findSessionsOf(library, format, [...projects]);
        problems.push(...found.problems);
        return found.sessions.flatMap(identities.of);
      });
  return [find(false), find(true)];
}

function toAnswer(
  library: Library,
  archive: ArchiveStore,
  session: ListedSession,
  { outcome }: Kept,
): NewlyArchived {
  const { agent, id, copy, generation, location, files, bytes, storedBytes } = session;
  const logs = files.filter(({ role }) => role === "main" || role === "rotation");
  return {
    agent,
    id,
    copy,
    source: logs[0]?.path ?? null,
    markdown: markdownPath(library, session),
    raw: location,
    bytes: logs.reduce((sum, { size }) => sum + size, 0),
    totalBytes: bytes,
    storedBytes,
    files: files.length,
    sha256: archive.get(session)?.files[0]?.sha256 ?? null,
    generation,
    startedGeneration: outcome.startedGeneration,
  };
}

/** Plans where a session's bytes would be archived, and after which generation. */
function toPreview(library: Library, files: LogFiles, known: ListedSession | undefined): NewlyArchived {
  const { agent, id, copy } = files;
  const logs = files.files.filter(({ role }) => role === "main" || role === "rotation");
  const sum = (all: SessionFiles["files"]): number => all.reduce((total, { size }) => total + size, 0);
  return {
    agent,
    id,
    copy,
    source: logs[0]?.path ?? null,
    markdown: known === undefined ? null : markdownPath(library, known),
    raw: known?.location ?? sessionFolder(library.places.raw, files),
    bytes: sum(logs),
    totalBytes: sum(files.files),
    storedBytes: known?.storedBytes ?? 0,
    files: files.files.length,
    sha256: null,
    generation: known?.generation ?? 0,
    startedGeneration: false,
  };
}

/** Removes temp files that a killed run left next to a readable copy; each folder once. */
function sweepBeside(library: Library, session: ListedSession, swept: Set<string>): void {
  const path = markdownPath(library, session);
  if (path === null) return;
  const folder = dirname(path);
  if (swept.has(folder)) return;
  swept.add(folder);
  sweepTempFiles(library.disk, folder, { now: Number.POSITIVE_INFINITY });
}

interface Count {
  expect(groups: readonly SessionFiles[]): void;
  done(group: SessionFiles): void;
}

function createCount(onProgress: ArchiveOptions["onProgress"]): Count {
  const count = { files: 0, filesTotal: 0, bytes: 0, bytesTotal: 0 };
  const bytesOf = ({ files }: SessionFiles): number => files.reduce((sum, { size }) => sum + size, 0);
  return {
    expect(groups) {
      for (const group of groups) {
        count.filesTotal += group.files.length;
        count.bytesTotal += bytesOf(group);
      }
    },
    done(group) {
      count.files += group.files.length;
      count.bytes += bytesOf(group);
      onProgress?.({ ...count });
    },
  };
}

/**
 * Decides by content whose log a file is. A log in the folder of another agent goes to its own agent; a file that is
 * not a log of any agent is not a session. A file too damaged to tell keeps the agent of its folder, so that it can
 * be named.
 */
export function identifySession<T extends SessionFiles>(source: ByteSource, files: T): T | undefined {
  const [lead] = files.files;
  if (lead === undefined) return undefined;
  // Fragments of a session without a log were identified when they were found.
  if (lead.role !== "main") return files;
  for (const head of sniffHeads(lead.path, source.head)) {
    // A file that cannot be read is reported when it is read.
    if (head.length === 0 || agentNamed(files.agent).owns(head)) return files;
    const owner = agents.find((format) => format.owns(head));
    if (owner !== undefined) return { ...files, agent: owner.name };
  }
  return isDamaged(source.head(lead.path)) ? files : undefined;
}
