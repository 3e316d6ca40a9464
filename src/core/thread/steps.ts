import type { ReplyPart, ToolResult } from "../model/entry.ts";
import type { Context, Step, ToolCall } from "../model/session.ts";
import type { NodeTable } from "./node-table.ts";

/** Results by the call that they answer. Of two for one call the later counts. */
export type Results = Map<string, ToolResult>;

export interface StepMaker {
  /** The steps that a node adds to its turn, in order. */
  stepsOf(node: number, context: Context): readonly Step[];
}

/** Makes steps of entries. Parts of one message that were written twice come once. */
export function createStepMaker(nodes: NodeTable, results: Results): StepMaker {
  const seenCalls = new Set<string>();
  const seenTexts = new Set<string>();

  const partStep = (
    part: ReplyPart,
    message: string | undefined,
    place: StepPlace,
    isError: boolean,
  ): Step | undefined => {
    switch (part.kind) {
      case "call": {
        if (part.id !== "" && seenCalls.has(part.id)) return undefined;
        seenCalls.add(part.id);
        return { kind: "tool", ...place, call: joinCall(part, results.get(part.id)) };
      }
      case "text": {
        const key = `${message} ${part.chars} ${part.text.slice(0, 64)}`;
        if (message !== undefined && seenTexts.has(key)) return undefined;
        if (message !== undefined) seenTexts.add(key);
        return { kind: "reply", ...place, text: part.text, isError };
      }
      case "thinking":
        return { kind: "thinking", ...place, text: part.text, chars: part.chars };
    }
  };

  return {
    stepsOf(node, context) {
      const entry = nodes.entry(node);
      if (entry === undefined) return [];
      const place: StepPlace = { at: entry.at ?? null, line: entry.line, context };
      switch (entry.kind) {
        case "reply":
          return entry.parts.flatMap(
            (part) => partStep(part, entry.message, place, entry.isError === true) ?? [],
          );
        case "summary":
          return [{ kind: "summary", ...place, of: entry.of, text: entry.text }];
        case "compaction":
          return entry.summary === undefined
            ? []
            : [{ kind: "summary", ...place, of: "compaction", text: entry.summary }];
        case "note":
          return entry.text === "" ? [] : [{ kind: "note", ...place, about: entry.about, text: entry.text }];
        // A result without a call is shown for what it is; all others stand with their call.
        case "results":
          return entry.results
            .filter((result) => !seenCalls.has(result.callId) && result.text !== "")
            .map((result): Step => ({ kind: "note", ...place, about: "output", text: result.text }));
        case "request":
        case "link":
          return [];
      }
    },
  };
}

interface StepPlace {
  readonly at: number | null;
  readonly line: number;
  readonly context: Context;
}

function joinCall(part: Extract<ReplyPart, { kind: "call" }>, result: ToolResult | undefined): ToolCall {
  return {
    id: part.id,
    name: part.name,
    input: part.input,
    inputChars: part.inputChars,
    files: part.files,
    ...(part.command === undefined ? {} : { command: part.command }),
    ...(part.work?.kind === "plan" ? { plan: part.work.text } : {}),
    ...(result?.agentId === undefined ? {} : { agentId: result.agentId }),
    ...(result === undefined ? {} : { result: keepOf(result) }),
  };
}

function keepOf({ isError, exitCode, text, chars, spilledTo }: ToolResult): NonNullable<ToolCall["result"]> {
  return { isError, exitCode, text, chars, ...(spilledTo === undefined ? {} : { spilledTo }) };
}
