import type { ResumeCommand } from "../agents/agent.ts";
import { extractDigest } from "../extract/extract-digest.ts";
import type { Library } from "../fs/library.ts";
import { cleanText } from "../redact/clean-text.ts";
import { maskDeep } from "../redact/mask-deep.ts";
import { htmlParts } from "../render/html/render-html.ts";
import { shellQuote } from "../render/json/shell-quote.ts";
import { jsonParts } from "../render/json-parts.ts";
import { markdownParts } from "../render/markdown/render-markdown.ts";
import { sessionDocument } from "../render/session-document.ts";
import type { Agent } from "../session/entry.ts";
import { type OpenSession, openSession } from "./open-session.ts";
import type { SelectOptions } from "./select-sessions.ts";

export const exportFormats = ["md", "html", "json"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Masks secrets at any depth; gives all back as it is where they are to be shown. */
export type Mask = <T>(value: T) => T;

export interface ExportedSession {
  readonly sessionId: string;
  readonly agent: Agent;
  readonly format: ExportFormat;
  /** One self-contained document, in parts, in order. Made while it is read: of a long log it is never there as a whole. */
  readonly parts: () => Iterable<string>;
}

export interface ExportOptions extends SelectOptions {
  readonly format: ExportFormat;
  readonly mask: Mask;
}

/** Makes one document of the session that a selector names. */
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

/** The document of a session that is open already, and not masked yet. */
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
  // Cleaned before it is masked: what is cleaned away later could have parted a secret in two. And the digest of
  // the masked one, because it cuts texts.
  const session = mask(maskDeep(open.session, cleanText));
  const digest = extractDigest(session);
  return () =>
    format === "md"
      ? markdownParts(session, digest, { sha256: null, resume, sources: [] })
      : htmlParts(session, digest, { resume });
}

function resumeLine({ command, folder }: ResumeCommand): string {
  return `${folder === null ? "" : `cd ${shellQuote([folder])} && `}${shellQuote(command)}`;
}
