import { Buffer } from "node:buffer";
import { dirname, resolve } from "node:path";
import type { ResumeCommand } from "../agents/agent.ts";
import { agents } from "../agents/agents.ts";
import { exitCodes, UserError } from "../errors.ts";
import { extractDigest } from "../extract/extract-digest.ts";
import type { FileStat } from "../fs/disk.ts";
import type { Library } from "../fs/library.ts";
import { expandHome, insideOf } from "../fs/places.ts";
import { replaceFile } from "../fs/replace-file.ts";
import { peekOn } from "../fs/sources.ts";
import { sweepTempFiles } from "../fs/sweep-temp-files.ts";
import { cleanText } from "../redact/clean-text.ts";
import { maskDeep } from "../redact/mask.ts";
import type { ExportFormat } from "../render/export-formats.ts";
import { htmlParts } from "../render/html/render-html.ts";
import { sessionDocument } from "../render/json/session-document.ts";
import { markdownParts } from "../render/markdown/render-markdown.ts";
import { jsonParts } from "../render/text-parts.ts";
import { shellQuote } from "../render/words.ts";
import type { AgentName } from "../session/entry.ts";
import { type OpenSession, openSession } from "./open-session.ts";
import type { SelectOptions } from "./select-sessions.ts";

/** Masks secrets at any depth, or returns the value unchanged if secrets are to be shown. */
export type Mask = <T>(value: T) => T;

interface ExportedSession {
  readonly sessionId: string;
  readonly agent: AgentName;
  readonly format: ExportFormat;
  /** One self-contained document, in parts, made on demand: that of a long log is never in memory as a whole. */
  readonly parts: () => Iterable<string>;
}

interface ExportOptions extends SelectOptions {
  readonly format: ExportFormat;
  readonly mask: Mask;
}

/** Exports the session that a selector names as one document. */
export function exportSession(
  library: Library,
  words: readonly string[],
  options: ExportOptions,
): ExportedSession {
  const open = openSession(library, words, options);
  const { id: sessionId, agent } = open.session;
  const { format } = options;
  return { sessionId, agent, format, parts: documentOf(open, format, options.mask) };
}

/** Makes the document of an open session, and masks it. */
export function documentOf(open: OpenSession, format: ExportFormat, mask: Mask): () => Iterable<string> {
  const resume = resumeLine(mask(open.resume));
  if (format === "json") {
    const session = mask(open.session);
    const where = {
      ...open,
      ...mask({ source: open.source, archive: open.archive }),
      digest: extractDigest(session),
    };
    return function* () {
      yield* jsonParts(sessionDocument(where, session, resume));
      yield "\n";
    };
  }
  const { session, digest } = cleanSession(open, mask);
  return () =>
    format === "md"
      ? markdownParts(session, digest, { sha256: null, resume, sources: [] })
      : htmlParts(session, digest, { resume, images: open.images(session.turns) });
}

/**
 * Cleans a session before it is masked, because control characters could split a secret. The digest is made of the masked
 * session, because it cuts texts.
 */
export function cleanSession(open: OpenSession, mask: Mask): OpenSession {
  const { digest: _, session: read, ...where } = open;
  const session = mask(maskDeep(read, cleanText));
  return { ...mask(maskDeep(where, cleanText)), session, digest: extractDigest(session) };
}

function resumeLine({ command, folder }: ResumeCommand): string {
  return `${folder === null ? "" : `cd ${shellQuote([folder])} && `}${shellQuote(command)}`;
}

/** A document in parts, the same on every call. */
export type DocumentParts = () => Iterable<string | Uint8Array>;

interface WrittenDocument {
  readonly path: string;
  readonly bytes: number;
  /** `same`: the file had these bytes already and was left alone. */
  readonly outcome: "new" | "replaced" | "same";
}

/**
 * Writes a document to the file of `-o FILE`. Replaces a file only if forced; never replaces a log of an agent nor writes
 * into this program's store.
 */
export function writeDocument(
  library: Library,
  file: string,
  document: DocumentParts,
  options: { readonly force: boolean },
): WrittenDocument {
  const { disk, surroundings, places } = library;
  const path = resolve(surroundings.folder, expandHome(file, surroundings.home));
  let bytes = 0;
  const content = function* (): Generator<Uint8Array, void, void> {
    bytes = 0;
    for (const part of document()) {
      const chunk = typeof part === "string" ? Buffer.from(part) : part;
      bytes += chunk.length;
      yield chunk;
    }
  };
  if (insideOf(places.home, path)) throw refusal(path, "it is in the store of this program");
  checkFolder(library, path);
  // Nothing else would find what a killed run left here.
  sweepTempFiles(disk, dirname(path), { now: library.now() });

  const present = disk.stat(path);
  if (present === undefined) {
    if (replaceFile(disk, path, content(), { exclusive: true }).kind === "done")
      return { path, bytes, outcome: "new" };
    throw existsAlready(path);
  }
  if (hasBytes(library, path, present, content())) return { path, bytes, outcome: "same" };
  if (present.kind === "file" && isLog(library, path)) throw refusal(path, "it is a log of an agent");
  if (!options.force) throw existsAlready(path);
  const replaced = replaceFile(disk, path, content(), { mode: "keep", expect: present });
  if (replaced.kind !== "done") throw refusal(path, "it has changed meanwhile");
  return { path, bytes, outcome: "replaced" };
}

function checkFolder({ disk }: Library, path: string): void {
  if (disk.stat(path)?.kind === "folder") throw wrongUsage(path, "it is a folder", "name a file in it");
  const folder = dirname(path);
  if (disk.stat(folder)?.kind !== "folder")
    throw wrongUsage(path, `there is no folder ${JSON.stringify(folder)}`, "make the folder first");
}

function hasBytes(
  { disk }: Library,
  path: string,
  present: FileStat,
  content: Iterable<Uint8Array>,
): boolean {
  if (present.kind !== "file") return false;
  let at = 0;
  for (const part of content) {
    const to = at + part.length;
    if (to > present.size) return false;
    const there = Buffer.concat(
      Array.from(disk.readChunks(path, { from: at, to }), (chunk) => Buffer.from(chunk)),
    );
    if (!there.equals(part)) return false;
    at = to;
  }
  return at === present.size;
}

function isLog({ disk }: Library, path: string): boolean {
  const head = peekOn(disk)(path);
  return agents.some((format) => format.owns(head));
}

function existsAlready(path: string): UserError {
  return refusal(path, "it exists already", "--force replaces it");
}

function refusal(path: string, why: string, hint = "choose another file"): UserError {
  return new UserError(`Cannot write ${JSON.stringify(path)}: ${why}`, { exitCode: exitCodes.refused, hint });
}

function wrongUsage(path: string, why: string, hint: string): UserError {
  return new UserError(`Cannot write ${JSON.stringify(path)}: ${why}`, {
    exitCode: exitCodes.wrongUsage,
    hint,
  });
}
