import type { RawLine } from "../jsonl/raw-lines.ts";

/** A copy of a session that is to become a session of its own. */
export interface ForkRequest {
  /** The session that is copied, and its log. */
  readonly id: string;
  readonly path: string;
  readonly title: string | null;
  readonly uuid: () => string;
  readonly now: number;
}

export interface Fork {
  readonly id: string;
  /** Where its agent will find it. */
  readonly path: string;
  /** The log of the copy, made of the lines of the original. `lines` may be asked twice. */
  content(lines: () => Iterable<RawLine>): Iterable<Uint8Array>;
}

/** How an agent makes a session of its own out of a copy. */
export type Forker = (request: ForkRequest) => Fork;
