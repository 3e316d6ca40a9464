import type { IndexDocument } from "./search-engine.ts";

/** How long the texts of a document are. */
export function textLength({ fields }: IndexDocument): number {
  let length = 0;
  for (const name in fields) length += fields[name]?.length ?? 0;
  return length;
}

/** A sum of one text. */
export function textSum(text: string): number {
  return documentSum({ turn: 0, at: null, context: "current", fields: { text } });
}

/** What a sum begins with: who does not know it can't try out which texts give a sum. */
export type SumSeed = readonly [number, number];

const NO_SEED: SumSeed = [0x2545f491, 0x9e3779b9];

/**
 * A number of 53 bits that tells whether a turn that is put again is the one that the index has. Two of
 * a million different turns are taken for the same with a chance of 1 in 18,000, and only turns at the same place
 * of one session are ever compared: of those, with 1 in 9,000,000,000,000,000.
 */
export function documentSum(
  { turn, at, context, identity, copied, fields }: IndexDocument,
  seed: SumSeed = NO_SEED,
): number {
  let [low, high] = seed;
  const take = (text: string): void => {
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      low = Math.imul(low ^ unit, 0x01000193);
      high = Math.imul((high << 5) ^ (high >>> 27) ^ unit, 0x85ebca6b);
    }
    // Where one text ends and the next begins counts, too.
    low = Math.imul(low ^ text.length ^ 0x10000, 0xc2b2ae35);
    low ^= low >>> 15;
    high = Math.imul(high ^ (high >>> 13) ^ text.length, 0x27d4eb2f);
  };
  take(`${turn} ${at} ${context} ${copied === true} ${identity ?? ""}`);
  for (const name of Object.keys(fields).sort()) {
    const text = fields[name] ?? "";
    if (text === "") continue;
    take(name);
    take(text);
  }
  low ^= low >>> 16;
  high ^= high >>> 14;
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}
