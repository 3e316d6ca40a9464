import type { Digest } from "../../extract/digest.ts";
import { cleanLine } from "../../redact/clean-text.ts";
import type { Session } from "../../session/session.ts";
import { isoTime } from "../json/session-json.ts";
import { touchedFiles } from "../session-document.ts";

/** More would push the text out of sight; the section about files has them all. */
const MAX_LISTED = 50;

/**
 * What programs read of a session, as YAML. All keys are flat, so that notes programs show them as properties; what is
 * not known is left out. Texts are quoted as JSON quotes them, which YAML reads the same way: nothing in them can end
 * the value. Counts are numbers, so that they can be sorted.
 */
export function frontMatter(session: Session, digest: Digest, meta: MarkdownMeta): readonly string[] {
  const { lineage } = digest;
  const files = touchedFiles(digest).map(({ name }) => name);
  return [
    "---",
    ...text("id", digest.id),
    ...text("agent", digest.agent),
    ...text("title", digest.title),
    ...text("project", digest.project),
    ...text("branch", digest.branch),
    ...text("started", isoTime(digest.startedAt)),
    ...text("ended", isoTime(digest.endedAt)),
    ...text("model", digest.model),
    ...text("version", digest.version),
    ...text("parent", lineage?.session ?? null),
    ...text("parent_kind", lineage?.kind ?? null),
    ...text("continued_in", session.continuedIn),
    ...count("turns", digest.turns),
    ...count("messages", digest.messages),
    ...count("compactions", digest.compactions),
    ...count("subagents", digest.subagents.length),
    ...list("tools", Object.keys(digest.tools)),
    ...list("files", files),
    ...list("labels", [...session.tags, ...session.labels.map((label) => label.text)]),
    ...list("sources", meta.sources),
    ...text("sha256", meta.sha256),
    ...text("resume", meta.resume),
    "---",
  ];
}

/**
 * What begins a tag, an image or a link is escaped: YAML reads the same value, and a program that takes the front matter
 * for text has nothing to run or to load.
 */
function quote(value: string): string {
  return JSON.stringify(cleanLine(value)).replace(/[<>]|(?<=!)\[|\](?=[([])/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function text(key: string, value: string | null): readonly string[] {
  return value === null || value === "" ? [] : [`${key}: ${quote(value)}`];
}

function count(key: string, value: number): readonly string[] {
  return [`${key}: ${value}`];
}

function list(key: string, values: readonly string[]): readonly string[] {
  if (values.length === 0) return [];
  return [`${key}:`, ...values.slice(0, MAX_LISTED).map((value) => `  - ${quote(value)}`)];
}

/** What a session's markdown tells besides the session itself. */
export interface MarkdownMeta {
  /** Of the raw bytes as the archive keeps them; null where there is no archive of them. */
  readonly sha256: string | null;
  /** The agent's own command that goes on with the session, with its folder: what a person would type. */
  readonly resume: string;
  /** Paths of the log's files, the leading one first; empty where they are not to be told. */
  readonly sources: readonly string[];
}
