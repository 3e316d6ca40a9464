import type { Session } from "../session/session.ts";
import type { ClosedItem, PendingItem } from "./digest.ts";
import { sentences, shorten } from "./sentences.ts";

const KEYWORD = /\b(?:todos?|next|pending|follow[- ]?ups?|remaining)\b/i;
const KEYWORD_CHARS = 160;
/** Only the end of a session says what is open: what older sentences announce is mostly done. */
const MAX_TEXTS = 3;
const MAX_KEYWORD_ITEMS = 6;
/** An agent that says what it is doing right now does not name open work. */
const NARRATION = /^(?:next,? (?:i'll|let me|i will|i'm)|now,? |let me|let's look)/i;

/**
 * Lists open work: unfinished items of the agent's own todo list, then sentences with the keywords. Each says where it
 * comes from. `turn` is the last one that changed the todo list.
 */
export function extractPending(session: Session, turn: number | null): readonly PendingItem[] {
  const todos = session.work.flatMap(({ id, text, status }): PendingItem[] =>
    status === "pending" || status === "in_progress"
      ? [{ text, turn, source: "todo", status, ...(id === undefined ? {} : { id }) }]
      : [],
  );
  return [...todos, ...keywordItems(session)];
}

/** Lists work that this session finished or dropped. */
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
    if (++texts === MAX_TEXTS) break;
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
