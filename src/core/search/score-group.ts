import { bm25 } from "./bm25.ts";
import type { DocumentSet } from "./document-set.ts";
import type { FieldLengths } from "./index-view.ts";
import { checkEnd, type PostingsGroup } from "./postings.ts";

/** What a group's documents get. */
export interface GroupScoring {
  readonly set: DocumentSet;
  /** Number of the part's first document of this kind. */
  readonly base: number;
  readonly documents: number;
  readonly lengths: FieldLengths;
  readonly averageLength: number;
  readonly weight: number;
  /** Set in each document. */
  readonly bit: number;
  readonly clauseBit: number;
}

/** Below this share of the documents, lengths are looked up one by one. */
const SPARSE = 64;

/**
 * Decodes a group and scores its documents in one go. The innermost loop of a search: for a word
 * that stands in nearly every document it runs a hundred thousand times, in a process that has just
 * started and has compiled nothing yet. Four loops one after the other (decode, look up lengths,
 * renumber, score) took three times as long there.
 */
export function scoreGroup(
  bytes: Uint8Array,
  group: PostingsGroup,
  gone: Uint8Array | undefined,
  scoring: GroupScoring,
): void {
  const { set, base, documents, lengths, weight } = scoring;
  const { has, docs, scores, bits, words } = set;
  const { k, b, d } = bm25;
  const flat = k * (1 - b);
  const slope = (k * b) / scoring.averageLength;
  const wordA = scoring.bit >>> 5;
  const maskA = 1 << (scoring.bit & 31);
  const wordB = scoring.clauseBit >>> 5;
  const maskB = 1 << (scoring.clauseBit & 31);
  const known = group.count * SPARSE < documents ? undefined : lengths.all();
  let count = set.count;
  let position = group.start;
  let own = -1;
  for (let i = 0; i < group.count; i++) {
    let step = bytes[position++] ?? 0;
    if (step >= 0x80) {
      step &= 0x7f;
      for (let scale = 128; ; scale *= 128) {
        const byte = bytes[position++] ?? 0;
        step += (byte & 0x7f) * scale;
        if (byte < 0x80) break;
      }
    }
    const several = step % 2;
    own += (step - several) / 2 + 1;
    let freq = 1;
    if (several === 1) {
      freq = 2;
      for (let scale = 1; ; scale *= 128) {
        const byte = bytes[position++] ?? 0;
        freq += (byte & 0x7f) * scale;
        if (byte < 0x80) break;
      }
    }
    if (gone !== undefined && gone[own] === 1) continue;
    const length = known === undefined ? lengths.at(own) : (known[own] ?? 0);
    const score = weight * (d + (freq * (k + 1)) / (freq + flat + slope * length));
    const doc = base + own;
    if (has[doc] === 0) {
      has[doc] = 1;
      docs[count++] = doc;
      scores[doc] = score;
    } else {
      scores[doc] = (scores[doc] ?? 0) + score;
    }
    const at = doc * words;
    bits[at + wordA] = (bits[at + wordA] ?? 0) | maskA;
    bits[at + wordB] = (bits[at + wordB] ?? 0) | maskB;
  }
  set.count = count;
  checkEnd(group, position, own, documents);
}

/** How many documents of a group are there. */
export function countLiving(bytes: Uint8Array, group: PostingsGroup, gone: Uint8Array | undefined): number {
  if (gone === undefined) return group.count;
  let count = 0;
  let position = group.start;
  let doc = -1;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[position++] ?? 0;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  for (let i = 0; i < group.count; i++) {
    const step = varint();
    doc += Math.floor(step / 2) + 1;
    if (step % 2 === 1) varint();
    if (gone[doc] !== 1) count++;
  }
  return count;
}
