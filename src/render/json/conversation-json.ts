import type { BranchPoint, Context, Session, Step, Subagent, Turn } from "../../session/session.ts";
import type { ContextItem } from "../../session/session-context.ts";
import { isoTime } from "./session-json.ts";

/** One step of a conversation. */
export type StepJson = {
  readonly kind: string;
  readonly at: string | null;
  readonly context: Context;
} & Readonly<Record<string, unknown>>;

export interface TurnJson {
  readonly turn: number;
  readonly at: string | null;
  readonly context: Context;
  readonly via: string;
  readonly request: string;
  readonly copiedFrom: string | null;
  readonly steps: readonly StepJson[];
}

export function turnJson({ number, at, context, via, request, copiedFrom, steps }: Turn): TurnJson {
  return {
    turn: number,
    at: isoTime(at),
    context,
    via,
    request,
    copiedFrom: copiedFrom ?? null,
    steps: steps.map(stepJson),
  };
}

export function stepJson(step: Step): StepJson {
  const place = { kind: step.kind, at: isoTime(step.at), context: step.context };
  switch (step.kind) {
    case "reply":
      return { ...place, text: step.text, isError: step.isError };
    case "thinking":
      return { ...place, text: step.text, chars: step.chars };
    case "summary":
      return { ...place, of: step.of, text: step.text };
    case "note":
      return { ...place, about: step.about, text: step.text };
    case "tool": {
      const { id, name, input, files, command, result, agentId } = step.call;
      return {
        ...place,
        toolUseId: id,
        tool: name,
        input,
        files,
        command: command ?? null,
        agentId: agentId ?? null,
        result: result === undefined ? null : { ...result, spilledTo: result.spilledTo ?? null },
      };
    }
  }
}

export function contextJson(items: readonly ContextItem[]): readonly object[] {
  return items.map((item) =>
    item.kind === "request"
      ? { turn: item.turn, kind: "request", at: isoTime(item.at), text: item.text }
      : { turn: item.turn, ...stepJson(item.step) },
  );
}

export interface TreeJson {
  readonly branches: readonly BranchPoint[];
  readonly turns: readonly {
    readonly turn: number;
    readonly at: string | null;
    readonly context: Context;
    readonly request: string;
  }[];
  readonly labels: Session["labels"];
  readonly subagents: readonly object[];
  readonly compactions: readonly object[];
}

/** Converts the tree of a session to JSON: branches, labels, sub-agents. */
export function treeJson(session: Session): TreeJson {
  return {
    branches: session.branches,
    turns: session.turns.map(({ number, at, context, request }) => ({
      turn: number,
      at: isoTime(at),
      context,
      request,
    })),
    labels: session.labels,
    subagents: session.subagents.map(subagentJson),
    compactions: session.compactions.map(({ at, trigger, tokensBefore, tokensAfter, afterTurn }) => ({
      at: isoTime(at),
      trigger,
      tokensBefore,
      tokensAfter,
      afterTurn,
    })),
  };
}

/** The conversation of a sub-agent. */
export function subagentConversationJson({ id, turn, description, prompt, steps }: Subagent): object {
  return { id, turn, description, prompt, steps: steps.map(stepJson) };
}

function subagentJson({ id, type, description, callId, turn, prompt, source, steps }: Subagent): object {
  return {
    id,
    type,
    description,
    callId,
    turn,
    prompt,
    source,
    toolCalls: steps.filter((step) => step.kind === "tool").length,
  };
}
