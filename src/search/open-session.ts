import type { ResumeCommand, SessionFiles } from "../agents/agent.ts";
import { agentNamed } from "../agents/agents.ts";
import { type ByteSource, diskSource } from "../agents/byte-source.ts";
import { reasonOf } from "../agents/isolate.ts";
import { type LogImage, readImages } from "../agents/log-images.ts";
import { readSession } from "../agents/read-session.ts";
import { runningSessions, sessionState } from "../agents/running-sessions.ts";
import { identifySession } from "../archive/archive-sessions.ts";
import { withBases } from "../archive/archived-bases.ts";
import { archivedLogs, hasLog } from "../archive/archived-sessions.ts";
import { exitCodes, type Problem, UserError } from "../errors.ts";
import type { Digest } from "../extract/digest.ts";
import { extractDigest } from "../extract/extract-digest.ts";
import type { Library } from "../fs/library.ts";
import { deniedAt, whyUnreadable } from "../fs/sources.ts";
import { shellQuote } from "../render/words.ts";
import { findCheckout } from "../session/checkout.ts";
import { logKey, type Session, type SessionName, type Turn } from "../session/session.ts";
import { type HistoryStub, sessionOfStub } from "./history-stubs.ts";
import { bytesOf } from "./refresh/session-row.ts";
import { type SelectOptions, selectSession } from "./select-sessions.ts";
import type { SessionState } from "./session-catalog.ts";
import type { SessionPointer } from "./session-pointers.ts";

/** One session, read completely. */
export interface OpenSession {
  readonly session: Session;
  readonly digest: Digest;
  readonly state: SessionState;
  /** Its log; null if that is gone. */
  readonly source: string | null;
  /** Where its log is, or was; null if nothing has it. */
  readonly log: string | null;
  /** How many logs have its id, and where the others are. */
  readonly copies: number;
  readonly others: readonly string[];
  /** The file that was named, if it is not the session's log but a part of it. */
  readonly part?: string | undefined;
  /** Whether the named log was forgotten. */
  readonly isForgotten?: true | undefined;
  readonly archive: string | null;
  /** The machine that it was pulled from; null: this one. */
  readonly machine: string | null;
  readonly bytes: number;
  readonly resume: ResumeCommand;
  /** Reads the images of requests from the log, by the number of the turn. */
  images(turns: readonly Turn[]): ReadonlyMap<number, readonly LogImage[]>;
}

/** The log of a session may not be looked at, and it was never archived. */
export class UnreadableLog extends UserError {
  readonly session: SessionName;
  readonly path: string;

  constructor({ agent, id }: SessionName, path: string, why: string, fix: string | undefined) {
    super(`Cannot read session ${id}: ${path}: ${why}`, {
      exitCode: exitCodes.withProblems,
      ...(fix === undefined ? {} : { hint: fix }),
    });
    this.session = { agent, id };
    this.path = path;
  }
}

/** The command that lets the user look at a log; undefined if that is not what is wrong. */
export function permissionFix({ disk }: Pick<Library, "disk">, path: string): string | undefined {
  const at = deniedAt(disk, path);
  return at === undefined ? undefined : `\`chmod u+rX ${shellQuote([at])}\``;
}

/** Reads the session that a selector names. */
export function openSession(
  library: Library,
  words: readonly string[],
  options: SelectOptions = {},
): OpenSession {
  return readPointed(library, selectSession(library, words, options));
}

/** Reads a session. If that fails, the error names the file and the reason. */
export function readPointed(library: Library, pointer: SessionPointer): OpenSession {
  try {
    return readWhole(library, pointer);
  } catch (error) {
    if (error instanceof UnreadableLog) throw error;
    const path = pointer.files.files[0]?.path ?? "";
    throw new UserError(`Cannot read session ${pointer.id}: ${path}: ${reasonOf(error)}`, {
      exitCode: exitCodes.withProblems,
      hint: "`sessions archive` still keeps its bytes, and `sessions grep` finds what is in it",
      cause: error,
    });
  }
}

function readWhole(library: Library, named: SessionPointer): OpenSession {
  if (named.stub !== undefined) return openStub(named.stub);
  const { pointer, problems } = archivedIfClosed(library, named);
  const source = withBases(library, pointer.kept ?? diskSource(library.disk));
  const files = identifySession(source, pointer.files);
  if (files === undefined) {
    throw new UserError(
      `Cannot read session ${pointer.id}: the start of its file is not that of a log of an agent that this program knows`,
      {
        exitCode: exitCodes.nothingFound,
      },
    );
  }
  const read = readSession(source, files);
  const session = {
    ...read,
    ...findCheckout(library.disk, library.environment.home, read),
    problems: [...problems, ...read.problems],
  };
  const lead = files.files[0]?.path ?? null;
  return {
    session,
    digest: extractDigest(session),
    // A log that can't be opened is not gone.
    state:
      pointer.kept === undefined
        ? sessionState(library, files, runningSessions(library))
        : named.kept === undefined
          ? "idle"
          : "kept",
    source: named.kept === undefined ? lead : null,
    log: hasLog(files) ? lead : null,
    copies: 1 + pointer.others.length,
    others: pointer.others,
    part: pointer.part,
    isForgotten: pointer.isForgotten,
    archive: pointer.archive,
    machine: pointer.machine ?? null,
    bytes: bytesOf(files),
    resume: agentNamed(files.agent).resume({ id: files.id, project: session.project, source: lead }),
    images: (turns) => imagesOf(source, files, turns),
  };
}

/** If the log can't be opened, its archived state is read; if there is none, that is an error. */
function archivedIfClosed(
  library: Library,
  pointer: SessionPointer,
): { readonly pointer: SessionPointer; readonly problems: readonly Problem[] } {
  const path = pointer.files.files[0]?.path;
  if (pointer.kept !== undefined || path === undefined) return { pointer, problems: [] };
  const why = whyUnreadable(library.disk, path);
  if (why === undefined) return { pointer, problems: [] };
  const fix = permissionFix(library, path);
  const key = logKey(pointer.files);
  const archived = archivedLogs(library).find(({ files }) => logKey(files) === key);
  if (archived === undefined) throw new UnreadableLog(pointer.files, path, why, fix);
  const what = `cannot be read: ${why}; this is what the archive has of it${fix === undefined ? "" : `; ${fix}`}`;
  return {
    pointer: { ...pointer, files: archived.files, kept: archived.source },
    problems: [{ path, line: 0, what }],
  };
}

/** Opens a session of which only the prompts are left. */
function openStub(stub: HistoryStub): OpenSession {
  const session = sessionOfStub(stub);
  const { id, project } = session;
  const resume = agentNamed(stub.agent).resume({ id, project, source: null });
  return {
    session,
    digest: extractDigest(session),
    state: "stub",
    source: null,
    log: null,
    copies: 1,
    others: [],
    archive: null,
    machine: null,
    bytes: 0,
    resume,
    images: () => new Map(),
  };
}

function imagesOf(
  source: ByteSource,
  files: SessionFiles,
  turns: readonly Turn[],
): ReadonlyMap<number, readonly LogImage[]> {
  const withImages = turns.filter(({ images = 0, copiedFrom }) => images > 0 && copiedFrom === undefined);
  const byLine = readImages(source, files, new Set(withImages.map(({ line }) => line)));
  return new Map(withImages.map(({ number, line }) => [number, byLine.get(line) ?? []]));
}
