import { once } from "../fs/once.ts";

/**
 * Makes text from logs safe for files, terminals and agents: only LF ends lines; no escape sequences (they are
 * removed completely, because their letters would be left as noise), no control characters except tab and LF, no
 * marks that change the direction of text (a file name could be displayed as another), no invisible characters that
 * programs still read, no invalid code points.
 */
export function cleanText(text: string): string {
  if (isClean(text)) return text;
  return text
    .replace(sequences(), "")
    .replace(lineEnds, "\n")
    .replace(controls, "")
    .replace(invisible(), "")
    .replace(impossible(), "\ufffd");
}

/** Whether `cleanText` would leave the text unchanged. */
export function isClean(text: string): boolean {
  return !mayBeDirty(text) || !dirty().test(text);
}

/**
 * Everything that `cleanText` removes without a replacement. A record separator that is alone on its line stays: the
 * texts of a document are joined by it, and blank lines mark its place.
 */
export const removed: () => RegExp = once(
  () =>
    new RegExp(
      `${sequences().source}|${invisible().source}|[\\0-\\x08\\x0e-\\x1d\\x1f\\x7f-\\x84\\x86-\\x9f]|${LOST_SEPARATOR.source}`,
      "gu",
    ),
);

/**
 * Whether `removed` may match in units of plain memory. Nearly all texts have nothing to remove, and a table shows
 * that in a fraction of the time that the regular expression takes.
 */
export function mayLosePart(units: Uint16Array, from: number, end: number): boolean {
  const table = removedUnits();
  for (let at = from; at < end; at++) {
    const kind = table[units[at] ?? 0];
    if (kind === KEPT || (kind === OWN_LINE && units[at - 1] === LF && units[at + 1] === LF)) continue;
    return true;
  }
  return false;
}

/** The same on one line: white space of any kind becomes one space. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/g, " ").trim();
}

/**
 * Invisible characters: bidirectional marks, embeddings, overrides and isolates; format characters; fillers and
 * selectors; BOM; tags. As classes of a regular expression with the flag `u`. Joiners and the selectors of emoji are
 * separate, because some languages and emoji need them.
 */
const UNSEEN =
  "\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u206f" +
  "\\u3164\\ufe00-\\ufe0d\\ufeff\\uffa0\\ufff0-\\ufffb\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}";
const JOINERS = "\\u200c\\u200d\\ufe0e\\ufe0f";

/**
 * All characters that must not be printed, as the inside of a class. JSON writes these as escapes, so that a reader
 * gets them unchanged.
 */
const UNPRINTABLE: string =
  "\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u2028\\u2029\\p{Surrogate}\\p{Noncharacter_Code_Point}" +
  UNSEEN +
  JOINERS;

/**
 * The same in plain UTF-16 units, which is far quicker than the flag `u`: characters of one unit; lone surrogates,
 * and pairs that are invisible or invalid. Most texts with an arrow or an emoji have none.
 */
const DIRTY_UNIT = new RegExp(
  "[\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e" +
    "\\u2060-\\u206f\\u3164\\ufdd0-\\ufdef\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\ufffe\\uffff]",
);
const LOST_SEPARATOR = /(?<!\n)\x1e|\x1e(?!\n)/;
const SURROGATE = /[\ud800-\udfff]/;
const DIRTY_PAIR =
  /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|[\udb40-\udb43\ud82f\ud834][\udc00-\udfff]|[\ud83f\ud87f\ud8bf\ud8ff\ud93f\ud97f\ud9bf\ud9ff\uda3f\uda7f\udabf\udaff\udb3f\udb7f\udbbf\udbff][\udffe\udfff]/;

const LF = 10;
const RECORD_SEPARATOR = 0x1e;

const KEPT = 0;
const REMOVED = 1;
/** Stays if it is alone in its line. */
const OWN_LINE = 2;

/** The treatment of each unit. Everything that `removed` matches begins with a unit that is marked here. */
const removedUnits = once(() => {
  const table = new Uint8Array(65_536);
  for (const [first, last] of [
    [0, 8],
    [0x0e, 0x1f],
    [0x7f, 0x84],
    [0x86, 0x9f],
    [0xad, 0xad],
    [0x34f, 0x34f],
    [0x61c, 0x61c],
    [0x115f, 0x1160],
    [0x17b4, 0x17b5],
    [0x180b, 0x180f],
    [0x200b, 0x200f],
    [0x202a, 0x202e],
    [0x2060, 0x206f],
    [0x3164, 0x3164],
    [0xd82f, 0xd82f],
    [0xd834, 0xd834],
    [0xdb40, 0xdb43],
    [0xfe00, 0xfe0f],
    [0xfeff, 0xfeff],
    [0xffa0, 0xffa0],
    [0xfff0, 0xfffb],
  ] as const)
    table.fill(REMOVED, first, last + 1);
  table[RECORD_SEPARATOR] = OWN_LINE;
  return table;
});

function mayBeDirty(text: string): boolean {
  return DIRTY_UNIT.test(text) || (SURROGATE.test(text) && DIRTY_PAIR.test(text));
}

/** Any forbidden character; most text has none. */
const dirty = once(() => new RegExp(`[${UNPRINTABLE}]`, "u"));

/**
 * Escape sequences by ECMA-48, in their 7-bit form (ESC and a character) and their 8-bit form (one of C1): CSI up to
 * its final byte; OSC, DCS, SOS, PM and APC up to their terminator, or, if that is missing, only to the end of the
 * line, so that one torn sequence cannot hide a whole text; two-character ones.
 */
const sequences = once(
  () =>
    new RegExp(
      [
        "(?:\\x1b\\[|\\x9b)[\\x30-\\x3f]*[\\x20-\\x2f]*[\\x40-\\x7e]?",
        "(?:\\x1b[\\]PX^_]|[\\x90\\x98\\x9d-\\x9f])[^\\x07\\x1b\\x9c\\n]*(?:\\x07|\\x1b\\\\|\\x9c)?",
        "\\x1b[\\x20-\\x2f]*[\\x30-\\x7e]?",
      ].join("|"),
      "g",
    ),
);
/**
 * A lone CR too: progress bars overwrite themselves with it. U+2028 and its relatives end lines only for some
 * readers.
 */
const lineEnds = /\r\n?|[\v\f\x85\u2028\u2029]/g;
const controls = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g;
/** Joiners stay between letters that they join (Arabic, Indic and their neighbours) and inside emoji. */
const invisible = once(() => {
  const joined = "[\\u0590-\\u109f\\u1780-\\u18af\\u1a20-\\u1aaf]";
  const emoji = "[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f]";
  return new RegExp(
    [
      `[${UNSEEN}]`,
      `\\u200c(?!(?<=${joined}\\u200c)${joined})`,
      `\\u200d(?!(?<=${joined}\\u200d)${joined}|(?<=${emoji}\\u200d)\\p{Extended_Pictographic})`,
      "(?<!\\p{Emoji})[\\ufe0e\\ufe0f]",
    ].join("|"),
    "gu",
  );
});
/** A lone surrogate, or an invalid code point: YAML and HTML refuse both. */
const impossible = once(() => /[\p{Surrogate}\p{Noncharacter_Code_Point}]/gu);

/**
 * JSON that is safe to print: control and invisible characters are written as `\uXXXX`, so a parser returns the exact
 * value. All JSON that is printed, or returned to an agent, is written by this.
 */
export function encodeJson(value: unknown, space?: number): string {
  const json = JSON.stringify(value, undefined, space);
  return unprintable().test(json) ? json.replace(allUnprintable(), escapeUnits) : json;
}

// JSON has plain line ends and tabs only between values; inside strings they are already escaped.
const unprintable = once(() => new RegExp(`[${UNPRINTABLE}]`, "u"));
const allUnprintable = once(() => new RegExp(`[${UNPRINTABLE}]`, "gu"));

function escapeUnits(character: string): string {
  let escaped = "";
  for (let at = 0; at < character.length; at++)
    escaped += `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`;
  return escaped;
}
