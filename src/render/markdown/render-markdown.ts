import type { Digest } from "../../extract/digest.ts";
import { shorten } from "../../extract/pending.ts";
import { cleanLine } from "../../redact/clean-text.ts";
import type { Session } from "../../session/session.ts";
import { type Block, inline } from "./blocks.ts";
import { conversationOf, subagentsOf } from "./conversation.ts";
import { frontMatter, type MarkdownMeta } from "./front-matter.ts";
import {
  commandsOf,
  compactionsOf,
  decisionsOf,
  factsOf,
  filesOf,
  pendingOf,
  requestsOf,
  summaryOf,
} from "./sections.ts";

export type { MarkdownMeta } from "./front-matter.ts";

/**
 * A session as one markdown file, for people, `grep` and notes programs. The same session gives the same bytes: all
 * times are UTC. Nothing in a transcript can change the document around it. Secrets are not looked for here: whoever
 * calls this masks the session first (`maskDeep`), and takes the digest of the masked one, because the digest cuts
 * texts and half a secret is not recognised any more.
 */
export function renderMarkdown(session: Session, digest: Digest, meta: MarkdownMeta): string {
  return [...markdownParts(session, digest, meta)].join("");
}

/** The same in parts, in order, for files that are written as they are made. */
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

const EXCERPT_CHARS = 60;

/** The heading of a turn: its number, so that it can be named, and how its request begins, so that outlines tell. */
export function turnTitle({
  number,
  request,
}: {
  readonly number: number;
  readonly request: string;
}): string {
  const line = cleanLine(request.slice(0, 8 * EXCERPT_CHARS));
  // Between words where there is such a place; what a cut leaves of a surrogate pair is cleaned behind it.
  const excerpt = cleanLine(shorten(line, EXCERPT_CHARS)).replace(/(?<=.{40}) \S*\u2026$/u, "…");
  return excerpt === "" ? `Turn ${number}` : `Turn ${number}: ${excerpt}`;
}

/** The anchor that hosts make of a heading: lower case, no punctuation, dashes for spaces. */
export function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
    .replaceAll(" ", "-");
}
