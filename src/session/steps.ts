import type { CallTable } from "./call-table.ts";
import type { ReplyPart, ToolCallPart } from "./entry.ts";
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
import type { Context, Step, ToolCall } from "./session.ts";

interface StepMaker {
  /** Adds to `steps` what a node says, in order. */
  addSteps(steps: Step[], node: number, context: Context): void;
}

/** Completes the steps of entries. Parts of one message that were written twice come once. */
export function createStepMaker(nodes: NodeTable, calls: CallTable): StepMaker {
  const seenCalls = new Set<number>();
  const seenTexts = createNameTable();

  const isSeenText = (text: string): boolean => {
    const before = seenTexts.size;
    seenTexts.number(text);
    return seenTexts.size === before;
  };

  /** Whether the same part of the same message came before; a call also gets its result here. */
  const isRepeated = (draft: DraftStep, message: number): boolean => {
    if (draft.kind === "thinking") return false;
    if (draft.kind === "reply") {
      const { text } = draft;
      return message !== NONE && isSeenText(`${message} ${text.length} ${text.slice(0, 64)}`);
    }
    const { call } = draft;
    const number = calls.number(call.id);
    if (call.id !== "" && seenCalls.has(number)) return true;
    seenCalls.add(number);
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
      // All but a few stand with their calls.
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
          steps.push({ kind: "note", at, line, context, about: entry.about, text: entry.text });
          return;
        // A result without a call is shown for what it is; all others stand with their call.
        case "results":
          for (const { text } of entry.results)
            if (text !== "") steps.push({ kind: "note", at, line, context, about: "output", text });
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
 * A step that is not complete: where it stands and what came back is known when the whole log has been
 * read. It becomes the step itself, for a log of gigabytes has half a million.
 */
export type DraftStep = DraftOf<Extract<Step, { readonly kind: "reply" | "thinking" | "tool" }>>;

/** The step that a part of a reply is. */
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

/** Every key at once: one that is added later takes twice the room. */
function draftCall({ id, name, input, inputChars, files, command, work }: ToolCallPart): ToolCall {
  const plan = work?.kind === "plan" ? work.text : undefined;
  return { id, name, input, inputChars, files, command, plan, agentId: undefined, result: undefined };
}
