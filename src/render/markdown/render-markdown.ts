import type { Digest } from "../../extract/digest.ts";
import { cutLine } from "../../extract/session-messages.ts";
import { cleanLine } from "../../redact/clean-text.ts";
import type { Session } from "../../session/session.ts";
import { isoTime } from "../json/session-json.ts";
import { touchedFiles } from "../words.ts";
import { type Block, inline, item } from "./blocks.ts";
import { conversationOf, subagentsOf } from "./conversation.ts";
import {
  commandsOf,
  compactionsOf,
  decisionsOf,
  factsOf,
  filesOf,
  type MarkdownMeta,
  pendingOf,
  requestsOf,
  summaryOf,
} from "./sections.ts";

/**
 * Renders a session as one markdown file, for people, `grep` and notes programs. The same session always makes the same
 * bytes: all times are UTC. Nothing in a transcript can change the document around it. Secrets are not masked here: the
 * caller masks the session first (`maskDeep`) and passes the digest of the masked session, because a digest cuts texts and
 * half a secret would not be recognized.
 */
export function renderMarkdown(session: Session, digest: Digest, meta: MarkdownMeta): string {
  return [...markdownParts(session, digest, meta)].join("");
}

/** Renders the same file in parts, in order. */
export function* markdownParts(session: Session, digest: Digest, meta: MarkdownMeta): Generator<string> {
  yield frontMatter(session, digest, meta).join("\n");
  for (const block of blocksOf(session, digest, meta)) yield `\n\n${block}`;
  yield "\n";
}

function* blocksOf(session: Session, digest: Digest, meta: MarkdownMeta): Generator<Block> {
  yield `# ${inline(digest.title ?? "") || `Session ${inline(digest.id)}`}`;
  yield factsOf(digest, meta);
  yield* summaryOf(session, digest);
  yield* requestsOf(session);
  yield* decisionsOf(digest);
  yield* filesOf(digest);
  yield* commandsOf(digest);
  yield* pendingOf(digest);
  yield* compactionsOf(session);
  yield* conversationOf(session);
  yield* subagentsOf(session);
}

/** A longer list would push the text out of sight; the section about files has all of them. */
const MAX_LISTED = 50;

/**
 * Writes the facts of a session as YAML, for programs. All keys are flat, so that notes programs show them as properties;
 * unknown ones are left out. Texts are quoted as in JSON, which YAML reads the same way, so nothing in them can end the
 * value. Counts are numbers, so that they can be sorted.
 */
function frontMatter(session: Session, digest: Digest, meta: MarkdownMeta): readonly string[] {
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
 * Escapes the start of a tag, an image or a link: YAML reads the same value, and a program that treats the front
 * matter as text finds nothing to run or to load.
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

const MAX_REQUESTS = 12;
const MAX_DECISIONS = 12;
const MAX_FILES = 24;
const MAX_COMMANDS = 12;
const REQUEST_CHARS = 400;

/** Renders a session on a page or two, for people: the readable copy without the conversation. */
export function markdownSummary(session: Session, digest: Digest, resume: string): string {
  const most: Digest = {
    ...digest,
    decisions: digest.decisions.slice(-MAX_DECISIONS),
    files: digest.files
      .filter(({ reads, writes }) => reads + writes > 0)
      .toSorted((a, b) => b.writes - a.writes || b.reads - a.reads)
      .slice(0, MAX_FILES),
    commands: digest.commands.slice(-MAX_COMMANDS),
  };
  const blocks: readonly Block[] = [
    `# ${inline(digest.title ?? "") || `Session ${inline(digest.id)}`}`,
    factsOf(digest, { sha256: null, resume, sources: [] }),
    ...summaryOf(session, digest),
    ...mainRequests(session),
    ...decisionsOf(most),
    ...filesOf(most),
    ...commandsOf(most),
    ...pendingOf(most),
  ];
  return `${blocks.join("\n\n")}\n`;
}

/** Lists the first request, which says what the session is about, and the last ones. */
function mainRequests({ turns }: Session): readonly Block[] {
  const [first, ...more] = turns.filter(
    ({ request, context }) => request.trim() !== "" && context !== "branch",
  );
  if (first === undefined) return [];
  const last = more.slice(1 - MAX_REQUESTS);
  const rows = [first, ...last].map(
    ({ number, request }) => `${item(cutLine(request, REQUEST_CHARS))} (turn ${number})`,
  );
  if (last.length < more.length) rows.splice(1, 0, `- … ${more.length - last.length} more …`);
  return ["## Requests", rows.join("\n")];
}
