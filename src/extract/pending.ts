import type { Session } from "../session/session.ts";
import type { ClosedItem, PendingItem } from "./digest.ts";

const KEYWORD = /\b(?:todos?|next|pending|follow[- ]?ups?|remaining)\b/i;
const KEYWORD_CHARS = 160;
/** Only the end of a session says what is open: older sentences are mostly done. */
const TEXTS_LOOKED_AT = 3;
const MAX_KEYWORD_ITEMS = 6;
/** The agent telling what it does this moment is no open work. */
const NARRATION = /^(?:next,? (?:i'll|let me|i will|i'm)|now,? |let me|let's look)/i;

/** `turn` is the one that said last what is to be done. Unfinished items of the agent's own lists, then sentences with the keywords. Each says where it comes from. */
export function extractPending(session: Session, turn: number | null): readonly PendingItem[] {
  const todos = session.work.flatMap(({ id, text, status }): PendingItem[] =>
    status === "pending" || status === "in_progress"
      ? [{ text, turn, source: "todo", status, ...(id === undefined ? {} : { id }) }]
      : [],
  );
  return [...todos, ...keywordItems(session)];
}

/** What this session finished or dropped. */
export function closedWork(session: Session): readonly ClosedItem[] {
  return session.work.flatMap(({ id, text, status }) =>
    status === "completed" || status === "deleted" ? [{ text, ...(id === undefined ? {} : { id }) }] : [],
  );
}

function keywordItems(session: Session): readonly PendingItem[] {
  const items: PendingItem[] = [];
  let texts = 0;
  for (const { turn, text } of textsFromTheEnd(session)) {
    if (!KEYWORD.test(text)) continue;
    for (const sentence of sentences(text)) {
      if (!KEYWORD.test(sentence) || NARRATION.test(sentence)) continue;
      items.push({ text: shorten(sentence, KEYWORD_CHARS), turn, source: "keyword" });
    }
    if (++texts === TEXTS_LOOKED_AT) break;
  }
  return items.slice(0, MAX_KEYWORD_ITEMS);
}

function* textsFromTheEnd({ turns }: Session): Generator<{ readonly turn: number; readonly text: string }> {
  for (let index = turns.length - 1; index >= 0; index--) {
    const turn = turns[index];
    if (turn === undefined || turn.context === "branch") continue;
    const { number, steps } = turn;
    for (let at = steps.length - 1; at >= 0; at--) {
      const step = steps[at];
      if (step?.kind === "reply") yield { turn: number, text: step.text };
    }
    yield { turn: number, text: turn.request };
  }
}

/**
 * Cuts prose into sentences: at line ends, and behind `.`, `!`, `?` and their CJK kin where white
 * space or the end follows. List marks, headings and quotes at the beginning are left out, code
 * fences whole.
 */
export function* sentences(text: string): Generator<string> {
  let inFence = false;
  for (const line of text.split("\n")) {
    if (/^\s*(?:```|~~~)/.test(line)) {
      inFence = !inFence;
      continue;
    }
    if (inFence) continue;
    const prose = line
      .replace(/^\s*(?:[-*+>#|]+|\d{1,3}[.)])\s+/, "")
      .replace(/\*\*|__/g, "")
      .trim();
    let from = 0;
    for (const match of prose.matchAll(/[.!?](?=\s|$)|[\u3002\uff01\uff1f]/g)) {
      const end = match.index + 1;
      const sentence = prose.slice(from, end).trim();
      if (sentence !== "") yield sentence;
      from = end;
    }
    const rest = prose.slice(from).trim();
    if (rest !== "") yield rest;
  }
}

/** At most `max` characters, cut with an ellipsis. */
export function shorten(text: string, max: number): string {
  const flat = text.length > 4 * max ? text.slice(0, 4 * max) : text;
  const line = flat.replace(/\s+/g, " ").trim();
  return line.length <= max ? line : `${line.slice(0, max - 1).trimEnd()}…`;
}
