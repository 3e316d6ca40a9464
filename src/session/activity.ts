import type { ReplyEntry, ResultsEntry, Usage } from "./entry.ts";
import { createNameTable } from "./name-table.ts";
import { type Answered, FIRST_RESULT } from "./steps.ts";

/**
 * What the messages of a session used and did, sub-agents included. A message counts once, however many lines, copies and
 * forks it is in.
 */
export interface Activity {
  readonly models: readonly string[];
  /** `WIDTH` numbers for each message, in the order of `column`: a log of gigabytes has a million of them. */
  readonly messages: readonly number[];
}

/** The numbers of a message. */
export const column = {
  /** Identifies it across sessions. */
  key: 0,
  /** Milliseconds since 1970; -1 if the log has no times. */
  at: 1,
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
  finish(model: string | null, others: readonly Activity[]): Activity;
}

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
      messages.push(keyOf(name, entry), entry.at ?? -1, last, 0, 0, 0, 0, 0, 0, 0);
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
    finish: (model, others) => mergeActivity([withModel({ models, messages }, model), ...others]),
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

/** Names as long as this are random; shorter ones (a number within a session) are told apart by their time. */
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

function withModel(activity: Activity, model: string | null): Activity {
  if (model === null) return activity;
  const models = [...activity.models, model];
  const messages = activity.messages.map((value, index) =>
    index % WIDTH === column.model && value === -1 ? models.length - 1 : value,
  );
  return { models, messages };
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
      if (seen.has(key) || numbers.slice(column.inputTokens).every((amount) => amount === 0)) continue;
      seen.add(key);
      const name = each.models[numbers[column.model] ?? -1];
      if (name !== undefined && !models.includes(name)) models.push(name);
      numbers[column.model] = name === undefined ? -1 : models.indexOf(name);
      for (const value of numbers) messages.push(value);
    }
  }
  return { models, messages };
}
