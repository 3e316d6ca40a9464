import type { CleanPassage } from "./clean-passage.ts";

/**
 * Where a snippet begins that shows what stands from `from` to `to`: a third of the spare room before it, at
 * the beginning of a sentence or line if there is one, else of a word.
 */
export function passageStart(
  { text, lineStarts }: CleanPassage,
  from: number,
  to: number,
  maxChars: number,
  beginsText: boolean,
): number {
  const spare = Math.max(0, maxChars - (to - from));
  // What would remain unused behind the end of the text is used before it.
  const behind = Math.max(0, Math.min(text.length - to, spare));
  const earliest = from - Math.max(Math.floor(spare / 3), spare - behind);
  if (earliest <= 0 && beginsText) return 0;
  let word = -1;
  for (let index = Math.max(1, earliest); index <= from; index++) {
    if (lineStarts.has(index) || isSentenceStart(text, index)) return index;
    if (word === -1 && text[index - 1] === " ") word = index;
  }
  if (word !== -1) return word;
  // A script without spaces, or a word without end.
  return earliest > 0 ? wholeCharacter(text, earliest) : from;
}

/** Where it ends, not before `to`: behind a sentence if that leaves little unused, else behind a word. */
export function passageEnd(
  { text }: CleanPassage,
  start: number,
  to: number,
  maxChars: number,
  endsText: boolean,
): number {
  const limit = start + maxChars;
  if (text.length <= limit && endsText) return text.length;
  const latest = Math.min(limit, text.length);
  const nearly = Math.max(to, start + Math.floor(maxChars * NEARLY));
  for (let index = latest; index >= nearly; index--) if (isSentenceStart(text, index)) return index;
  const space = text.lastIndexOf(" ", latest);
  return space >= to && space > start + maxChars / 2 ? space : wholeCharacter(text, latest);
}

const NEARLY = 0.8;

function isSentenceStart(text: string, index: number): boolean {
  const before = text[index - 1] ?? "";
  if ("。！？".includes(before) && before !== "") return true;
  return before === " " && ".!?".includes(text[index - 2] ?? "-");
}

/** Not between the two halves of one character. */
function wholeCharacter(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code < 0xe000 ? index - 1 : index;
}
