import { once } from "../../fs/once.ts";

/**
 * What a UTF-16 unit means to the scanner. ASCII comes from a table; the rest is asked of Unicode
 * once per character and remembered, since building the whole table would cost every start 10 ms.
 */
export const BREAK = 0;
/** Letters, digits, underscore, marks of letters. */
export const WORD = 1;
/** Joins two words into one, if it stands between them: - . ' */
export const JOINT = 2;
/** Joins names into a path, if it stands between them: / \ : */
export const SLASH = 3;
/** Letters of scripts that put no space between words: indexed in pairs. */
export const DENSE = 4;
/** The same, where normalisation may change the letter or its neighbours. */
export const DENSE_ODD = 5;
/** Invisible inside of a word: soft hyphen, joiners, variation selectors. */
export const INVISIBLE = 6;
/** Half of a character. */
const SURROGATE = 7;
const UNKNOWN = 255;

/** Right for ASCII; for all else ask `classAt`. */
export const charClasses: Uint8Array = new Uint8Array(0x10000).fill(UNKNOWN, 128);
for (const [from, to] of ["09", "AZ", "az", "__"]) {
  charClasses.fill(WORD, from?.charCodeAt(0), (to?.charCodeAt(0) ?? 0) + 1);
}
for (const joint of "-.'") charClasses[joint.charCodeAt(0)] = JOINT;
for (const slash of "/\\:") charClasses[slash.charCodeAt(0)] = SLASH;
export const TYPOGRAPHIC_APOSTROPHE = 0x2019;
charClasses[TYPOGRAPHIC_APOSTROPHE] = JOINT;
charClasses.fill(SURROGATE, 0xd800, 0xe000);
// The most common of the others, so that Unicode is rarely asked: accented letters, signs, boxes and arrows.
charClasses.fill(WORD, 0xc0, 0x180);
charClasses[0xd7] = BREAK;
charClasses[0xf7] = BREAK;
for (const sign of "\u00a0«»·•–—…“”„‘€™") charClasses[sign.charCodeAt(0)] = BREAK;
charClasses.fill(BREAK, 0x2190, 0x2c00);

const denseScript = once(
  () =>
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc\uff70\u3099\u309a\uff9e\uff9f]/u,
);
const letter = once(() => /[\p{L}\p{M}\p{Nd}\p{Nl}]/u);
/** Soft hyphen, joiners, marks of direction, variation selectors. */
const invisibleRanges = [
  "00ad",
  "034f",
  "061c",
  "180b-180e",
  "200b-200f",
  "202a-202e",
  "2060-2064",
  "fe00-fe0f",
  "feff",
];
export const invisible: RegExp = new RegExp(
  `[${invisibleRanges.map((range) => range.replace(/[0-9a-f]{4}/g, "\\u$&")).join("")}]`,
);

/** The class of the character at `index`; `text` is needed for those that take two units. */
export function classAt(text: string, index: number): number {
  const code = unitAt(text, index);
  const found = charClasses[code] ?? BREAK;
  if (found < SURROGATE) return found;
  if (found === SURROGATE) {
    const point = text.codePointAt(index);
    return point === undefined || point < 0x10000 ? BREAK : classify(String.fromCodePoint(point));
  }
  const made = classify(String.fromCharCode(code));
  charClasses[code] = made;
  return made;
}

/** The same for units in plain memory, where zeros stand behind the last one. */
export function unitClass(units: Uint16Array, index: number): number {
  const code = units[index] ?? 0;
  const found = charClasses[code] ?? BREAK;
  return found < SURROGATE ? found : classAt(String.fromCharCode(code, units[index + 1] ?? 0), 0);
}

function classify(char: string): number {
  if (invisible.test(char)) return INVISIBLE;
  if (!letter().test(char)) return BREAK;
  if (!denseScript().test(char)) return WORD;
  return /\p{M}/u.test(char) || /[\u1100-\u11ff]/.test(char) || char.normalize("NFKC") !== char
    ? DENSE_ODD
    : DENSE;
}

/** Units of the character at `index`. */
export function widthAt(text: string, index: number): number {
  const code = unitAt(text, index);
  return code >= 0xd800 && code < 0xdc00 && (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}

/**
 * The unit at `index`, 0 past the end. `charCodeAt` would give NaN there, which makes V8 calculate all
 * units as floating-point numbers: the scan took four times as long.
 */
export function unitAt(text: string, index: number): number {
  return index < text.length ? text.charCodeAt(index) : 0;
}

export function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}

export function isUpper(unit: number): boolean {
  return unit >= 65 && unit <= 90;
}

export function isLower(unit: number): boolean {
  return unit >= 97 && unit <= 122;
}
