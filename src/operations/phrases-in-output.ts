import { createPhraseTest } from "../core/search/phrase.ts";
import type { SessionHit, TurnHit } from "../core/search/search-engine.ts";
import type { SessionRow } from "./indexing/session-row.ts";
import type { Library } from "./library.ts";
import { outputsOfTurn, wholeOutput } from "./output-snippets.ts";

/** A session of which the log has told that it has the phrases, and the text that has one of them. */
export interface ConfirmedHit {
  readonly hit: SessionHit;
  /** The turn of the text, by its place among the hit's turns. */
  readonly place: number;
  readonly text: string;
}

/** Turns for which a whole session is read. */
const MAX_WHOLE = 5;

/**
 * Of sessions that have the words of phrases in tool output, which the index does not keep, those that have them
 * together. Their logs are read, from the moments on that the index knows.
 */
export function phrasesInOutput(
  library: Library,
  hits: readonly SessionHit[],
  phrases: readonly string[],
): readonly ConfirmedHit[] {
  const tests = phrases.map(createPhraseTest);
  let whole = 0;
  function* outputs(row: SessionRow, turn: TurnHit): Generator<string> {
    let hasAny = false;
    for (const text of outputsOfTurn(library, row, turn)) {
      hasAny = true;
      yield text;
    }
    if (!hasAny && whole++ < MAX_WHOLE) yield wholeOutput(library, row, turn);
  }
  return hits.flatMap((hit) => {
    const kept = [hit.card ?? {}, ...hit.turns.map(({ fields }) => fields)].flatMap((each) =>
      Object.values(each),
    );
    const missing = new Set(tests.filter((test) => !kept.some(test)));
    const row: SessionRow = JSON.parse(hit.row);
    let found: ConfirmedHit | undefined;
    for (const [place, turn] of hit.turns.entries()) {
      for (const text of outputs(row, turn)) {
        for (const test of missing) {
          if (!test(text)) continue;
          missing.delete(test);
          found ??= { hit, place, text };
        }
        if (missing.size === 0) return found === undefined ? [] : [found];
      }
    }
    return [];
  });
}
