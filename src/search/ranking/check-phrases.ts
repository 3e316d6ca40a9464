import { once } from "../../fs/once.ts";
import { classAt, isDigit, isUpper, unitAt, WORD } from "../analysis/characters.ts";
import { terminalColors } from "../analysis/escapes.ts";
import { termOf } from "../analysis/token.ts";
import type { SessionScores } from "./aggregate-by-session.ts";
import { evaluate } from "./evaluate.ts";
import { type DocumentKind, type FieldTable, fieldBits } from "./index-schema.ts";
import type { IndexView } from "./index-view.ts";
import { exactTerm } from "./query-node.ts";
import { type DocumentSet, documentsIn, hasClause } from "./scorer.ts";
import type { Clause, PhraseClause } from "./search-plan.ts";

/*
 * Postings have no positions. A phrase is found by its words first; then the texts of the documents that have all of
 * them are read to see whether the words are next to each other.
 */

/** The maximum number of texts that are read once the page is full: after that only the total may change. */
const MAX_TEXTS = 200;
/** The maximum number that are read until then: a phrase of common words may be in the last of many candidates. */
const MAX_TEXTS_FOR_A_PAGE = 2_000;
/** The maximum number of matching turns per session and phrase: more are not shown. */
const MAX_TURNS = 5;

/** A session with its final score. */
export interface RankedSession {
  readonly session: number;
  readonly score: number;
}

export interface PhraseCheck {
  /** The candidates that have the phrases, in their order. */
  readonly sessions: readonly RankedSession[];
  /** False if there were more candidates than texts may be read. */
  readonly isComplete: boolean;
  /** Whether a turn may be shown: with phrases, only a turn that has them. */
  isShown(turn: number): boolean;
}

/**
 * Keeps the sessions in which each phrase is in the card or a turn. An "any" clause with a plain word in it is met
 * without reading texts. `enough`: how many hits are required.
 */
export function checkPhrases(
  view: IndexView,
  clauses: readonly Clause[],
  scores: Pick<SessionScores, "hasCard" | "turns">,
  ranked: readonly RankedSession[],
  enough: number,
): PhraseCheck {
  const tests = clauses.flatMap((clause) => {
    const test = clauseTest(clause);
    return test === undefined ? [] : [{ clause, test }];
  });
  const places = phrasePlaces(
    view,
    tests.map(({ clause }) => clause),
  );

  let opened = 0;
  const checked = new Set<number>();
  const sessions: RankedSession[] = [];
  let isComplete = true;
  const isSpent = (): boolean => opened >= (sessions.length >= enough ? MAX_TEXTS : MAX_TEXTS_FOR_A_PAGE);
  for (const candidate of ranked) {
    if (isSpent()) {
      isComplete = false;
      break;
    }
    const { session } = candidate;
    const found: number[] = [];
    const hasAll = tests.every(({ test }, index) => {
      const isIn = (isPlace: boolean, texts: () => Texts): boolean => {
        if (!isPlace) return false;
        opened++;
        return test(texts());
      };
      let has = scores.hasCard(session) && isIn(places.inCard(session, index), () => view.cardTexts(session));
      let turns = 0;
      for (const turn of scores.turns(session)) {
        if (isSpent() || turns >= MAX_TURNS) break;
        const isThere =
          isIn(places.inTurn(turn, index), () => view.turnTexts(turn)) ||
          isIn(places.apart(turn, index), () => view.turnTextsApart(turn));
        if (!isThere) continue;
        has = true;
        turns++;
        found.push(turn);
      }
      return has;
    });
    if (!hasAll) {
      // A turn whose text was not read may have them.
      if (isSpent()) isComplete = false;
      continue;
    }
    sessions.push(candidate);
    for (const turn of found) checked.add(turn);
  }
  return { sessions, isComplete, isShown: (turn) => checked.has(turn) };
}

/** Whether any texts have to be read. */
export function hasPhrases(clauses: readonly Clause[]): boolean {
  return clauses.some((clause) => clauseTest(clause) !== undefined);
}

/** Texts by field name. */
export type Texts = Readonly<Record<string, string>>;
export type TextTest = (texts: Texts) => boolean;

/** How to check in a text whether a clause with phrases matches; undefined if its words are enough. */
export function clauseTest(clause: Clause): TextTest | undefined {
  if (clause.kind === "phrase") return checkPhrase(clause);
  if (clause.kind === "word") return undefined;
  const tests = clause.of.map(clauseTest);
  if (tests.includes(undefined)) return undefined;
  return (fields) => tests.some((test) => test?.(fields));
}

/** Returns a function that checks whether any of a document's texts has the phrase. */
export function checkPhrase(clause: PhraseClause): TextTest {
  const test = createPhraseTest(clause.text);
  return (fields) =>
    Object.entries(fields).some(
      ([name, text]) => (clause.fields === undefined || clause.fields.includes(name)) && test(text),
    );
}

/**
 * Tests whether a text has these words, in this order, with only space between them, ignoring case. They are whole
 * words: "is it" is not in "this item", nor "code 1" in "code 137". The last word may have another ending, and both
 * ends may be inside a name such as getUserById.
 */
function createPhraseTest(phrase: string): (text: string) => boolean {
  const words = flatten(phrase).trim().toLowerCase();
  const lastWord = /[a-z]*$/.exec(words)?.[0] ?? "";
  return (text) => {
    const flat = flatten(text);
    const lower = flat.toLowerCase();
    // A few letters are longer in lower case: then capitals cannot be told.
    const cased = flat.length === lower.length ? flat : lower;
    for (let at = lower.indexOf(words); at !== -1; at = lower.indexOf(words, at + 1)) {
      const end = at + words.length;
      if (isBorder(cased, at) && (isBorder(cased, end) || isEnding(lower, end, lastWord))) return true;
    }
    return false;
  };
}

/** Turns line breaks and runs of spaces into one space (a phrase may be wrapped) and removes terminal colors. */
function flatten(text: string): string {
  const plain = text.includes("\u001b[") ? text.replace(terminalColors, "") : text;
  return plain.normalize("NFKC").replaceAll("’", "'").replace(/\s+/g, " ");
}

/** Whether a position is not inside a word. Scripts without spaces between words have borders everywhere. */
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

/** Whether the following letters are an ending of the same word, as "codes" for "code". */
function isEnding(text: string, end: number, word: string): boolean {
  endings.lastIndex = end;
  const [ending = ""] = endings.exec(text) ?? [];
  return word !== "" && isBorder(text, end + ending.length) && termOf(word + ending) === termOf(word);
}

const endings = /[a-z]{1,4}/y;

/** Which documents may have a phrase: those with all of its words in one field. Clauses are given by index. */
export interface PhrasePlaces {
  inCard(session: number, clause: number): boolean;
  inTurn(turn: number, clause: number): boolean;
  /** In texts that are stored "apart". */
  apart(turn: number, clause: number): boolean;
  /** The documents that may have any of the phrases. */
  documents(): Readonly<Record<DocumentKind, Uint32Array>>;
}

export function phrasePlaces(view: IndexView, clauses: readonly Clause[]): PhrasePlaces {
  const phrases = clauses.map(phrasesOf);
  const terms = [...new Set(phrases.flat().flatMap((phrase) => phrase.terms))];
  const names = [...new Set(view.fields.flatMap(({ name, stored }) => (stored === false ? [] : [name])))];
  /** One bit for each term in each field. */
  const found = once(() => {
    const nodes = terms.flatMap((term) =>
      names.map((name) => exactTerm(term, fieldBits(view.fields, [name]))),
    );
    const unweighted = view.fields.map(() => 1);
    return evaluate(view, nodes, unweighted);
  });
  const required = phrases.map((all) =>
    all.map((phrase) => ({
      terms: phrase.terms.map((term) => terms.indexOf(term) * names.length),
      mayBeIn: (place: number) => phrase.fields?.includes(names[place] ?? "") ?? true,
    })),
  );
  const has = (set: DocumentSet, document: number, clause: number, places: readonly number[]): boolean =>
    (required[clause] ?? []).some(({ terms: first, mayBeIn }) =>
      places.some(
        (place) =>
          first.length > 0 && mayBeIn(place) && first.every((bit) => hasClause(set, document, bit + place)),
      ),
    );
  const card = placesOf(view.fields, names, "card", true);
  const turn = placesOf(view.fields, names, "turn", true);
  const apart = placesOf(view.fields, names, "turn", "apart");
  return {
    inCard: (document, clause) => has(found().card, document, clause, card),
    inTurn: (document, clause) => has(found().turn, document, clause, turn),
    apart: (document, clause) => has(found().turn, document, clause, apart),
    documents: () => ({ card: documentsIn(found().card), turn: documentsIn(found().turn) }),
  };
}

function phrasesOf(clause: Clause): readonly PhraseClause[] {
  if (clause.kind === "any") return clause.of.flatMap(phrasesOf);
  return clause.kind === "phrase" ? [clause] : [];
}

/** The indexes of the names that are fields of this kind, stored this way. */
function placesOf(
  fields: FieldTable,
  names: readonly string[],
  kind: DocumentKind,
  stored: true | "apart",
): readonly number[] {
  return names.flatMap((name, place) =>
    fields.some((field) => field.name === name && field.kind === kind && field.stored === stored)
      ? [place]
      : [],
  );
}
