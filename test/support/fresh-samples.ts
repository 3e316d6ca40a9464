import { readFileSync } from "node:fs";

/** A text and the strings in it of which none may be left after masking. */
export interface FreshSecret {
  readonly id: string;
  readonly text: string;
  readonly secrets: readonly string[];
}

/** A text in which nothing may be masked. */
export interface FreshLookAlike {
  readonly id: string;
  readonly text: string;
  readonly why?: string;
}

export interface FreshSet {
  readonly secrets: readonly FreshSecret[];
  readonly lookAlikes: readonly FreshLookAlike[];
}

export const freshSets = [
  "dev",
  "neighbours",
  "second",
  "third",
  "fourth",
  "fifth",
  "sixth",
  "seventh",
  "eighth",
  "own",
] as const;

export type FreshSetName = (typeof freshSets)[number];

/**
 * A set of fixtures/redact/fresh, written by someone who did not know the detectors. In the file a `·` parts long
 * values, so that no scanner takes them for keys that someone lost.
 */
export function loadFreshSet(name: FreshSetName): FreshSet {
  const file = new URL(`../../fixtures/redact/fresh/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8").replaceAll("·", "")) as FreshSet;
}

export interface FreshQuality {
  readonly missed: readonly FreshSecret[];
  readonly touched: readonly FreshLookAlike[];
}

/** The secrets of which something is left, and the look-alikes that were changed. */
export function measureFresh(set: FreshSet, redact: (text: string) => string): FreshQuality {
  return {
    missed: set.secrets.filter(({ text, secrets }) => {
      const masked = redact(text);
      return secrets.some((secret) => masked.includes(secret));
    }),
    touched: set.lookAlikes.filter(({ text }) => redact(text) !== text),
  };
}
