import type { ReplyPart, ToolCallPart } from "../model/entry.ts";
import type { Context, Step, ToolCall } from "../model/session.ts";
import type { CallTable } from "./call-table.ts";
import { createNameTable } from "./name-table.ts";
import { type KeptReply, NONE, type NodeTable } from "./node-table.ts";

export interface StepMaker {
  /** Adds to `steps` what a node says, in order. */
  addSteps(steps: Step[], node: number, context: Context): void;
}

/** Makes steps of entries. Parts of one message that were written twice come once. */
export function createStepMaker(nodes: NodeTable, calls: CallTable): StepMaker {
  const seenCalls = new Set<number>();
  const seenTexts = createNameTable();

  const isSeen = (text: string): boolean => {
    const before = seenTexts.size;
    seenTexts.number(text);
    return seenTexts.size === before;
  };

  const partStep = (part: ReplyPart, reply: KeptReply, context: Context): Step | undefined => {
    const { line, isError } = reply;
    const at = reply.at ?? null;
    switch (part.kind) {
      case "call": {
        const number = calls.number(part.id);
        if (part.id !== "" && seenCalls.has(number)) return undefined;
        seenCalls.add(number);
        return { kind: "tool", at, line, context, call: joinCall(part, number, calls) };
      }
      case "text": {
        const { message } = reply;
        if (message !== NONE && isSeen(`${message} ${part.chars} ${part.text.slice(0, 64)}`))
          return undefined;
        return { kind: "reply", at, line, context, text: part.text, isError };
      }
      case "thinking":
        return { kind: "thinking", at, line, context, text: part.text, chars: part.chars };
    }
  };

  return {
    addSteps(steps, node, context) {
      const entry = nodes.entry(node);
      if (entry === undefined) return;
      const { line } = entry;
      const at = entry.at ?? null;
      switch (entry.kind) {
        case "reply":
          for (const part of entry.parts) {
            const step = partStep(part, entry, context);
            if (step !== undefined) steps.push(step);
          }
          return;
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
        case "request":
          return;
      }
    },
  };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Spreading what may be absent took three times as long. */
function joinCall(part: ToolCallPart, number: number, calls: CallTable): ToolCall {
  const { id, name, input, inputChars, files, command, work } = part;
  const call: Mutable<ToolCall> = { id, name, input, inputChars, files };
  if (command !== undefined) call.command = command;
  if (work?.kind === "plan") call.plan = work.text;
  const agentId = calls.agentId(number);
  if (agentId !== undefined) call.agentId = agentId;
  const result = calls.result(number);
  if (result !== undefined) call.result = result;
  return call;
}
