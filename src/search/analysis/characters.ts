import { Buffer } from "node:buffer";
import { once } from "../../fs/once.ts";

/** The class of a character, for the tokenizer. */
export const BREAK = 0;
/** Letters, digits, underscore, combining marks. */
export const WORD = 1;
/** Joins two words into one name if it is between them: - . ' */
export const JOINT = 2;
/** Joins names into a path if it is between them: / \ : */
export const SEPARATOR = 3;
/** Letters of scripts without spaces between words: indexed in pairs. */
export const DENSE = 4;
/** Starts an escape sequence of a terminal: ESC, and ESC [ as one character. */
export const ESCAPE = 5;
/** Ignored inside a word: soft hyphen, joiners, direction marks, variation selectors. */
const INVISIBLE = 6;
/** Half of a character of two UTF-16 units. */
const SURROGATE = 7;
const UNKNOWN = 8;

/** The class of every UTF-16 unit: ASCII and common signs from the start, others once they have been met. */
const unitClasses: Uint8Array = new Uint8Array(0x10000).fill(UNKNOWN, 128);
for (const [first, last, kind] of [
  ["0", "9", WORD],
  ["A", "Z", WORD],
  ["a", "z", WORD],
  ["_", "_", WORD],
  ["\u00c0", "\u017f", WORD],
  ["\u2190", "\u2bff", BREAK],
  ["\ud800", "\udfff", SURROGATE],
] as const)
  unitClasses.fill(kind, first.charCodeAt(0), last.charCodeAt(0) + 1);
for (const [chars, kind] of [
  ["-.'\u2019", JOINT],
  ["/\\:", SEPARATOR],
  ["\u001b\u009b", ESCAPE],
  ["\u00a0\u00d7\u00f7«»·•–—…“”„‘€™", BREAK],
] as const)
  for (const char of chars) unitClasses[char.charCodeAt(0)] = kind;

/** Compiled when first needed: most texts are ASCII, and Unicode properties are slow to compile. */
const letter = once(() => /[\p{L}\p{M}\p{Nd}\p{Nl}]/u);
const dense = once(
  () =>
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc\uff70\u3099\u309a\uff9e\uff9f]/u,
);
const invisible =
  /[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]|\u034f|[\u180b-\u180e]|[\ufe00-\ufe0f]/g;

/** The class of the character at `index`; BREAK past the end. */
export function classAt(text: string, index: number): number {
  const known = unitClasses[unitAt(text, index)] ?? BREAK;
  if (known < SURROGATE) return known;
  const char = String.fromCodePoint(text.codePointAt(index) ?? 0);
  if (known === SURROGATE) return char.length === 2 ? classify(char) : BREAK;
  const found = classify(char);
  unitClasses[char.charCodeAt(0)] = found;
  return found;
}

function classify(char: string): number {
  if (char.search(invisible) === 0) return INVISIBLE;
  if (!letter().test(char)) return BREAK;
  return dense().test(char) ? DENSE : WORD;
}

/** A text with the class of each UTF-16 unit; zeros, which are BREAK, follow the last one. */
export interface ClassifiedText extends Memory {
  readonly text: string;
  readonly length: number;
}

interface Memory {
  readonly units: Uint16Array<ArrayBuffer>;
  readonly classes: Uint8Array;
}

/** The farthest that any rule looks ahead. */
const PAST_END = 4;
/** Larger buffers are not kept for the next text. */
const KEPT_UNITS = 65_536;
/** Undefined while a text is being scanned. */
let spare: Memory | undefined;

/**
 * Classifies a text; `releaseText` when done. The units are copied out of the string: V8 has many forms of strings and
 * looks at the form again for each `charCodeAt`, which makes a scan twice as slow.
 */
export function classifyText(text: string): ClassifiedText {
  const { length } = text;
  const size = length + PAST_END;
  const memory = spare !== undefined && size <= KEPT_UNITS ? spare : newMemory(Math.max(size, KEPT_UNITS));
  spare = undefined;
  const { units, classes } = memory;
  Buffer.from(units.buffer).write(text, "utf16le");
  units.fill(0, length, size);
  for (let index = 0; index < size; index++) {
    const known = unitClasses[units[index] ?? 0] ?? BREAK;
    classes[index] = known < INVISIBLE ? known : rareClass(text, index, classes);
  }
  return { text, length, units, classes };
}

function newMemory(size: number): Memory {
  return { units: new Uint16Array(size), classes: new Uint8Array(size) };
}

/** Lends the memory of a text to the next one. */
export function releaseText({ units, classes }: ClassifiedText): void {
  if (units.length === KEPT_UNITS) spare = { units, classes };
}

/** The second half of a character has the class of the first; an invisible one continues a word, and nothing else. */
function rareClass(text: string, index: number, classes: Uint8Array): number {
  if (index > 0 && widthAt(text, index - 1) === 2) return classes[index - 1] ?? BREAK;
  const found = classAt(text, index);
  if (found !== INVISIBLE) return found;
  return index > 0 && classes[index - 1] === WORD ? WORD : BREAK;
}

/**
 * The UTF-16 unit at `index`, 0 past the end. `charCodeAt` alone returns NaN there, which makes V8 compute with
 * floating-point numbers.
 */
export function unitAt(text: string, index: number): number {
  return index < text.length ? text.charCodeAt(index) : 0;
}

/** How many units the character at `index` takes. */
export function widthAt(text: string, index: number): number {
  const unit = unitAt(text, index);
  return unit >= 0xd800 && unit < 0xdc00 && (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}

export function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}

export function isUpper(unit: number): boolean {
  return unit >= 65 && unit <= 90;
}

export function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false;
  return true;
}

/**
 * Normalizes spellings that people consider the same word: compatibility forms (ﬁ, Ａ), accents (é, ё), letters that
 * no decomposition reaches (ø, ß), invisible characters. Case is kept, because the humps of a name are still needed;
 * vowel signs of other scripts are letters and are kept.
 */
export function foldLetters(text: string): string {
  if (isAscii(text)) return text;
  return text
    .replace(invisible, "")
    .normalize("NFKC")
    .normalize("NFD")
    .replace(accents, "")
    .normalize("NFC")
    .replace(specialLetters, (char) => foldedLetters[char] ?? char);
}

// The breve of й is kept: it is another letter than и, while ё is a spelling of е.
const accents =
  /(?<![\u0438\u0418])\u0306|[\u0300-\u0305\u0307-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]/g;

const foldedLetters: Readonly<Record<string, string>> = {
  ß: "ss",
  ẞ: "SS",
  æ: "ae",
  Æ: "AE",
  œ: "oe",
  Œ: "OE",
  ø: "o",
  Ø: "O",
  ł: "l",
  Ł: "L",
  đ: "d",
  Đ: "D",
  ð: "d",
  Ð: "D",
  þ: "th",
  Þ: "Th",
  ı: "i",
  ς: "σ",
};
const specialLetters = new RegExp(`[${Object.keys(foldedLetters).join("")}]`, "g");
