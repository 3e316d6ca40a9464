import { scanTokens } from "./scan-tokens.ts";
import type { Token } from "./token.ts";
import { DENSE_LAST, DENSE_NEXT, DENSE_ONLY, FIRST, NEXT, PAIR } from "./token-link.ts";

/** A name, or names that are tied to a path. */
export interface NameRun {
  readonly kind: "name";
  readonly text: string;
  readonly tokens: readonly Token[];
  /** The last two names as one. */
  readonly pair: Token | undefined;
}

/** Letters of a dense script: all pairs, or the single letter. */
export interface DenseRun {
  readonly kind: "dense";
  readonly text: string;
  readonly pairs: readonly string[];
  readonly letter: string;
}

export type QueryRun = NameRun | DenseRun;

/** No one types more; a pasted text need not be looked at to its end. */
const MAX_RUNS = 2_000;

interface OpenRun {
  readonly start: number;
  end: number;
  readonly tokens: Token[];
  pair: Token | undefined;
  readonly link: number;
}

/** Cuts a query into what hangs together in it. */
export function runsOf(text: string): readonly QueryRun[] {
  const runs: OpenRun[] = [];
  scanTokens(text, (token, start, end, link) => {
    const last = runs.at(-1);
    if (last !== undefined && (link === NEXT || link === DENSE_NEXT)) {
      last.tokens.push(token);
      last.end = end;
    } else if (last !== undefined && link === PAIR) {
      last.pair = token;
    } else if (
      link !== DENSE_LAST &&
      !text.startsWith("://", end) &&
      !isLineNumber(text, last, start, token)
    ) {
      runs.push({ start, end, tokens: [token], pair: undefined, link });
    }
    return runs.length > MAX_RUNS;
  });
  return runs.map((run) => closed(run, text.slice(run.start, run.end)));
}

/** The 12 and the 5 of token.ts:12:5 tell where, not what. */
function isLineNumber(text: string, last: OpenRun | undefined, start: number, token: Token): boolean {
  if (last === undefined || !/^\d+$/.test(token.raw)) return false;
  return (
    /^(?::\d+)*:$/.test(text.slice(last.end, start)) && /\.[A-Za-z]+$/.test(text.slice(last.start, last.end))
  );
}

function closed(run: OpenRun, text: string): QueryRun {
  if (run.link === FIRST) return { kind: "name", text, tokens: run.tokens, pair: run.pair };
  const pairs = run.tokens.map((token) => token.term ?? "");
  const [letter = ""] = pairs;
  return { kind: "dense", text, pairs: run.link === DENSE_ONLY ? [] : pairs, letter };
}
