import { Buffer } from "node:buffer";
import { ArchiveDamage } from "../../fs/archive-damage.ts";
import { hashOf } from "./chunk.ts";

const LF = 0x0a;

/**
 * JSON on one line and its hash on the next: a flipped bit in a path or a number is still JSON, and
 * would be believed.
 */
export function sealJson(value: unknown): Buffer {
  const body = Buffer.from(`${JSON.stringify(value)}\n`);
  return Buffer.concat([body, Buffer.from(`${JSON.stringify({ sha256: hashOf(body) })}\n`)]);
}

/** Throws `ArchiveDamage` where it is not what was sealed. */
export function unsealJson(bytes: Buffer): unknown {
  const end = bytes.indexOf(LF) + 1;
  const body = bytes.subarray(0, end);
  if (end === 0 || bytes.toString("latin1", end) !== `${JSON.stringify({ sha256: hashOf(body) })}\n`) {
    throw new ArchiveDamage("its record does not have the hash that it should have");
  }
  return JSON.parse(body.toString("utf8"));
}
