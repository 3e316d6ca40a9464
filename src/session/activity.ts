import type { ReplyEntry, ResultsEntry, Usage } from "./entry.ts";
import { createNameTable } from "./name-table.ts";
import { type Answered, FIRST_RESULT } from "./steps.ts";

/**
 * The activity of a session's messages, sub-agents included. A message counts once, however many lines, copies and
 * forks it is in.
 */
export interface Activity {
  readonly models: readonly string[];
  /** `WIDTH` numbers for each message, in the order of `column`: a log of gigabytes has a million of them. */
  readonly messages: readonly number[];
}

/** Half an hour: fine enough for the days of nearly every time zone, and few numbers per session. */
export const SLOT_MS: number = 30 * 60 * 1000;

/** The slot of messages without a time. */
export const NO_SLOT = -1;

/** The half hour since 1970 that a time is in. */
export function slotOf(at: number | null | undefined): number {
  return at === null || at === undefined || at < 0 ? NO_SLOT : Math.floor(at / SLOT_MS);
}

/** The numbers of one message. */
export const column = {
  /** Identifies it across sessions. */
  key: 0,
  /** Half hours since 1970. */
  slot: 1,
  /** Index in `models`; -1 if it is not known. */
  model: 2,
  inputTokens: 3,
  outputTokens: 4,
  cacheReadTokens: 5,
  cacheWriteTokens: 6,
  /** Of those written to the cache: kept for an hour, at a higher price. */
  hourCacheWriteTokens: 7,
  toolCalls: 8,
  failures: 9,
} as const;

export const WIDTH = 10;

interface ActivityTally {
  addReply(entry: ReplyEntry): void;
  /** `answered` has one element for each result. */
  addResults(entry: ResultsEntry, answered: readonly Answered[]): void;
  /** `otherwise` are model and time of messages that name none; `others` are the activities of sub-agents. */
  finish(
    otherwise: { readonly model: string | null; readonly at: number | null },
    others: readonly Activity[],
  ): Activity;
}

/** Counts nothing, for those who only read. */
export const noActivity: ActivityTally = {
  addReply: () => {},
  addResults: () => {},
  finish: () => ({ models: [], messages: [] }),
};

export function createActivityTally(): ActivityTally {
  const names = createNameTable();
  const calls = createNameTable();
  /** The message of each call without a result. */
  const openCalls = new Map<string, number>();
  const models: string[] = [];
  const messages: number[] = [];

  const modelOf = (name: string): number => {
    const known = models.lastIndexOf(name);
    return known === -1 ? models.push(name) - 1 : known;
  };
  const startOf = (entry: ReplyEntry): number => {
    const name = entry.message ?? entry.uid;
    const message = (name === undefined ? names.unnamed() : names.number(name)) * WIDTH;
    while (messages.length <= message) {
      const last = messages.length === 0 ? -1 : (messages[messages.length - WIDTH + column.model] ?? -1);
      messages.push(keyOf(name, entry), slotOf(entry.at), last, 0, 0, 0, 0, 0, 0, 0);
    }
    return message;
  };
  const add = (message: number, which: number, amount: number): void => {
    messages[message + which] = (messages[message + which] ?? 0) + amount;
  };

  return {
    addReply(entry) {
      const message = startOf(entry);
      if (entry.model !== undefined) messages[message + column.model] = modelOf(entry.model);
      if (entry.usage !== undefined) setUsage(messages, message, entry.usage);
      for (const part of entry.parts) {
        // A line may come twice, with the same call.
        if (part.kind !== "call" || calls.find(part.id) !== -1) continue;
        calls.number(part.id);
        openCalls.set(part.id, message);
        add(message, column.toolCalls, 1);
      }
    },
    addResults({ results }, answered) {
      results.forEach(({ callId, isError }, index) => {
        const message = openCalls.get(callId);
        openCalls.delete(callId);
        const isFirst = ((answered[index] ?? 0) & FIRST_RESULT) !== 0;
        if (message !== undefined && isFirst && isError) add(message, column.failures, 1);
      });
    },
    finish({ model, at }, others) {
      const settled = settleMessages(messages, slotOf(at), (index) => models[index] ?? model ?? undefined);
      const own = { models: settled, messages };
      return others.length === 0 ? own : mergeActivity([own, ...others]);
    },
  };
}

/** The last line of a message has its final usage. */
function setUsage(messages: number[], message: number, usage: Usage): void {
  messages[message + column.inputTokens] = whole(usage.inputTokens);
  messages[message + column.outputTokens] = whole(usage.outputTokens);
  messages[message + column.cacheReadTokens] = whole(usage.cacheReadTokens);
  messages[message + column.cacheWriteTokens] = whole(usage.cacheWriteTokens);
  messages[message + column.hourCacheWriteTokens] = whole(usage.hourCacheWriteTokens ?? 0);
}

function whole(tokens: number): number {
  return Number.isSafeInteger(tokens) && tokens > 0 ? tokens : 0;
}

/** Names of this length are random; shorter ones (a number within a session) are distinguished by their time. */
const UNIQUE_CHARS = 16;

function keyOf(name: string | undefined, { at, line }: ReplyEntry): number {
  if (name !== undefined && name.length >= UNIQUE_CHARS) return hashOf(name);
  return hashOf(`${name ?? line} ${at ?? ""}`);
}

/** 52 bits, so that it is a number. */
function hashOf(text: string): number {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 0x9e3779b1);
    b = Math.imul(b ^ code, 0x5f356495);
    a ^= a >>> 15;
    b ^= b >>> 13;
  }
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  return (b >>> 12) * 2 ** 32 + (a >>> 0);
}

/**
 * Drops messages that did nothing, gives those without a time a slot, and numbers the remaining models, whose names
 * it returns. In place: a log of gigabytes has a million messages, and copies of them would take much memory.
 */
function settleMessages(
  messages: number[],
  slot: number,
  modelAt: (index: number) => string | undefined,
): readonly string[] {
  const models: string[] = [];
  let kept = 0;
  for (let from = 0; from < messages.length; from += WIDTH) {
    if (isIdle(messages, from)) continue;
    messages.copyWithin(kept, from, from + WIDTH);
    const name = modelAt(messages[kept + column.model] ?? -1);
    if (name !== undefined && !models.includes(name)) models.push(name);
    messages[kept + column.model] = name === undefined ? -1 : models.indexOf(name);
    if (messages[kept + column.slot] === NO_SLOT) messages[kept + column.slot] = slot;
    kept += WIDTH;
  }
  messages.length = kept;
  return models;
}

function isIdle(messages: readonly number[], from: number): boolean {
  for (let which: number = column.inputTokens; which < WIDTH; which++)
    if (messages[from + which] !== 0) return false;
  return true;
}

/** Joins activities; of a message that is in several, the first counts. Messages that did nothing are left out. */
export function mergeActivity(all: readonly Activity[]): Activity {
  const models: string[] = [];
  const messages: number[] = [];
  const seen = new Set<number>();
  for (const each of all) {
    for (let from = 0; from < each.messages.length; from += WIDTH) {
      const numbers = each.messages.slice(from, from + WIDTH);
      const key = numbers[column.key] ?? 0;
      if (seen.has(key) || isIdle(numbers, 0)) continue;
      seen.add(key);
      const name = each.models[numbers[column.model] ?? -1];
      if (name !== undefined && !models.includes(name)) models.push(name);
      numbers[column.model] = name === undefined ? -1 : models.indexOf(name);
      for (const value of numbers) messages.push(value);
    }
  }
  return { models, messages };
}
