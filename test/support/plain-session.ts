import type { FileTouch } from "../../src/session/entry.ts";
import type { Session, Step, ToolCall, Turn } from "../../src/session/session.ts";

type PlainTurn = Partial<Turn> & { readonly request: string };

/** A small session; what is given stands in for what it would have. */
export function plainSession(
  given: Partial<Omit<Session, "turns">> & { readonly turns?: readonly PlainTurn[] } = {},
): Session {
  return {
    agent: "claude",
    id: "0b8ec0de",
    project: "/home/ana/shop",
    activity: { models: [], messages: [] },
    repository: null,
    worktree: null,
    branch: "main",
    title: "A title",
    titleFrom: "custom",
    startedAt: Date.UTC(2026, 9, 12, 14, 5),
    endedAt: Date.UTC(2026, 9, 12, 16, 20),
    model: "model-1",
    version: "1.2.3",
    lineage: null,
    continuedIn: null,
    preamble: [],
    compactions: [],
    subagents: [],
    branches: [],
    labels: [],
    tags: [],
    links: [],
    work: [],
    counts: { user: 1, assistant: 1, tool: 0 },
    characters: { toolResults: 0, toolInputs: 0, assistantText: 40, userText: 40 },
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, contextTokens: 0 },
    lines: 2,
    opaqueLines: 0,
    problems: [],
    ...given,
    turns: (given.turns ?? []).map((turn, index) => ({
      number: index + 1,
      uid: null,
      at: Date.UTC(2026, 9, 12, 14, 5 + index),
      line: index + 1,
      context: "current",
      via: "typed",
      steps: [],
      ...turn,
    })),
  };
}

const place = { at: null, line: 1, context: "current" } as const;

export function reply(text: string): Step {
  return { ...place, kind: "reply", text, isError: false };
}

export function thinking(text: string): Step {
  return { ...place, kind: "thinking", text, chars: text.length };
}

export interface PlainCall {
  readonly id?: string;
  readonly name: string;
  readonly input?: unknown;
  readonly inputText?: string;
  readonly inputChars?: number;
  readonly command?: string;
  readonly plan?: string;
  readonly isWork?: true;
  readonly questions?: readonly string[];
  readonly files?: readonly FileTouch[];
  readonly exitCode?: number | null;
  readonly isError?: boolean;
  readonly output?: string;
  readonly outputChars?: number;
  /** Without a result. */
  readonly unanswered?: boolean;
}

export function plainCall(given: PlainCall): ToolCall {
  const input = given.inputText ?? JSON.stringify(given.input ?? { command: given.command });
  const output = given.output ?? "";
  return {
    id: given.id ?? "call-1",
    name: given.name,
    input,
    inputChars: given.inputChars ?? input.length,
    files: given.files ?? [],
    ...(given.command === undefined ? {} : { command: given.command }),
    ...(given.isWork === undefined ? {} : { isWork: given.isWork }),
    ...(given.plan === undefined ? {} : { plan: given.plan }),
    ...(given.questions === undefined ? {} : { questions: given.questions }),
    ...(given.unanswered === true
      ? {}
      : {
          result: {
            isError: given.isError ?? (given.exitCode ?? 0) !== 0,
            exitCode: given.exitCode === undefined ? 0 : given.exitCode,
            text: output,
            chars: given.outputChars ?? output.length,
          },
        }),
  };
}

export function toolCall(given: PlainCall): Step {
  return { ...place, kind: "tool", call: plainCall(given) };
}
