import type { Session, Turn } from "../model/session.ts";
import type { ClosedItem, PendingItem } from "./digest.ts";
import { sentences, shorten } from "./sentences.ts";

const KEYWORD = /\b(?:todos?|next|pending|follow[- ]?ups?|remaining)\b/i;
const KEYWORD_CHARS = 160;
/** Only the end of a session says what is open: older sentences are mostly done. */
const TEXTS_LOOKED_AT = 3;
const MAX_KEYWORD_ITEMS = 6;
/** The agent telling what it does this moment is no open work. */
const NARRATION = /^(?:next,? (?:i'll|let me|i will|i'm)|now,? |let me|let's look)/i;

/** Unfinished items of the agent's own lists, then sentences with the keywords. Each says where it comes from. */
export function extractPending(session: Session): readonly PendingItem[] {
  const turn = lastWorkTurn(session);
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

function* textsFromTheEnd(session: Session): Generator<{ readonly turn: number; readonly text: string }> {
  for (const turn of session.turns.toReversed()) {
    if (turn.context === "branch") continue;
    for (const step of turn.steps.toReversed())
      if (step.kind === "reply") yield { turn: turn.number, text: step.text };
    yield { turn: turn.number, text: turn.request };
  }
}

/** The turn whose todo or task calls were the last. */
function lastWorkTurn(session: Session): number | null {
  return (
    session.turns.findLast((turn: Turn) =>
      turn.steps.some((step) => step.kind === "tool" && WORK_TOOL.test(step.call.name)),
    )?.number ?? null
  );
}

const WORK_TOOL = /^(?:TodoWrite|Task(?:Create|Update)|todo|update_plan)/i;
