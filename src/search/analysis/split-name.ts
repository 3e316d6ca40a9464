import { isDigit, unitAt } from "./characters.ts";
import { HASH_HEAD_CHARS, isCommitHash, isJunk, isRandom } from "./junk.ts";

/** A word inside a name: getUserById has four. Offsets count in the name. */
export interface NamePart {
  readonly start: number;
  readonly end: number;
  /** The word in lower case; and its term, if that is not just its letters. */
  readonly word: string;
}

export interface SplitName {
  readonly parts: readonly NamePart[];
  /** All parts as one word, if there are several; none for names that occur once, like those with a hash. */
  readonly whole: string | undefined;
  /** The kind of text after the name that belongs to it and is skipped. */
  readonly tail: Tail;
}

export type Tail = "time" | "base64" | undefined;

/** Every character beyond ASCII except the apostrophe counts as a letter: the tokenizer lets only letters through. */
const LETTER = "0-9A-Za-z\\u0080-\\u2018\\u201a-\\uffff";

/** The parts of a name; the first form that fits counts, and joints are between the matches. */
const pieces = new RegExp(
  [
    // A uuid.
    "([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})",
    // 2026-10-01, and a time of day, which nobody searches for.
    "(\\d{4}-[01]\\d-[0-3]\\d)(?![0-9a-zA-SU-Z])(T\\d\\d(?:[-:.]?\\d+)*Z?)?",
    // A version or decimal number: 2.1.240, v1.0rc2, 3.14
    `[vV]?(\\d+\\.\\d(?:[${LETTER}]|\\.(?=\\d))*)`,
    // A word, and the end of a contraction.
    `([${LETTER}]+)(?:['\\u2019]([tsdm]|ll|re|ve|[TSDM]|LL|RE|VE)(?![${LETTER}]))?`,
  ].join("|"),
  "g",
);
const [UUID, DATE, TIME, VERSION, WORD, CONTRACTION] = [1, 2, 3, 4, 5, 6] as const;

/**
 * Splits a name at its joints and humps: getUserById, get_user_by_id and get-user.by/id all have the same parts. A
 * version or decimal number is one part (v2.1.240 is 2.1.240), and so is a date. Hashes and the like are left out.
 */
export function splitName(name: string): SplitName {
  const parts: NamePart[] = [];
  let isComplete = true;
  let tail: Tail;
  pieces.lastIndex = 0;
  for (let match = pieces.exec(name); match !== null; match = pieces.exec(name)) {
    const start = match.index;
    const end = pieces.lastIndex;
    const word = match[WORD];
    if (word !== undefined) {
      const wordEnd = start + word.length;
      const contraction = match[CONTRACTION]?.toLowerCase();
      if (isJunk(word)) {
        isComplete = false;
        if (isCommitHash(word)) parts.push({ start, end: wordEnd, word: headOf(word) });
        else if (isRandom(word)) tail = "base64";
      } else if (contraction === "t" && /n$/i.test(word)) {
        // don't is dont.
        parts.push({ start, end, word: `${word}t`.toLowerCase() });
        continue;
      } else {
        pushHumps(word, start, parts);
        // user's is user.
        if (contraction !== undefined && contraction !== "t") continue;
      }
      pieces.lastIndex = wordEnd;
      continue;
    }
    const date = match[DATE];
    if (date !== undefined) {
      parts.push({ start, end: start + date.length, word: date });
      if (match[TIME] === undefined) continue;
      isComplete = false;
      if (end === name.length) tail = "time";
    } else if (match[UUID] !== undefined) {
      isComplete = false;
      parts.push({ start, end, word: headOf(match[0]) });
    } else {
      parts.push({ start, end, word: (match[VERSION] ?? "").toLowerCase() });
    }
  }
  return { parts, whole: isComplete ? joinParts(name, partsBeforeLineNumber(name, parts)) : undefined, tail };
}

function headOf(hash: string): string {
  return hash.slice(0, HASH_HEAD_CHARS).toLowerCase();
}

/**
 * Where a capital starts a hump: after a small letter, and before small letters if it follows capitals (HTTPServer),
 * but not before a plural s (userIDs). After a digit only if the word has small letters: auth0Client, but not E2BIG.
 */
const humps = /(?<![A-Z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z](?:[a-rt-z]|s[a-z]))/;
const humpsAndDigits = new RegExp(`${humps.source}|(?<=[0-9])(?=[A-Z])`);

/** Names that are one word although they have a hump: script does not find JavaScript. */
const undivided: ReadonlySet<string> = new Set(
  (
    "javascript typescript coffeescript github gitlab postgresql mysql graphql openai chatgpt youtube linkedin " +
    "macos ios ipados iphone ipad paypal wordpress latex powershell devops opensearch elasticsearch mongodb"
  ).split(" "),
);

function pushHumps(word: string, offset: number, parts: NamePart[]): void {
  const lower = word.toLowerCase();
  const isOne = lower === word || !/.[A-Z]/.test(word) || undivided.has(lower);
  let start = offset;
  for (const hump of isOne ? [word] : word.split(/[a-z]/.test(word) ? humpsAndDigits : humps)) {
    const end = start + hump.length;
    parts.push({ start, end, word: hump.toLowerCase() });
    start = end;
  }
}

/** grep shows lines around a hit as token.ts-120-text: the line number is not part of the name. */
function partsBeforeLineNumber(name: string, parts: readonly NamePart[]): readonly NamePart[] {
  if (parts.length < 3 || !name.includes("-")) return parts;
  const at = /(?<=\.[A-Za-z]{1,5})-\d+(?:-|$)/.exec(name)?.index ?? name.length;
  return parts.filter((part) => part.start <= at);
}

/**
 * Joins several parts into one word. Joints are dropped, so that user_name, userName and username are the same;
 * between digits they stay, because 10-20 is not 1020.
 */
export function joinParts(name: string, parts: readonly NamePart[]): string | undefined {
  if (parts.length < 2) return undefined;
  let whole = "";
  let from = 0;
  for (const { start, end, word } of parts) {
    const isBetweenDigits = isDigit(unitAt(word, 0)) && isDigit(unitAt(whole, whole.length - 1));
    if (isBetweenDigits && start > from) whole += name.charAt(from);
    whole += word;
    from = end;
  }
  return whole;
}
