import type { ReplyPart, ToolCallPart, ToolResult } from "./entry.ts";
import { createNameTable } from "./name-table.ts";
import {
  type KeptReply,
  NONE,
  type NodeTable,
  REPLY,
  REQUEST,
  RESULTS,
  RESULTS_WITH_THEIR_CALLS,
} from "./node-table.ts";
import type { CallResult, Context, Step, ToolCall } from "./session.ts";

interface StepMaker {
  /** Appends the steps of a node, in order. */
  addSteps(steps: Step[], node: number, context: Context): void;
}

/** Completes the steps of entries. Parts of one message that were logged twice are added once. */
export function createStepMaker(nodes: NodeTable, calls: CallTable): StepMaker {
  /** By number of the call. All calls of the log are known by now. */
  const seenCalls = new Uint8Array(calls.size);
  const seenTexts = createNameTable();

  const isSeenText = (text: string): boolean => {
    const before = seenTexts.size;
    seenTexts.number(text);
    return seenTexts.size === before;
  };

  /** Whether the same part of the same message has been added already. A call also gets its result here. */
  const isRepeated = (draft: DraftStep, message: number): boolean => {
    if (draft.kind === "thinking") return false;
    if (draft.kind === "reply") {
      const { text } = draft;
      return message !== NONE && isSeenText(`${message} ${text.length} ${text.slice(0, 64)}`);
    }
    const { call } = draft;
    const number = calls.number(call.id);
    if (call.id !== "" && seenCalls[number] === 1) return true;
    seenCalls[number] = 1;
    call.agentId = calls.agentId(number);
    call.result = calls.result(number);
    return false;
  };

  const addDraft = (steps: Step[], draft: DraftStep, message: number, context: Context): void => {
    if (isRepeated(draft, message)) return;
    draft.context = context;
    steps.push(draft);
  };
  const addReply = (steps: Step[], { message, first, more }: KeptReply, context: Context): void => {
    if (first !== undefined) addDraft(steps, first, message, context);
    for (let index = 0; index < more.length; index++) {
      const draft = more[index];
      if (draft !== undefined) addDraft(steps, draft, message, context);
    }
  };

  return {
    addSteps(steps, node, context) {
      const kind = nodes.kind(node);
      if (kind === REQUEST) return;
      const entry = nodes.entry(node);
      if (kind === REPLY) {
        if (entry?.kind === "reply") addReply(steps, entry, context);
        return;
      }
      // Nearly all results are shown with their calls.
      if (kind === RESULTS && entry === RESULTS_WITH_THEIR_CALLS) return;
      if (entry === undefined || entry.kind === "request" || entry.kind === "reply") return;
      const { line } = entry;
      const at = entry.at ?? null;
      switch (entry.kind) {
        case "summary":
          steps.push({ kind: "summary", at, line, context, of: entry.of, text: entry.text });
          return;
        case "compaction":
          if (entry.summary === undefined) return;
          steps.push({ kind: "summary", at, line, context, of: "compaction", text: entry.summary });
          return;
        case "note":
          if (entry.text === "") return;
          steps.push({
            kind: "note",
            at,
            line,
            context,
            about: entry.about,
            text: entry.text,
            moreWords: entry.moreWords,
          });
          return;
        // A result without a call is shown by itself.
        case "results":
          for (const { text, moreWords } of entry.results)
            if (text !== "")
              steps.push({ kind: "note", at, line, context, about: "output", text, moreWords });
          return;
      }
    },
  };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type DraftOf<S> = S extends { readonly kind: "tool" }
  ? Mutable<Omit<S, "call">> & { readonly call: Mutable<ToolCall> }
  : Mutable<S>;

/**
 * A step that is not complete yet: its context and result are known only when the whole log has been read. It is then
 * completed in place, because a log of gigabytes has half a million of them.
 */
export type DraftStep = DraftOf<Extract<Step, { readonly kind: "reply" | "thinking" | "tool" }>>;

/** Makes a step of a part of a reply. */
export function draftStep(part: ReplyPart, at: number | null, line: number, isError: boolean): DraftStep {
  switch (part.kind) {
    case "call":
      return { kind: "tool", at, line, context: "branch", call: draftCall(part) };
    case "text":
      return { kind: "reply", at, line, context: "branch", text: part.text, isError };
    case "thinking":
      return { kind: "thinking", at, line, context: "branch", text: part.text, chars: part.chars };
  }
}

/** Sets every key at once: an object that gets keys later takes twice the memory. */
function draftCall(part: ToolCallPart): ToolCall {
  const { id, name, input, inputChars, moreWords, files, command, work, isWork, questions } = part;
  const plan = work?.kind === "plan" ? work.text : undefined;
  return {
    id,
    name,
    input,
    inputChars,
    moreWords,
    files,
    command,
    isWork,
    plan,
    questions,
    agentId: undefined,
    result: undefined,
  };
}

/** Which calls were made, and their results. If a call has two results, the later one counts. */
export interface CallTable {
  /** How many numbers are in use. */
  readonly size: number;
  /** The number of a call. */
  number(id: string): number;
  made(id: string): void;
  answered(result: ToolResult): Answered;
  result(call: number): CallResult | undefined;
  /** The sub-agent that the call started. */
  agentId(call: number): string | undefined;
}

/** Flags of a result and its call, as a sum of the two below. */
export type Answered = number;
/** The call was made before the result. */
export const AFTER_ITS_CALL = 1;
/** It is the first result of the call. */
export const FIRST_RESULT = 2;

export function createCallTable(): CallTable {
  const names = createNameTable();
  /** By number of the call; undefined as long as there is no result. */
  const results: (CallResult | undefined)[] = [];
  const agents = new Map<number, string>();
  /** Calls whose result came first. */
  const early = new Set<number>();
  const numberOf = (id: string): number => {
    const number = names.number(id);
    if (number === results.length) results.push(undefined);
    return number;
  };
  return {
    get size() {
      return results.length;
    },
    number: numberOf,
    made(id) {
      const number = numberOf(id);
      if (early.size > 0) early.delete(number);
    },
    answered(result) {
      const known = results.length;
      const number = numberOf(result.callId);
      if (number === known) early.add(number);
      const isFirst = results[number] === undefined;
      results[number] = resultOf(result);
      if (result.agentId !== undefined) agents.set(number, result.agentId);
      const isExpected = early.size === 0 || !early.has(number);
      return (isExpected ? AFTER_ITS_CALL : 0) + (isFirst ? FIRST_RESULT : 0);
    },
    result: (call) => results[call],
    agentId: (call) => agents.get(call),
  };
}

function resultOf({ isError, exitCode, text, chars, moreWords, spilledTo }: ToolResult): CallResult {
  return { isError, exitCode, text, chars, moreWords, spilledTo };
}
