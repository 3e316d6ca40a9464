import { expect, test } from "vitest";
import { BREAK, classAt, DENSE, ESCAPE, JOINT, WORD } from "../../../src/search/analysis/characters.ts";

const invisible =
  /[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]|\u034f|[\u180b-\u180e]|[\ufe00-\ufe0f]/;
const letter = /[\p{L}\p{M}\p{Nd}\p{Nl}]/u;
const dense =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

test("characters that are known beforehand are of the class that Unicode says", () => {
  const wrong: string[] = [];
  for (let unit = 128; unit < 0x10000; unit++) {
    if (unit >= 0xd800 && unit < 0xe000) continue;
    const char = String.fromCharCode(unit);
    const found = classAt(char, 0);
    if (found === JOINT || found === ESCAPE || invisible.test(char)) continue;
    const isLetter = found === WORD || found === DENSE;
    const isDense = found === DENSE;
    const isRight = letter.test(char) ? isLetter && (isDense || !dense.test(char)) : found === BREAK;
    if (!isRight) wrong.push(unit.toString(16));
  }
  expect(wrong).toEqual([]);
});
