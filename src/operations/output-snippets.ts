import { PASSAGE_CHARS } from "../core/documents/passage-chars.ts";
import { createRedactor } from "../core/redact/redact.ts";
import { once } from "../core/search/once.ts";
import type { SessionHit, TurnHit } from "../core/search/search-engine.ts";
import { makeSnippet, type Snippet } from "../core/snippet/make-snippet.ts";
import { errorCode } from "../store/disk-error.ts";
import type { SessionRow } from "./indexing/session-row.ts";
import type { Library } from "./library.ts";
import { outputsSince } from "./outputs-since.ts";
import { type HitSnippet, optionsOf, type ShownTerms } from "./search-snippets.ts";
import { wholeOutputs } from "./whole-outputs.ts";

/** Logs that are longer take too long for a search. */
const MAX_BYTES = 32 * 1024 * 1024;

/** A passage is at most this much of a log, nearly always; others are looked for in the whole of it. */
const WINDOW_BYTES = 512 * 1024;

/**
 * A passage of tool output, for a hit that has its words nowhere else. Output is found but not kept in the
 * index: it is read again from the log, or from the archive where that is gone. So there is one, of the best
 * turn that has any.
 */
export function outputSnippets(
  library: Library,
  row: SessionRow,
  hit: SessionHit,
  shown: ShownTerms,
  reveal: boolean,
): readonly HitSnippet[] {
  if (hit.turns.length === 0 || row.bytes > MAX_BYTES) return [];
  const { redact } = createRedactor({ extra: library.config.redact });
  // Before a passage is cut out of it: half of a secret is not known for one.
  const snippetIn = (text: string): Snippet | undefined =>
    makeSnippet(reveal ? text : redact(text), shown.terms, optionsOf(shown));
  const needsAll = hit.turns.some(({ context }) => context === "subagent");
  const whole = once(() => wholeOutputs(library, row, needsAll));
  for (const turn of hit.turns) {
    const { turn: number, at, context } = turn;
    const snippet = snippetIn(passageOutput(library, row, turn)) ?? snippetIn(whole()(turn));
    if (snippet === undefined) continue;
    const { text, highlights } = snippet;
    return [{ turn: number, role: "output", at, context, text, highlights }];
  }
  return [];
}

/** What tools gave back in a passage: a turn, or a part of a long one, that begins at a known moment. */
function passageOutput(library: Library, row: SessionRow, turn: TurnHit): string {
  const texts: string[] = [];
  let chars = 0;
  for (const text of outputsOfTurn(library, row, turn)) {
    texts.push(text);
    chars += text.length;
    if (chars >= PASSAGE_CHARS) break;
  }
  return texts.join("\n\n");
}

/** The output of a turn, out of the whole session: where its moment does not tell where it stands, or the log is gone. */
export function wholeOutput(library: Library, row: SessionRow, turn: TurnHit): string {
  return row.bytes > MAX_BYTES ? "" : wholeOutputs(library, row, turn.context === "subagent")(turn);
}

/** Each output from the moment on at which a passage begins, to the end of its turn or of the window. */
export function* outputsOfTurn(
  { disk }: Library,
  { agent, lead, origin }: SessionRow,
  { at, context }: TurnHit,
): Generator<string> {
  if (lead === null || at === null || origin !== "log" || context === "subagent") return;
  try {
    yield* outputsSince(disk, { agent, path: lead, since: at, maxBytes: WINDOW_BYTES });
  } catch (error) {
    // It went, or can't be read: the archive may have it.
    if (errorCode(error) === undefined) throw error;
  }
}

/** The passage of one text, masked before it is cut out: half of a secret is not known for one. */
export function outputSnippet(
  library: Library,
  { turn, at, context }: TurnHit,
  text: string,
  shown: ShownTerms,
  reveal: boolean,
): HitSnippet | undefined {
  const { redact } = createRedactor({ extra: library.config.redact });
  const snippet = makeSnippet(reveal ? text : redact(text), shown.terms, optionsOf(shown));
  if (snippet === undefined) return undefined;
  return { turn, role: "output", at, context, text: snippet.text, highlights: snippet.highlights };
}
