import { Buffer } from "node:buffer";
import { ArchiveDamage } from "../../fs/damage.ts";
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

/** Parses sealed JSON. Throws `ArchiveDamage` if the hash does not match. */
export function unsealJson(bytes: Buffer): unknown {
  const end = bytes.indexOf(LF) + 1;
  const body = bytes.subarray(0, end);
  if (end === 0 || bytes.toString("latin1", end) !== `${JSON.stringify({ sha256: hashOf(body) })}\n`) {
    throw new ArchiveDamage("its record does not have the hash that it should have");
  }
  return JSON.parse(body.toString("utf8"));
}

/** Reads fields of a record; each throws `ArchiveDamage` if the field has the wrong type. */
export interface FieldReader {
  has(key: string): boolean;
  text(key: string): string;
  textOrNull(key: string): string | null;
  /** A whole number from 0. */
  count(key: string): number;
  /** Any number, such as times before 1970 and inodes past 2^53. */
  number(key: string): number;
  numberOrNull(key: string): number | null;
  hash(key: string): string;
  list(key: string): readonly unknown[];
  flag(key: string): boolean;
  record(key: string): object;
}

export function readFields(value: unknown): FieldReader {
  if (typeof value !== "object" || value === null) return invalidRecord("record");
  const at = (key: string): unknown => Object.getOwnPropertyDescriptor(value, key)?.value;
  const text = (key: string): string => {
    const found = at(key);
    return typeof found === "string" ? found : invalidRecord(key);
  };
  const number = (key: string): number => {
    const found = at(key);
    return typeof found === "number" ? found : invalidRecord(key);
  };
  return {
    has: (key) => at(key) !== undefined,
    text,
    textOrNull: (key) => (at(key) === null ? null : text(key)),
    count: (key) => {
      const found = number(key);
      return Number.isSafeInteger(found) && found >= 0 ? found : invalidRecord(key);
    },
    number,
    numberOrNull: (key) => (at(key) === null ? null : number(key)),
    hash: (key) => {
      const found = text(key);
      return /^[0-9a-f]{64}$/.test(found) ? found : invalidRecord(key);
    },
    list: (key) => {
      const found = at(key);
      return Array.isArray(found) ? found : invalidRecord(key);
    },
    flag: (key) => {
      const found = at(key);
      return typeof found === "boolean" ? found : invalidRecord(key);
    },
    record: (key) => {
      const found = at(key);
      return typeof found === "object" && found !== null ? found : invalidRecord(key);
    },
  };
}

export function invalidRecord(what: string): never {
  throw new ArchiveDamage(`its record makes no sense (${what})`);
}
