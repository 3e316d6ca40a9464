import { NONE, type NodeTable } from "./node-table.ts";
import type { Session, Step, Subagent, ToolCall, Turn } from "./session.ts";
import { type CallTable, createStepMaker } from "./steps.ts";

/** A sub-agent's log in a separate file. */
export interface SubagentLog {
  readonly id: string;
  readonly type: string | null;
  readonly description: string | null;
  readonly callId: string | null;
  readonly source: string;
  readonly session: Session;
}

/** Joins sub-agents, in separate files or inside the log, to the calls that started them. */
export function makeSubagents(
  nodes: NodeTable,
  table: CallTable,
  turns: readonly Turn[],
  logs: readonly SubagentLog[],
): readonly Subagent[] {
  const calls = startingCalls(turns);
  const own = logs.map((log): Subagent => {
    const steps = flatten(log.session);
    const prompt = log.session.turns[0]?.request ?? null;
    const start =
      calls.find(({ call }) => call.id === log.callId || call.agentId === log.id) ??
      callWithPrompt(calls, prompt);
    return { ...origin(start, log), id: log.id, prompt, steps, source: log.source };
  });
  const inside = sidechainGroups(nodes).map(([id, group]): Subagent => {
    const maker = createStepMaker(nodes, table);
    const prompt = promptOf(nodes, group);
    const start = calls.find(({ call }) => call.agentId === id) ?? callWithPrompt(calls, prompt);
    const steps: Step[] = [];
    for (const node of group) maker.addSteps(steps, node, "subagent");
    return { ...origin(start, undefined), id, prompt, steps, source: null };
  });
  return [...own, ...inside];
}

interface StartingCall {
  readonly call: ToolCall;
  readonly turn: number;
}

/** Finds the calls that start sub-agents, by the tool's present name and its old one. */
function startingCalls(turns: readonly Turn[]): readonly StartingCall[] {
  return turns.flatMap(({ number, steps }) =>
    steps.flatMap((step) =>
      step.kind === "tool" && (step.call.agentId !== undefined || /^(?:Task|Agent)\b/.test(step.call.name))
        ? [{ call: step.call, turn: number }]
        : [],
    ),
  );
}

function callWithPrompt(calls: readonly StartingCall[], prompt: string | null): StartingCall | undefined {
  if (prompt === null) return undefined;
  const json = JSON.stringify(prompt.trim().slice(0, 200)).slice(1, -1);
  return calls.find(({ call }) => call.agentId === undefined && call.input.includes(json));
}

function origin(
  start: StartingCall | undefined,
  log: SubagentLog | undefined,
): Pick<Subagent, "type" | "description" | "callId" | "turn"> {
  const input = start?.call.input;
  return {
    type: log?.type ?? stringIn(input, "subagent_type") ?? stringIn(input, "agent_type"),
    description: log?.description ?? stringIn(input, "description"),
    callId: start?.call.id ?? log?.callId ?? null,
    turn: start?.turn ?? null,
  };
}

/** Reads a string from JSON text that may be cut. */
function stringIn(json: string | undefined, key: string): string | null {
  const match = new RegExp(`"${key}":("(?:[^"\\\\]|\\\\.)*")`).exec(json ?? "");
  const value: unknown = match?.[1] === undefined ? null : JSON.parse(match[1]);
  return typeof value === "string" ? value : null;
}

function flatten(session: Session): readonly Step[] {
  const steps: Step[] = [...session.preamble];
  session.turns.forEach((turn, index) => {
    if (index > 0)
      steps.push({
        kind: "note",
        about: "custom",
        text: turn.request,
        at: turn.at,
        line: turn.line,
        context: "subagent",
      });
    for (const step of turn.steps) steps.push(step);
  });
  return steps.map((step) => ({ ...step, context: "subagent" }));
}

/** Groups the nodes of sub-agents inside the log: by the sub-agent's id, else by their root. */
function sidechainGroups(nodes: NodeTable): readonly (readonly [string, readonly number[]])[] {
  if (!nodes.hasSidechains) return [];
  const groups = new Map<string, number[]>();
  const names = new Map<number, string>();
  for (const node of nodes.inOrder()) {
    const sidechain = nodes.sidechain(node);
    if (sidechain === undefined) continue;
    const parent = nodes.parent(node);
    const inherited = parent === NONE ? undefined : names.get(parent);
    const name = sidechain === true ? (inherited ?? `sidechain-${groups.size + 1}`) : sidechain;
    names.set(node, name);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [node]);
    else group.push(node);
  }
  return [...groups];
}

function promptOf(nodes: NodeTable, group: readonly number[]): string | null {
  for (const node of group) {
    const entry = nodes.entry(node);
    if (entry?.kind === "request") return entry.text;
  }
  return null;
}
