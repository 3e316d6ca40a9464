import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { createSeededRandom } from "../support/seeded-random.ts";

/**
 * Where a word is: past the beginning of tool output, in the input of a tool, or in the diff of an edit. Words of a diff
 * are nearly always in the input of the edit, too.
 */
export const wordPlaces = ["output", "input", "diff"] as const;
export type WordPlace = (typeof wordPlaces)[number];

/** A word that one session has, in one place only. */
export interface RareWord {
  readonly word: string;
  readonly place: WordPlace;
  /** Names of the session: any of them may be its id. */
  readonly sessions: readonly string[];
  readonly heldOut: boolean;
}

/** Shorter parts of an output are its beginning, which any index of this kind keeps. */
const BEGINNING_CHARS = 2_000;
const SEED = 15;

/**
 * Draws rare words from the logs of a home. It reads JSON by itself and knows nothing of the program: what the program
 * leaves out while it reads a log must not be left out of the question.
 */
export function drawRareWords(home: string, perPlace: number): readonly RareWord[] {
  const known = new Map<string, Occurrences>();
  for (const path of logsIn(home)) readLog(path, known);
  const random = createSeededRandom(SEED);
  const rare = rareWords(known);
  return wordPlaces.flatMap((place) => {
    const words = rare.filter(([, { places }]) => isIn(place, places));
    if (words.length < perPlace)
      throw new Error(`Cannot draw ${perPlace} words: only ${words.length} in ${place}`);
    return Array.from({ length: perPlace }, (_, index): RareWord => {
      const [[, { word, session = [] }] = ["", NOWHERE]] = words.splice(random.int(words.length), 1);
      return { word, place, sessions: session, heldOut: index % 2 === 1 };
    });
  });
}

interface Occurrences {
  /** As it is written where it was met first. */
  readonly word: string;
  /** A sum of bits. */
  places: number;
  /** The only session that has it; undefined if several have. */
  session: readonly string[] | undefined;
}

const NOWHERE: Occurrences = { word: "", places: 0, session: undefined };
const BITS: Readonly<Record<WordPlace, number>> = { output: 1, input: 2, diff: 4 };
/** In any other text, for example a request or the beginning of an output. */
const ELSEWHERE = 8;

/** How many letters at its end may make another form of a word, and how many it keeps at least. */
const ENDING_CHARS = 3;
const STEM_CHARS = 5;

/** Words that one session has, and of which no other session has another form (guiding, guides), in order. */
function rareWords(known: ReadonlyMap<string, Occurrences>): readonly (readonly [string, Occurrences])[] {
  const words = [...known].sort(([a], [b]) => (a < b ? -1 : 1));
  return words.filter(([word, { session }], index) => {
    const stem = word.slice(0, Math.max(STEM_CHARS, word.length - ENDING_CHARS));
    const isAlone = (step: number): boolean => {
      for (let at = index + step; words[at]?.[0].startsWith(stem); at += step)
        if (words[at]?.[1].session?.[0] !== session?.[0]) return false;
      return true;
    };
    return session !== undefined && isAlone(1) && isAlone(-1);
  });
}

function isIn(place: WordPlace, places: number): boolean {
  return place === "diff" ? (places & ~BITS.input) === BITS.diff : places === BITS[place];
}

function logsIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.jsonl?$/.test(path))
    .sort()
    .map((path) => join(folder, path));
}

function readLog(path: string, known: Map<string, Occurrences>): void {
  const text = readFileSync(path, "utf8");
  const session = sessionNames(path, text);
  for (const line of text.split("\n")) {
    const value = parse(line);
    if (value === undefined) noteWords(line, ELSEWHERE, session, known);
    else visit(value, ELSEWHERE, (each, place) => noteWords(each, place, session, known));
  }
}

/** The name of the file, and the ids that its first lines and its folder name: a sub-agent's log belongs to a session. */
function sessionNames(path: string, text: string): readonly string[] {
  const ids = text.slice(0, 65_536).matchAll(/"(?:sessionId|session_id|id)":"([\w-]{8,80})"/g);
  const names = [basename(path).replace(/\.jsonl?$/, ""), ...Array.from(ids, ([, id = ""]) => id)];
  return [...new Set([...names, ...path.split("/")])];
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

type Take = (text: string, place: number) => void;

/** Copies of what is elsewhere in the line, and what nobody said: neither makes a word more frequent. */
const IGNORED = /^(?:toolUseResult|details|thinking|signature|data|base64|encrypted_content|originalFile)$/;

function visit(value: unknown, place: number, take: Take): void {
  if (typeof value === "string") {
    if (place !== BITS.output) take(value, place);
    else {
      take(value.slice(0, BEGINNING_CHARS), ELSEWHERE);
      take(value.slice(BEGINNING_CHARS), place);
    }
  } else if (Array.isArray(value)) {
    for (const item of value) visit(item, place, take);
  } else if (typeof value === "object" && value !== null) visitObject(value, place, take);
}

function visitObject(object: object, outer: number, take: Take): void {
  const fields: Readonly<Record<string, unknown>> = { ...object };
  const { type, role } = fields;
  if (type === "progress" || type === "thinking" || type === "file-history-snapshot") return;
  const isResult = type === "tool_result" || role === "toolResult" || type === "function_call_output";
  for (const [key, value] of Object.entries(fields)) {
    if (IGNORED.test(key)) {
      for (const diff of diffsIn(value)) take(diff, BITS.diff);
      continue;
    }
    const isOutput = isResult && (key === "content" || key === "output");
    const isInput = (type === "tool_use" && key === "input") || (type === "toolCall" && key === "arguments");
    const place = isOutput ? BITS.output : isInput ? BITS.input : outer;
    visit(value, place, take);
  }
}

/** The lines of the diff that an edit made, wherever the agent notes it. */
function diffsIn(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  const { structuredPatch, diff }: { structuredPatch?: unknown; diff?: unknown } = value;
  const hunks: readonly unknown[] = Array.isArray(structuredPatch) ? structuredPatch : [];
  const lines = hunks.flatMap((hunk) => {
    const { lines }: { lines?: unknown } = typeof hunk === "object" && hunk !== null ? hunk : {};
    return Array.isArray(lines) ? lines.filter((line) => typeof line === "string") : [];
  });
  return [...lines, ...(typeof diff === "string" ? [diff] : [])];
}

/** A run without spaces that is longer is base64, minified code or the like. */
const RUN = /(?<!\S)\S{1,100}(?!\S)/g;
/** A word, or a name of several words; not a part of an escape. */
const WORD = /(?<![\w\\%])[A-Za-z]{3,20}(?:_[a-z]{3,20}){0,3}(?!\w)/g;
/** A random string of letters changes case within three letters. */
const RANDOM = /[a-z][A-Z]{1,2}[a-z]{0,2}[A-Z]|[A-Z][a-z][A-Z]|[bcdfghjklmnpqrstvwxz]{5}/;
const SHORTEST = 6;

function noteWords(
  text: string,
  place: number,
  session: readonly string[],
  known: Map<string, Occurrences>,
): void {
  // Every run counts for where a word is elsewhere, so that it is rare indeed; only readable ones are drawn.
  const isDrawn = place !== ELSEWHERE;
  for (const [run] of isDrawn ? text.matchAll(RUN) : [[text]]) {
    for (const [found] of run.matchAll(WORD)) {
      if (found.length < SHORTEST) continue;
      const word = found.toLowerCase();
      const before = known.get(word);
      const isReadable = !RANDOM.test(found);
      if (before === undefined)
        known.set(word, { word: found, places: isReadable ? place : ELSEWHERE, session });
      else {
        before.places |= isReadable ? place : ELSEWHERE;
        if (before.session?.[0] !== session[0]) before.session = undefined;
      }
    }
  }
}
