import { cleanText, isClean } from "./clean-text.ts";
import type { Finding } from "./finding.ts";

/** Must change with the rules: an index and readable copies that older rules masked are then rebuilt. */
export const RULES_VERSION = 7;

/**
 * The replacement of a secret: `[masked: github-token ghp_…]`. The brackets keep it in one piece, and the
 * ellipsis keeps the visible beginning from looking like a key again, so that masking twice changes nothing.
 * In a URL it is `[masked]` alone: a space there would tear the address for whoever reads it.
 */
export function maskFor(finding: Finding): string {
  if (finding.kind === "url-credentials") return "[masked]";
  if (finding.shown === undefined || finding.shown === "") return `[masked: ${finding.kind}]`;
  return `[masked: ${finding.kind} ${finding.shown}…]`;
}

/** The beginning of every mask; a value that contains it is masked already. */
export const MASK_BEGIN = "[masked";

const MASK: RegExp = /\[masked(?:: [a-z0-9-]{1,40}(?: [^\s\]\u2026]{1,24}\u2026)?)?\]/g;

/** The masks already in a text, as [start, end]. */
export function findMasks(text: string): readonly (readonly [number, number])[] {
  if (!text.includes(MASK_BEGIN)) return [];
  return Array.from(text.matchAll(MASK), (match) => [match.index, match.index + match[0].length] as const);
}

/**
 * Masks every string of plain data, at any depth, and the keys of objects: some tables use the names of tools as
 * keys, and inputs have arbitrary keys. Values without a secret are returned unchanged, without a copy.
 */
export function maskDeep<T>(value: T, mask: (text: string) => string): T {
  return mapStrings(value, mask) as T;
}

/**
 * Masks and cleans every string of plain data. Removed characters may have split a secret, or separated it from the
 * word before it: a text that is not clean is masked before and after.
 */
export function maskAndClean<T>(value: T, mask: (text: string) => string): T {
  return maskDeep(value, (text) => (isClean(text) ? mask(text) : mask(cleanText(mask(text)))));
}

function mapStrings(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === "string") return mask(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return mapList(value, mask);
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return mapObject(value as Record<string, unknown>, mask);
}

function mapList(list: readonly unknown[], mask: (text: string) => string): readonly unknown[] {
  let masked: unknown[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    const mapped = mapStrings(item, mask);
    if (mapped === item) continue;
    masked ??= [...list];
    masked[index] = mapped;
  }
  return masked ?? list;
}

function mapObject(object: Record<string, unknown>, mask: (text: string) => string): Record<string, unknown> {
  let masked: Record<string, unknown> | undefined;
  let hasMaskedKey = false;
  for (const key in object) {
    // Nearly all keys are our own words.
    if (!OWN_KEY.test(key) && mask(key) !== key) hasMaskedKey = true;
    const item = object[key];
    if (typeof item === "number") continue;
    const mapped = mapStrings(item, mask);
    if (mapped === item) continue;
    masked ??= { ...object };
    masked[key] = mapped;
  }
  return hasMaskedKey ? withMaskedKeys(masked ?? object, mask) : (masked ?? object);
}

const OWN_KEY = /^[a-z][A-Za-z]{0,18}$/;

/** In their order; two keys that are masked alike stay two. */
function withMaskedKeys(
  object: Record<string, unknown>,
  mask: (text: string) => string,
): Record<string, unknown> {
  const entries = new Map<string, unknown>();
  for (const [key, item] of Object.entries(object)) {
    const name = mask(key);
    let free = name;
    for (let number = 2; entries.has(free); number++) free = `${name} (${number})`;
    entries.set(free, item);
  }
  return Object.fromEntries(entries);
}
