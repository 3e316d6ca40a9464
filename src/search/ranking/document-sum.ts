import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { IndexDocument } from "../engine.ts";

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
 *
 * By units of UTF-16, so that texts with broken characters differ, too. SHA-256 takes 20 µs for a long turn; what was
 * calculated here instead took 60, and twice that in a process that has just started.
 */
export function documentSum(
  { turn, at, context, identity, copied, fields }: IndexDocument,
  seed: SumSeed = NO_SEED,
): number {
  const texts = [`${seed[0]} ${seed[1]} ${turn} ${at} ${context} ${copied === true} ${identity ?? ""}`];
  for (const name of Object.keys(fields).sort()) {
    const text = fields[name] ?? "";
    // Where one text ends and the next begins counts, too.
    if (text !== "") texts.push(name, String(text.length), text);
  }
  const digest = createHash("sha256")
    .update(utf16Of(texts.join("\0")))
    .digest();
  return digest.readUIntLE(0, 6) + (digest.readUInt8(6) & 0x1f) * 2 ** 48;
}

/** Kept for the next text: memory of its own for each took 3 to 6 µs of 20. */
let room: Buffer = Buffer.alloc(0);
const KEPT_BYTES: number = 1 << 18;

function utf16Of(text: string): Buffer {
  const length = text.length * 2;
  if (length > KEPT_BYTES) return Buffer.from(text, "utf16le");
  if (room.length === 0) room = Buffer.allocUnsafeSlow(KEPT_BYTES);
  room.write(text, 0, length, "utf16le");
  return room.subarray(0, length);
}
