import { dirname } from "node:path";
import type { LogFiles } from "../agents/agent.ts";
import { agentNamed } from "../agents/agents.ts";
import { rootOfFile } from "../agents/find-sessions.ts";
import { isolate } from "../agents/isolate.ts";
import { readSession } from "../agents/read-session.ts";
import type { Problem } from "../errors.ts";
import type { Digest } from "../extract/digest.ts";
import { extractDigest } from "../extract/extract-digest.ts";
import { makeFolders } from "../fs/folders.ts";
import type { Library } from "../fs/library.ts";
import { replaceFile } from "../fs/replace-file.ts";
import { safeName } from "../fs/safe-name.ts";
import type { MarkdownMeta } from "../render/markdown/sections.ts";
import { encodeParts } from "../render/text-parts.ts";
import { shellQuote } from "../render/words.ts";
import { lastPart } from "../session/checkout.ts";
import type { LogKey, Session } from "../session/session.ts";
import { defaultTextLimits } from "../session/text-budget.ts";
import { archiveSource, sessionFilesOf } from "./archive-source.ts";
import type { ArchiveStore, KeptSession, ListedSession, PutOutcome } from "./archive-store.ts";
import { withBases } from "./archived-bases.ts";
import { markdownPath } from "./archived-sessions.ts";
import { hashOfName } from "./raw/generations.ts";
import { sourceFile } from "./raw/store-file.ts";

/** Writes the readable copy of a session. */
export interface MarkdownWriter {
  /** Changes whenever the text it writes changes: then all copies are rebuilt. */
  readonly version: string;
  /** In parts, in order: the copy of a long log is never held completely. */
  readonly render: (session: Session, digest: Digest, meta: MarkdownMeta) => Iterable<string>;
  /** Masks secrets: the copy is for people and programs. */
  readonly mask: <T>(value: T) => T;
}

interface KeepOptions {
  /** Without one, only the bytes are archived. */
  readonly markdown?: MarkdownWriter | undefined;
  readonly thorough?: boolean | undefined;
  /** Whether another session's readable copy has that name. */
  readonly isTaken?: (name: string) => boolean;
}

export interface Kept {
  readonly outcome: PutOutcome;
  /** Whether the readable copy was written. */
  readonly rendered: boolean;
  /** Undefined if the session was not read. */
  readonly project: string | null | undefined;
  readonly problems: readonly Problem[];
}

interface Parsed {
  readonly project: string | null;
  /** With secrets masked. */
  readonly session: Session;
  readonly digest: Digest;
}

/**
 * Archives one session: first its bytes; when these are durable, its readable copy, which is made from them. Requires
 * the store's lock.
 */
export function keepSession(
  library: Library,
  archive: ArchiveStore,
  files: LogFiles,
  options: KeepOptions,
): Kept {
  const problems: Problem[] = [];
  const { markdown: writer } = options;
  let parsed: Parsed | undefined;
  const parse = (kept: KeptSession): Parsed | undefined => {
    if (writer === undefined) return undefined;
    try {
      return parseKept(library, kept, writer);
    } catch (error) {
      // The bytes are archived even if the parser fails.
      problems.push({ path: kept.files[0]?.path ?? "", line: 0, what: `no readable copy: ${String(error)}` });
      return undefined;
    }
  };

  const toKeep = files.files.map((file) =>
    sourceFile(library.disk, file, rootOfFile(library, files.agent, file.path)),
  );
  const outcome = archive.put(files, toKeep, {
    thorough: options.thorough === true,
    nameMarkdown: (kept) => {
      parsed = parse(kept);
      return parsed === undefined
        ? null
        : markdownName(kept, parsed.digest, options.isTaken ?? (() => false));
    },
  });
  problems.push(...outcome.problems.map(({ path, what }) => ({ path, line: 0, what })));
  const { session } = outcome;
  if (session === undefined || writer === undefined || isRendered(library, session, writer)) {
    const project = parsed?.project ?? (session === undefined ? undefined : readRenderNote(session)?.project);
    return { outcome, rendered: false, project, problems };
  }
  const kept = archive.get(session);
  if (kept === undefined) return { outcome, rendered: false, project: undefined, problems };
  parsed ??= parse(kept);
  const rendered = parsed !== undefined && writeCopy(library, kept, parsed, writer, problems);
  const note: Note = { of: renderedState(session, writer), project: parsed?.project ?? null };
  if (rendered || !hasLog(kept)) archive.setNote(session, JSON.stringify(note));
  return { outcome, rendered, project: parsed?.project, problems };
}

/** The note about a session that shows whether it must be read again. */
interface Note {
  /** The bytes that the readable copy was rendered from, and the version of the renderer. */
  readonly of: string;
  readonly project: string | null;
}

export function readRenderNote({ note }: Pick<ListedSession, "note">): Note | undefined {
  if (note === null) return undefined;
  const value: unknown = JSON.parse(note);
  if (typeof value !== "object" || value === null || !("of" in value) || !("project" in value)) {
    return undefined;
  }
  const { of, project } = value;
  if (typeof of !== "string" || (typeof project !== "string" && project !== null)) return undefined;
  return { of, project };
}

/** Whether the readable copy exists and was rendered from the present bytes. */
export function isRendered(library: Library, session: ListedSession, writer: MarkdownWriter): boolean {
  if (readRenderNote(session)?.of !== renderedState(session, writer)) return false;
  const path = markdownPath(library, session);
  return path === null || library.disk.stat(path) !== undefined;
}

function renderedState(session: ListedSession, writer: MarkdownWriter): string {
  return `${session.state}/${writer.version}`;
}

function hasLog(kept: KeptSession): boolean {
  return kept.files.some(({ role }) => role === "main");
}

/** Fragments without a log contain nothing readable. */
function parseKept(library: Library, kept: KeptSession, { mask }: MarkdownWriter): Parsed | undefined {
  if (!hasLog(kept)) return undefined;
  const source = withBases(
    library,
    archiveSource(() => kept),
  );
  const read = readSession(source, sessionFilesOf(kept), { ...defaultTextLimits, countsActivity: false });
  // The digest of the masked session: a digest cuts texts, and half a secret would not be recognized.
  const session = mask(read);
  return { project: read.project, session, digest: extractDigest(session) };
}

/** Returns false if the writer fails on the session; its bytes are archived anyway. */
function writeCopy(
  library: Library,
  kept: KeptSession,
  parsed: Parsed,
  writer: MarkdownWriter,
  problems: Problem[],
): boolean {
  const write = (): true => {
    writeMarkdown(library, kept, parsed, writer);
    return true;
  };
  return isolate(problems, kept.files[0]?.path ?? "", "no readable copy", write) === true;
}

function writeMarkdown(library: Library, kept: KeptSession, parsed: Parsed, writer: MarkdownWriter): void {
  const path = markdownPath(library, kept);
  if (path === null) return;
  const { session, digest } = parsed;
  const lead = kept.files[0];
  const { command, folder } = agentNamed(kept.agent).resume({
    id: kept.id,
    project: session.project,
    source: lead?.path ?? null,
  });
  const parts = writer.render(session, digest, {
    sha256: lead?.sha256 ?? null,
    ...writer.mask({
      resume: `${folder === null ? "" : `cd ${shellQuote([folder])} && `}${shellQuote(command)}`,
      sources: kept.files.map((file) => file.path),
    }),
  });
  makeFolders(library.disk, dirname(path));
  replaceFile(library.disk, path, encodeParts(parts));
}

const MAX_TITLE_BYTES = 60;

/**
 * Chooses the name of a session's readable copy, relative to their folder: `<agent>/<project>/<start
 * date>_<title>_<hash>.md`. It never changes, because other programs link to it. Every part comes from logs, so it is
 * made safe.
 */
function markdownName(key: LogKey, digest: Digest, isTaken: (name: string) => boolean): string {
  const { agent, project, title, startedAt, endedAt } = digest;
  const day = dayOf(startedAt ?? endedAt);
  const folder = project === null ? "unknown" : safeName(lastPart(project));
  const words = safeName(title ?? "untitled", MAX_TITLE_BYTES);
  const nameWith = (digits: number): string =>
    `${agent}/${folder}/${day}_${words}_${hashOfName(key, digits)}.md`;
  const short = nameWith(8);
  return isTaken(short) ? nameWith(32) : short;
}

function dayOf(at: number | null): string {
  const date = new Date(at ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? "undated" : date.toISOString().slice(0, 10);
}
