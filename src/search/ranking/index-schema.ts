import type { Context } from "../../session/session.ts";

/** The configuration of an index. An index of another version or with other fields is rebuilt. */
export interface IndexSchema {
  readonly fields: FieldTable;
  readonly analysisVersion: string;
  readonly createAnalyzer: CreateAnalyzer;
}

/** Creates a function that passes each term of a text to the sink, with its frequency. No term is empty. */
export type CreateAnalyzer = (sink: TermSink) => (text: string) => void;

/** Counts the terms of texts by ids, so that an analyzer looks up the terms of a common word once. */
export interface TermSink {
  /** A weak term counts once in a text, however often it is added. */
  idOf(term: string, isWeak: boolean): number;
  /** Adds a term that occurs this many times in a text; several tokens of a text may have the same term. */
  add(id: number, times: number): void;
}

/** A session has one card and any number of turns. Each kind is a corpus with its own statistics. */
export type DocumentKind = "card" | "turn";

export interface IndexField {
  readonly kind: DocumentKind;
  readonly name: string;
  /** Weight at query time. */
  readonly boost: number;
  /**
   * Whether the text is kept for snippets and phrases. The card need not keep texts that the turns keep. "apart": in
   * separate blocks, for long texts that are rarely shown, so that reading the other fields does not read them.
   */
  readonly stored: boolean | "apart";
}

/** Fields are known by their index in the table, which takes five bits in postings. */
export const MAX_FIELDS = 32;

export type FieldTable = readonly IndexField[];

/** Returns a bit mask of the fields with one of these names, of both kinds; without names, of all fields. */
export function fieldBits(fields: FieldTable, names?: readonly string[]): number {
  let bits = 0;
  fields.forEach((field, place) => {
    if (names === undefined || names.includes(field.name)) bits |= 1 << place;
  });
  return bits;
}

/** The table as text: an index with another description cannot be used. */
export function describeFields(fields: FieldTable): string {
  return fields.map((field) => `${field.kind}.${field.name} ${field.stored}`).join(", ");
}

const contexts: readonly Context[] = ["current", "compacted", "branch", "subagent"];
const CONTEXT_BITS = 3;
const COPIED = 4;

/** Encodes a turn's context, and whether it was copied from another session, in one small number. */
export function encodeFlags(context: Context, copied: boolean): number {
  return contexts.indexOf(context) | (copied ? COPIED : 0);
}

export function contextOf(flags: number): Context {
  return contexts[flags & CONTEXT_BITS] ?? "current";
}

export function isCopied(flags: number): boolean {
  return (flags & COPIED) !== 0;
}

/** Hashes a turn's identity to 53 bits. Among a million turns, one index in ten thousand has a collision. */
export function hashIdentity(identity: string): number {
  let low = 0x9e3779b9;
  let high = 0x85ebca6b;
  for (let i = 0; i < identity.length; i++) {
    const unit = identity.charCodeAt(i);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x5bd1e995);
    high ^= high >>> 15;
  }
  low = Math.imul(low ^ (low >>> 16), 0x45d9f3b);
  high = Math.imul(high ^ (high >>> 13), 0x27d4eb2d);
  // 0 means "no identity".
  return ((high ^ (high >>> 16)) & 0x1fffff) * 0x1_0000_0000 + ((low ^ (low >>> 15)) >>> 0) || 1;
}
