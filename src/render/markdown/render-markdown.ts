import type { Digest } from "../../extract/digest.ts";
import type { Session } from "../../session/session.ts";
import { type Block, inline } from "./blocks.ts";
import { conversationOf, subagentsOf } from "./conversation.ts";
import { frontMatter } from "./front-matter.ts";
import type { MarkdownMeta } from "./markdown-meta.ts";
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

export type { MarkdownMeta } from "./markdown-meta.ts";

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
