import type { ResumeCommand } from "../agents/agent.ts";
import { extractDigest } from "../extract/extract-digest.ts";
import type { Library } from "../fs/library.ts";
import { maskAndClean } from "../redact/mask.ts";
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
  /**
   * One self-contained document, in parts, made on demand: the document of a long log is never in memory as a whole.
   */
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

/** Makes the document of an open session, and masks it. `list` is the page of a site that lists all sessions. */
export function documentOf(
  open: OpenSession,
  format: ExportFormat,
  mask: Mask,
  list?: string,
): () => Iterable<string> {
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
      : htmlParts(session, digest, { resume, images: open.images(session.turns), list });
}

/** Masks and cleans a session. The digest is made of the masked session, because it cuts texts. */
export function cleanSession(open: OpenSession, mask: Mask): OpenSession {
  const { digest: _, session: read, ...where } = open;
  const session = maskAndClean(read, mask);
  return { ...maskAndClean(where, mask), session, digest: extractDigest(session) };
}

function resumeLine({ command, folder }: ResumeCommand): string {
  return `${folder === null ? "" : `cd ${shellQuote([folder])} && `}${shellQuote(command)}`;
}
