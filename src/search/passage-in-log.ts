import { Buffer } from "node:buffer";
import type { SessionFiles } from "../agents/agent.ts";
import type { ByteSource } from "../agents/byte-source.ts";
import { findSessions } from "../agents/find-sessions.ts";
import type { Library } from "../fs/library.ts";
import { createRedactor, maskFindings } from "../redact/redact.ts";
import { sessionKey } from "../session/session.ts";
import type { TextRole } from "../session/text-role.ts";
import type { ByteFilter } from "./grep/byte-filter.ts";
import { createFindInData } from "./grep/data-secrets.ts";
import { type PlacedText, textsOfFile } from "./grep/file-texts.ts";
import { createLayers } from "./grep/session-layers.ts";
import type { SessionRow } from "./refresh/session-row.ts";
import type { SnippetRole } from "./search-snippets.ts";
import { nearTerms } from "./snippets/find-matches.ts";
import { findPassage, type Snippet, type SnippetOptions } from "./snippets/make-snippet.ts";

export interface LogPassage extends Snippet {
  readonly role: SnippetRole;
}

/** Texts whose words are indexed, and what a snippet calls them. */
const ROLES: Partial<Record<TextRole, SnippetRole>> = {
  output: "output",
  result: "output",
  input: "command",
  request: "request",
  reply: "reply",
  summary: "summary",
};

/** Limits on the sessions, and on the part of each, that are read for one answer; later passages are not shown. */
const MAX_SESSIONS = 3;
const MAX_BYTES: number = 24 * 1024 * 1024;

/** Finds passages in logs, for words of texts that the index does not store. Secrets are masked. */
export type FindInLog = (
  row: SessionRow,
  terms: ReadonlySet<string>,
  options: SnippetOptions,
) => LogPassage | undefined;

export function createLogReader(library: Library): FindInLog {
  const redactor = createRedactor({ extra: library.config.redact });
  const findInData = createFindInData(redactor);
  const mask = ({ text, within }: PlacedText): string =>
    redactor.redact(maskFindings(text, findInData(text, within) ?? []));
  const layersOf = createLayers(library);
  let left = MAX_BYTES;
  let sessions = 0;

  const findIn = (
    source: ByteSource,
    { agent, files }: SessionFiles,
    terms: ReadonlySet<string>,
    options: SnippetOptions,
  ): LogPassage | undefined => {
    const filter = lineFilter(terms);
    for (const file of files) {
      if (file.size > left) continue;
      left -= file.size;
      try {
        for (const { texts } of textsOfFile(source, agent, file, filter)) {
          const found = firstPassage(texts, terms, mask, options);
          if (found !== undefined) return found;
        }
      } catch {
        // A log that cannot be read has no passage; `doctor` reports it.
      }
    }
    return undefined;
  };

  /** The log itself first, and only if that does not have it the other files, whose names have to be looked up. */
  return (row, terms, options) => {
    if (row.origin === "history" || ++sessions > MAX_SESSIONS) return undefined;
    const origin = row.origin === "archive" ? "archive" : "log";
    const lead = leadOf(library, row);
    const layers = layersOf({ files: lead, origin, generations: "older" });
    for (const { source, files } of layers) {
      const found = findIn(source, files, terms, options);
      if (found !== undefined) return found;
    }
    const [first] = layers;
    if (origin === "archive" || first === undefined || row.files < 2) return undefined;
    const projects = row.project === null ? [] : [row.project];
    const all = findSessions(library, projects).sessions.find((each) => sessionKey(each) === sessionKey(row));
    const others = all?.files.filter(({ path }) => path !== row.lead) ?? [];
    return findIn(first.source, { ...first.files, files: others }, terms, options);
  };
}

/** The part of a session that its row names: its log. */
function leadOf({ disk }: Library, { agent, id, lead }: SessionRow): SessionFiles {
  const stat = lead === null ? undefined : disk.stat(lead);
  if (lead === null || stat === undefined) return { agent, id, files: [] };
  const { size, mtimeMs, inode } = stat;
  return { agent, id, files: [{ path: lead, role: "main", size, mtimeMs, inode }] };
}

/** Rules out lines that have none of the terms; undefined if terms may start with other letters than their words. */
function lineFilter(terms: ReadonlySet<string>): ByteFilter | undefined {
  const pattern = nearTerms(terms);
  if (pattern === undefined) return undefined;
  const mayMatch = (bytes: Uint8Array): boolean => {
    pattern.lastIndex = 0;
    return pattern.test(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1"));
  };
  return { mayMatch, mayMatchIn: () => true };
}

function firstPassage(
  texts: readonly PlacedText[],
  terms: ReadonlySet<string>,
  mask: (text: PlacedText) => string,
  options: SnippetOptions,
): LogPassage | undefined {
  for (const text of texts) {
    const role = ROLES[text.role];
    // Most texts of a line do not have the word, and masking takes longer than checking.
    if (role === undefined || findPassage(text.text, terms, options) === undefined) continue;
    const passage = findPassage(mask(text), terms, options);
    if (passage !== undefined) return { ...passage.show(), role };
  }
  return undefined;
}
