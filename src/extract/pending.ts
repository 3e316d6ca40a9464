import type { Session } from "../session/session.ts";
import type { ClosedItem, PendingItem } from "./digest.ts";
import { openEndsOf } from "./reply-open-work.ts";
import { reportsDone } from "./reply-reports.ts";
import { sentences, shorten } from "./sentences.ts";
import { endOf, type SessionEnd } from "./session-end.ts";

const ITEM_CHARS = 300;
const REQUEST_CHARS = 200;

/** The most certain items come first. */
const SOURCES: readonly PendingItem["source"][] = ["todo", "next", "question", "interrupted"];

/**
 * Lists work that the session left open, and says where each item comes from: the agent's own todo list, next steps and
 * offers of its last reply, questions that were never answered, and a request that was interrupted. `workTurn` is the last
 * turn that changed the todo list.
 */
export function extractPending(session: Session, workTurn: number | null): readonly PendingItem[] {
  const end = endOf(session);
  const replied = repliedWork(end);
  const todos = isOverdue(workTurn, end, replied) ? [] : openTodos(session, workTurn, end);
  // Entries after the end belong to the session that continued it.
  const ends =
    session.continuedIn === null
      ? [...replied, ...askedQuestions(end), ...interruptedWork(session, workTurn, end)]
      : [];
  const items = new Map<string, PendingItem>();
  for (const item of [...todos, ...ends])
    if (!items.has(item.text.toLowerCase())) items.set(item.text.toLowerCase(), item);
  return [...items.values()].toSorted((a, b) => SOURCES.indexOf(a.source) - SOURCES.indexOf(b.source));
}

/** A list that was not touched for this many turns is no longer in use. */
const OVERDUE_TURNS = 10;
const TO_FINISH = /\b(?:commit|push|merge|deploy|release|ship|submit)\b/i;

/** Whether the list was last changed long ago, while the last reply only offers to commit the work done since. */
function isOverdue(workTurn: number | null, { turn }: SessionEnd, replied: readonly PendingItem[]): boolean {
  if (workTurn === null || turn === null || turn - workTurn < OVERDUE_TURNS) return false;
  return replied.some(({ text }) => TO_FINISH.test(text));
}

/** Lists work that this session finished or dropped. */
export function closedWork(session: Session): readonly ClosedItem[] {
  return session.work.flatMap(({ id, text, status }) =>
    status === "completed" || status === "deleted" ? [{ text, ...(id === undefined ? {} : { id }) }] : [],
  );
}

/** Agents forget to tick off their list: items that the last reply reports as done are not open. */
function openTodos({ work }: Session, turn: number | null, { replies }: SessionEnd): readonly PendingItem[] {
  return work.flatMap(({ id, text, status }): PendingItem[] =>
    (status === "pending" || status === "in_progress") && !replies.some((reply) => reportsDone(reply, text))
      ? [{ text, turn, source: "todo", status, ...(id === undefined ? {} : { id }) }]
      : [],
  );
}

function repliedWork({ turn, replies }: SessionEnd): readonly PendingItem[] {
  return replies
    .flatMap(openEndsOf)
    .map(({ text, source }) => ({ text: shorten(text, ITEM_CHARS), turn, source }));
}

function askedQuestions({ turn, questions }: SessionEnd): readonly PendingItem[] {
  return questions.map((text) => ({ text: shorten(text, ITEM_CHARS), turn, source: "question" }));
}

/** Describes the request, and what the agent was about to do. */
function interruptedWork(
  { work }: Session,
  workTurn: number | null,
  { turn, request, cutOff, announced, questions }: SessionEnd,
): readonly PendingItem[] {
  if (cutOff === undefined || questions.length > 0) return [];
  // If the log ends in the middle of the work, the agent's own list shows better what is left, even if nothing is.
  if (cutOff === "running" && work.length > 0 && workTurn === turn) return [];
  const step = announced === undefined ? undefined : announcementIn(announced, request !== undefined);
  if (step === undefined && request !== undefined && isCommandLine(request)) return [];
  const text = [
    ...(request === undefined ? [] : [shortRequest(request)]),
    ...(step === undefined ? [] : [`stopped at: ${shorten(step, REQUEST_CHARS)}`]),
  ].join("; ");
  return text === "" ? [] : [{ text, turn, source: "interrupted" }];
}

/** Text typed for a program, not for an agent: `/model`, `status --help`. */
const COMMAND_LINE =
  /^\s*(?:\/[\w:.-]+|[\w./-]+(?: [\w./=:-]+){0,4} --?[a-z][\w=.-]*(?: [\w./=:-]+){0,2})\s*$/i;

function isCommandLine(request: string): boolean {
  return request.length < 200 && COMMAND_LINE.test(request);
}

const ANNOUNCES = /^(?:now|next|then|let me|let's|i'll|i will|i'm going to|time to)\b/i;

/** The last sentence, if it says what comes next; without a request, any sentence is better than none. */
function announcementIn(words: string, hasRequest: boolean): string | undefined {
  const last = [...sentences(words)].at(-1);
  return last !== undefined && (!hasRequest || ANNOUNCES.test(last)) ? last : undefined;
}

/**
 * People write their request before or after the pasted text: the first and the last line of a long request are kept.
 */
function shortRequest(request: string): string {
  const lines = request.split("\n").filter((line) => line.trim() !== "");
  const [first = ""] = lines;
  if (request.length <= REQUEST_CHARS || lines.length < 2) return shorten(request, REQUEST_CHARS);
  return `${shorten(first, REQUEST_CHARS / 2)} ${shorten(lines.at(-1) ?? "", REQUEST_CHARS / 2)}`;
}
