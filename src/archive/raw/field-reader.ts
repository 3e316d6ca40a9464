import { ArchiveDamage } from "../../fs/archive-damage.ts";

/** Takes the fields of a record apart; each throws `ArchiveDamage` where the field is not what it should be. */
export interface FieldReader {
  has(key: string): boolean;
  text(key: string): string;
  textOrNull(key: string): string | null;
  /** A whole number from 0. */
  count(key: string): number;
  /** Any number that is one: times before 1970, inodes past 2^53. */
  number(key: string): number;
  numberOrNull(key: string): number | null;
  hash(key: string): string;
  list(key: string): readonly unknown[];
  flag(key: string): boolean;
  record(key: string): object;
}

export function readFields(value: unknown): FieldReader {
  if (typeof value !== "object" || value === null) return senseless("record");
  const at = (key: string): unknown => Object.getOwnPropertyDescriptor(value, key)?.value;
  const text = (key: string): string => {
    const found = at(key);
    return typeof found === "string" ? found : senseless(key);
  };
  const number = (key: string): number => {
    const found = at(key);
    return typeof found === "number" ? found : senseless(key);
  };
  return {
    has: (key) => at(key) !== undefined,
    text,
    textOrNull: (key) => (at(key) === null ? null : text(key)),
    count: (key) => {
      const found = number(key);
      return Number.isSafeInteger(found) && found >= 0 ? found : senseless(key);
    },
    number,
    numberOrNull: (key) => (at(key) === null ? null : number(key)),
    hash: (key) => {
      const found = text(key);
      return /^[0-9a-f]{64}$/.test(found) ? found : senseless(key);
    },
    list: (key) => {
      const found = at(key);
      return Array.isArray(found) ? found : senseless(key);
    },
    flag: (key) => {
      const found = at(key);
      return typeof found === "boolean" ? found : senseless(key);
    },
    record: (key) => {
      const found = at(key);
      return typeof found === "object" && found !== null ? found : senseless(key);
    },
  };
}

export function senseless(what: string): never {
  throw new ArchiveDamage(`its record makes no sense (${what})`);
}
