import { invisible } from "./char-class.ts";

/**
 * One spelling for what people take for the same word: compatibility forms (ﬁ, Ａ), accents (é, ё),
 * letters that no decomposition reaches (ø, ß) and invisible characters. Case is kept here, because
 * the humps of a name are still needed; the vowel signs of other scripts are letters and stay.
 */
export function foldLetters(text: string): string {
  return text
    .replace(allInvisible, "")
    .normalize("NFKC")
    .normalize("NFD")
    .replace(marks, "")
    .normalize("NFC")
    .replace(others, (char) => otherLetters[char] ?? char);
}

const allInvisible = new RegExp(invisible.source, "g");

// The breve of й stays: in Russian it is another letter than и, as ё is none but е.
const marks =
  /(?<![\u0438\u0418])\u0306|[\u0300-\u0305\u0307-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]/g;

const otherLetters: Readonly<Record<string, string>> = {
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
const others = new RegExp(`[${Object.keys(otherLetters).join("")}]`, "g");
