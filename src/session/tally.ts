import type { ReplyEntry, Usage, WorkItem, WorkUpdate } from "./entry.ts";
import type { NameTable } from "./name-table.ts";
import { NONE, type TreeEntry } from "./node-table.ts";
import type { Characters, SessionUsage } from "./session.ts";
import { type Answered, FIRST_RESULT } from "./steps.ts";

/** Counts messages, characters and tokens. Sub-agents inside the log do not count for the session. */
interface Tally {
  /** `answered` has one element for each result of a results entry. */
  add(entry: TreeEntry, node: number, answered: readonly Answered[]): void;
  readonly work: WorkList;
  /** The last model that replied. */
  model(): string | null;
  counts(requests: number): { readonly user: number; readonly assistant: number; readonly tool: number };
  characters(): Characters;
  usage(isCurrent: (node: number) => boolean): SessionUsage;
}

export function createTally(messages: NameTable): Tally {
  const work = createWorkList();
  const usages = createUsageTable();
  const characters = { toolResults: 0, toolInputs: 0, assistantText: 0, userText: 0 };
  let model: string | null = null;
  let toolMessages = 0;

  const addReply = (entry: ReplyEntry, node: number): void => {
    model = entry.model ?? model;
    const name = entry.message ?? entry.uid;
    const number = name === undefined ? messages.unnamed() : messages.number(name);
    usages.set(number, entry.usage, entry.uid === undefined ? NONE : node);
    for (const part of entry.parts) {
      if (part.kind === "call") {
        characters.toolInputs += part.inputChars;
        if (part.work !== undefined) work.update(part.work, part.id);
      } else characters.assistantText += part.chars;
    }
  };

  return {
    work,
    add(entry, node, answered) {
      if (entry.sidechain !== undefined) return;
      switch (entry.kind) {
        case "results":
          for (let index = 0; index < entry.results.length; index++) {
            const result = entry.results[index];
            if (result === undefined) continue;
            if (((answered[index] ?? 0) & FIRST_RESULT) !== 0) toolMessages++;
            characters.toolResults += result.chars;
            work.answered(result.callId, result.isError);
            if (result.work !== undefined) work.update(result.work, result.callId);
          }
          return;
        case "reply":
          addReply(entry, node);
          return;
        case "request":
          characters.userText += entry.chars;
          return;
        case "note":
          if (entry.about !== "system" && entry.about !== "error") characters.userText += entry.chars;
          return;
        case "summary":
          characters.userText += entry.text.length;
          return;
        case "compaction":
          characters.userText += entry.summary?.length ?? 0;
          return;
        case "link":
          return;
      }
    },
    model: () => model,
    counts: (requests) => ({ user: requests, assistant: usages.count(), tool: toolMessages }),
    characters: () => ({ ...characters }),
    usage: (isCurrent) => usages.total((node) => node === NONE || isCurrent(node)),
  };
}

/** Tokens by number of the message. A message may be several lines, each with the usage so far: the last line counts. */
interface UsageTable {
  set(message: number, usage: Usage | undefined, node: number): void;
  /** How many messages there are. */
  count(): number;
  /** Adds up all messages; the last current one has the size of the context. */
  total(isCurrent: (node: number) => boolean): SessionUsage;
}

/** More than any message uses. */
const MOST_TOKENS = 2 ** 31 - 1;
const ABSENT = -2;
const UNKNOWN = -1;

/** The columns of a message in the list. */
const NODE = 0;
const INPUT = 1;
const OUTPUT = 2;
const CACHE_READ = 3;
const CACHE_WRITE = 4;
const WIDTH = 5;

function createUsageTable(): UsageTable {
  let rows = new Int32Array(64 * WIDTH);
  /** Number of messages up to the last that was set. */
  let length = 0;
  let count = 0;
  const growTo = (message: number): void => {
    if ((message + 1) * WIDTH > rows.length) {
      const grown = new Int32Array(Math.max(rows.length * 2, (message + 1) * WIDTH));
      grown.set(rows);
      rows = grown;
    }
    rows.fill(UNKNOWN, length * WIDTH, (message + 1) * WIDTH);
    for (; length <= message; length++) rows[length * WIDTH + NODE] = ABSENT;
  };
  return {
    set(message, usage, node) {
      if (length <= message) growTo(message);
      const row = message * WIDTH;
      if (rows[row + NODE] === ABSENT) count++;
      rows[row + NODE] = node;
      if (usage === undefined) return;
      rows[row + INPUT] = bounded(usage.inputTokens);
      rows[row + OUTPUT] = bounded(usage.outputTokens);
      rows[row + CACHE_READ] = bounded(usage.cacheReadTokens);
      rows[row + CACHE_WRITE] = bounded(usage.cacheWriteTokens);
    },
    count: () => count,
    total(isCurrent) {
      const total = {
        inputTokens: 0,
        outputTokens: 0,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        contextTokens: 0,
      };
      let last = -1;
      for (let row = 0; row < length * WIDTH; row += WIDTH) {
        if (rows[row + INPUT] === UNKNOWN) continue;
        total.inputTokens += rows[row + INPUT] ?? 0;
        total.outputTokens += rows[row + OUTPUT] ?? 0;
        total.cacheReadTokens += rows[row + CACHE_READ] ?? 0;
        total.cacheWriteTokens += rows[row + CACHE_WRITE] ?? 0;
      }
      for (let row = (length - 1) * WIDTH; row >= 0 && last === -1; row -= WIDTH)
        if (contextOf(rows, row) > 0 && isCurrent(rows[row + NODE] ?? ABSENT)) last = row;
      total.contextTokens = last === -1 ? 0 : contextOf(rows, last);
      return total;
    },
  };
}

/** Limits a number to what the list can hold. */
function bounded(tokens: number): number {
  return Math.min(MOST_TOKENS, Math.max(0, tokens));
}

function contextOf(rows: Int32Array, row: number): number {
  if (rows[row + INPUT] === UNKNOWN) return 0;
  return (rows[row + INPUT] ?? 0) + (rows[row + CACHE_READ] ?? 0) + (rows[row + CACHE_WRITE] ?? 0);
}

/** The agent's own todo list: updates are applied in order, the last state counts. */
interface WorkList {
  update(update: WorkUpdate, callId: string): void;
  /** The call has its result. If that is an error, the call changed nothing. */
  answered(callId: string, isError: boolean): void;
  items(): readonly WorkItem[];
}

function createWorkList(): WorkList {
  let list: readonly WorkItem[] = [];
  /** Tasks by id; a task whose id is not known yet, by its call. */
  const tasks = new Map<string, WorkItem>();
  /** Takes back what calls without a result changed, if nothing has changed it since. */
  const undo = new Map<string, () => void>();
  const putTask = (id: string, task: WorkItem, callId: string): void => {
    const before = tasks.get(id);
    tasks.set(id, task);
    undo.set(callId, () => {
      if (tasks.get(id) !== task) return;
      if (before === undefined) tasks.delete(id);
      else tasks.set(id, before);
    });
  };
  return {
    answered(callId, isError) {
      if (isError) undo.get(callId)?.();
      undo.delete(callId);
    },
    update(update, callId) {
      switch (update.kind) {
        case "list": {
          const before = list;
          list = update.items;
          undo.set(callId, () => {
            if (list === update.items) list = before;
          });
          return;
        }
        case "create":
          putTask(`call:${callId}`, { text: update.text, status: "pending" }, callId);
          return;
        case "created": {
          const created = tasks.get(`call:${callId}`);
          tasks.delete(`call:${callId}`);
          tasks.set(update.id, {
            id: update.id,
            text: update.text ?? created?.text ?? "",
            status: "pending",
          });
          return;
        }
        case "update": {
          const task = tasks.get(update.id) ?? { id: update.id, text: "", status: "pending" };
          const { text = task.text, status = task.status } = update;
          putTask(update.id, { ...task, text, status }, callId);
          return;
        }
        case "plan":
          return;
      }
    },
    // A task that another session created has no text here, but it is worth recording that it was closed.
    items: () =>
      [...list, ...tasks.values()].filter(
        ({ text, status }) => text !== "" || status === "completed" || status === "deleted",
      ),
  };
}
