import type { ReplyPart, ToolCallPart } from "./entry.ts";
import type { Step, ToolCall } from "./session.ts";

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
