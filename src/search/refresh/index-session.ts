import type { SessionFiles } from "../../agents/agent.ts";
import { extractDigest } from "../../extract/extract-digest.ts";
import { sessionKey } from "../../fs/library.ts";
import { maskDeep } from "../../redact/mask-deep.ts";
import type { Session } from "../../session/session.ts";
import { withShrunkAway } from "../../session/shrunk-away.ts";
import type { IndexDocument, IndexedSession } from "../engine.ts";
import { documentSum, type SumSeed, textLength } from "../ranking/document-sum.ts";
import { sessionDocuments, turnsDocuments } from "../session-documents.ts";
import { type Origin, type SessionRow, sessionRow } from "./session-row.ts";

export interface IndexOptions {
  readonly origin: Origin;
  readonly mark: string;
  /** Does it share its first turn with a session that ended before it? Then it is a fork. */
  readonly isCopy: (row: SessionRow) => boolean;
  readonly mask: (text: string) => string;
  /** What its log was before it was made smaller, the oldest state first. */
  readonly earlier?: readonly Session[];
  /** Known only to who has the log; absent: what is masked already tells documents apart. */
  readonly seed?: SumSeed | undefined;
}

/** Makes of a session what the index keeps of it. Secrets are masked before anything is kept. */
export function indexSession(log: Session, files: SessionFiles, options: IndexOptions): IndexedSession {
  const { earlier = [] } = options;
  const { session, lost } = earlier.length === 0 ? { session: log, lost: [] } : withShrunkAway(log, earlier);
  const digest = maskDeep(extractDigest(session), options.mask);
  const plain = sessionRow(digest, session.problems, files, options.origin, options.mark);
  const maskedLead = plain.lead === null ? null : options.mask(plain.lead);
  const row = maskedLead === null || maskedLead === plain.lead ? plain : { ...plain, maskedLead };
  const isCopy = options.isCopy(row);
  const all = [...sessionDocuments(session, digest, isCopy), ...turnsDocuments(session, lost, isCopy)];
  const documents = all.map((document) => masked(document, options));
  return { key: sessionKey(session), row: JSON.stringify(row), digest: JSON.stringify(digest), documents };
}

/**
 * Masking takes as long as all else that is done to a document. With a seed, one that the index has already is
 * told by its plain texts, and then never masked.
 */
function masked(document: IndexDocument, { mask, seed }: IndexOptions): IndexDocument {
  const { fields: plain, ...rest } = document;
  // The card has one document of its kind, which is never the same for long.
  if (seed === undefined || rest.turn === 0) return { ...rest, fields: maskDeep(plain, mask) };
  let fields: IndexDocument["fields"] | undefined;
  return {
    ...rest,
    sum: documentSum(document, seed),
    chars: textLength(document),
    get fields() {
      fields ??= maskDeep(plain, mask);
      return fields;
    },
  };
}
