import { classAt, isDigit, isUpper, unitAt, WORD } from "../analysis/char-class.ts";
import { terminalColors } from "../analysis/escapes.ts";
import { termOf } from "../analysis/token.ts";
import type { IndexView } from "./index-view.ts";
import { phrasePlaces } from "./phrase-places.ts";
import type { RankedSession } from "./rank.ts";
import type { Clause, PhraseClause } from "./search-plan.ts";
import type { SessionScores } from "./session-scores.ts";

/**
 * Postings have no positions: texts are opened to see whether words stand together, each in 0.1 to 0.2 ms. So many
 * once there are sessions enough for the page: after that only the total is at stake.
 */
const MAX_TEXTS = 200;
/** And so many until then: a phrase of words that stand everywhere may be in the last one. */
const MAX_TEXTS_FOR_A_PAGE = 2_000;

export interface PhraseCheck {
  /** Those that have the phrases, in their order. */
  readonly sessions: readonly RankedSession[];
  /** False: there were more candidates than texts may be opened. */
  readonly isComplete: boolean;
  /** Whether a turn is one to be shown: with phrases, only one that has them. */
  isChecked(turn: number): boolean;
}

/**
 * Keeps the sessions in which each phrase stands in a card or a turn. A clause that is one of
 * several words or phrases is met by any word of it without a look at the text. `optional`: a
 * session without the phrase stays, because it need not have every clause. `enough`: how many are wanted.
 */
export function checkPhrases(
  view: IndexView,
  clauses: readonly Clause[],
  scores: SessionScores,
  ranked: readonly RankedSession[],
  { optional, enough }: { readonly optional: boolean; readonly enough: number },
): PhraseCheck {
  const tests = clauses.flatMap((clause) => {
    const test = clauseTest(clause);
    return test === undefined ? [] : [{ clause, test }];
  });
  if (tests.length === 0 || optional) return { sessions: ranked, isComplete: true, isChecked: () => true };
  const places = phrasePlaces(
    view,
    tests.map(({ clause }) => clause),
  );

  let opened = 0;
  const checked = new Set<number>();
  const sessions: RankedSession[] = [];
  let isComplete = true;
  const isTired = (): boolean => opened >= (sessions.length >= enough ? MAX_TEXTS : MAX_TEXTS_FOR_A_PAGE);
  for (const candidate of ranked) {
    if (isTired()) {
      isComplete = false;
      break;
    }
    const { session } = candidate;
    const found: number[] = [];
    const hasAll = tests.every(({ test }, index) => {
      const stands = (isPlace: boolean, texts: () => Texts): boolean => {
        if (!isPlace) return false;
        opened++;
        return test(texts());
      };
      let has =
        scores.hasCard(session) && stands(places.inCard(session, index), () => view.cardTexts(session));
      let turns = 0;
      for (const turn of scores.turns(session)) {
        if (isTired() || turns >= MAX_TURNS) break;
        const isThere =
          stands(places.inTurn(turn, index), () => view.turnTexts(turn)) ||
          stands(places.apart(turn, index), () => view.turnTextsApart(turn));
        if (!isThere) continue;
        has = true;
        turns++;
        found.push(turn);
      }
      return has;
    });
    if (!hasAll) {
      // Perhaps it has them in a turn that was not looked at any more.
      if (isTired()) isComplete = false;
      continue;
    }
    sessions.push(candidate);
    for (const turn of found) checked.add(turn);
  }
  return { sessions, isComplete, isChecked: (turn) => checked.has(turn) };
}

/** Whether texts are opened at all. */
export function hasPhrases(clauses: readonly Clause[]): boolean {
  return clauses.some((clause) => clauseTest(clause) !== undefined);
}

/** Turns of one session that are looked for, of each phrase: more are not shown. */
const MAX_TURNS = 5;

/** By field. */
export type Texts = Readonly<Record<string, string>>;
type TextTest = (texts: Texts) => boolean;

function clauseTest(clause: Clause): TextTest | undefined {
  if (clause.kind === "phrase") return phraseTest(clause);
  if (clause.kind === "word") return undefined;
  const tests = clause.of.map(clauseTest);
  if (tests.includes(undefined)) return undefined;
  return (fields) => tests.some((test) => test?.(fields));
}

export function phraseTest(clause: PhraseClause): TextTest {
  const test = createPhraseTest(clause.text);
  return (fields) =>
    Object.entries(fields).some(
      ([name, text]) => (clause.fields === undefined || clause.fields.includes(name)) && test(text),
    );
}

/**
 * Whether a text has these words, in this order, with nothing but space between them, case aside. They are whole
 * words: "is it" does not stand in "this item", nor "code 1" in "code 137". The last one may have another
 * ending, and both ends may stand inside of a name such as getUserById.
 */
function createPhraseTest(phrase: string): (text: string) => boolean {
  const wanted = flatten(phrase).trim().toLowerCase();
  const lastWord = /[a-z]*$/.exec(wanted)?.[0] ?? "";
  return (text) => {
    const flat = flatten(text);
    const lower = flat.toLowerCase();
    // A few letters are longer in lower case: then nothing is known of capitals.
    const cased = flat.length === lower.length ? flat : lower;
    for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, at + 1)) {
      const end = at + wanted.length;
      if (isBorder(cased, at) && (isBorder(cased, end) || isEnding(lower, end, lastWord))) return true;
    }
    return false;
  };
}

/** Line breaks and runs of spaces count as one space: a phrase may be wrapped. Colours of terminals are not seen. */
function flatten(text: string): string {
  const plain = text.includes("\u001b[") ? text.replace(terminalColors, "") : text;
  return plain.normalize("NFKC").replaceAll("’", "'").replace(/\s+/g, " ");
}

/** Not inside of a word. Scripts that put no space between words have borders everywhere. */
function isBorder(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return true;
  if (classAt(text, at - 1) !== WORD || classAt(text, at) !== WORD) return true;
  const [before, after] = [unitAt(text, at - 1), unitAt(text, at)];
  return (
    before === UNDERSCORE ||
    after === UNDERSCORE ||
    isDigit(before) !== isDigit(after) ||
    (isUpper(after) && !isUpper(before))
  );
}

const UNDERSCORE = 95;

/** What follows belongs to the same word: codes, where code is wanted. */
function isEnding(text: string, end: number, word: string): boolean {
  endings.lastIndex = end;
  const [ending = ""] = endings.exec(text) ?? [];
  return word !== "" && isBorder(text, end + ending.length) && termOf(word + ending) === termOf(word);
}

const endings = /[a-z]{1,4}/y;
