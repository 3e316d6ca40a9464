import { isDigit, unitAt } from "./characters.ts";

/**
 * The end of the terminal escape sequence at `start`, which is ESC or the one-unit CSI (U+009B). A sequence that is
 * cut off or unknown is just that one character.
 */
export function terminalEscapeEnd(text: string, start: number): number {
  if (unitAt(text, start) === 0x9b) return parametersEnd(text, start + 1, start + 1);
  const next = unitAt(text, start + 1);
  if (next === BRACKET) return parametersEnd(text, start + 2, start + 1);
  // Operating system command, up to BEL or ESC \: a title or a link.
  if (next === 0x5d) {
    const limit = Math.min(text.length, start + MAX_COMMAND_CHARS);
    for (let index = start + 2; index < limit; index++) {
      const code = unitAt(text, index);
      if (code === 7) return index + 1;
      if (code === ESC) return unitAt(text, index + 1) === BACKSLASH ? index + 2 : index;
    }
    return start + 2;
  }
  // Character sets: ESC ( B
  if (next === 0x28 || next === 0x29) return Math.min(text.length, start + 3);
  return start + 1;
}

const ESC = 27;
const BRACKET = 91;
const BACKSLASH = 92;
const MAX_COMMAND_CHARS = 2_048;
const MAX_PARAMETER_CHARS = 64;

/** Parameters (0-9 : ; < = > ?), intermediates (space to /), one final letter. */
function parametersEnd(text: string, start: number, otherwise: number): number {
  let index = start;
  const limit = Math.min(text.length, start + MAX_PARAMETER_CHARS);
  while (index < limit && unitAt(text, index) >= 0x20 && unitAt(text, index) <= 0x3f) index++;
  const final = unitAt(text, index);
  return final >= 0x40 && final <= 0x7e ? index + 1 : otherwise;
}

/**
 * The end of an escape that is written with a backslash at `start`, as in JSON and source code: \n, \t, \r, \u001b
 * and the colours after it. `start` if it is not one.
 */
export function writtenEscapeEnd(text: string, start: number): number {
  const next = unitAt(text, start + 1);
  if (next === 110 || next === 114 || next === 116) return start + 2;
  let end = start;
  if (next === 117 && isHexRun(text, start + 2, 4)) end = start + 6;
  else if (next === 120 && isHexRun(text, start + 2, 2)) end = start + 4;
  else if (text.startsWith("033[", start + 1)) end = start + 4;
  return end > start && unitAt(text, end) === BRACKET ? parametersEnd(text, end + 1, end) : end;
}

function isHexRun(text: string, start: number, length: number): boolean {
  for (let index = start; index < start + length; index++) {
    const code = unitAt(text, index);
    const lower = code | 32;
    if (!isDigit(code) && !(lower >= 97 && lower <= 102)) return false;
  }
  return true;
}

/** Color sequences and the like, in the form in which programs write them and people copy them. */
export const terminalColors: RegExp = /\u001b\[[0-9;]*m/g;
