import { isObject, type JsonObject, readJsonLine } from "../../jsonl/json-line.ts";
import { arrayAt, numberAt, objectAt, stringAt, timeAt } from "../../jsonl/values.ts";
import type { Fact, SourceFacts, ToolCallPart, Usage } from "../../session/entry.ts";
import type { LineParser, ParserContext } from "../agent.ts";
import { createTimeSpan, type EntryBody, placed, type SavedSpan } from "../entry-body.ts";
import { sessionIdAt } from "../session-id.ts";
import { type CopilotRead, readCopilotEvent, readReply, readResult, readUsage } from "./event.ts";
import { applySql, type TodoList } from "./todos.ts";

/** The state that the parser needs to continue later. */
interface SavedState {
  readonly span: SavedSpan;
  readonly facts: Pick<SourceFacts, "id" | "project" | "branch" | "version">;
  /** The last event of any kind, and the last one of the session itself and of each sub-agent. */
  readonly last: string | null;
  readonly tails: Readonly<Record<string, string>>;
  /** Tokens of a call to the model, whose reply comes next. */
  readonly usage?: { readonly call: string; readonly tokens: Usage } | undefined;
  /** Where a compaction began: everything after that is kept. */
  readonly compaction?: string | undefined;
  /** Sub-agents by the call that started them. */
  readonly agents: Readonly<Record<string, string>>;
  readonly todos: TodoList;
}

const NOTHING_READ: SavedState = {
  span: { firstAt: null, lastAt: null },
  facts: { id: null, project: null, branch: null, version: null },
  last: null,
  tails: {},
  agents: {},
  todos: {},
};

/** The session itself, beside its sub-agents. */
const MAIN = "";

/**
 * Reads a list of events. Each names the one before as its parent, even if that belongs to a sub-agent; one that
 * names an earlier event continues from there.
 */
export function createCopilotParser({ emit, budget, resume }: ParserContext): LineParser {
  const before: SavedState = resume === undefined ? NOTHING_READ : JSON.parse(resume);
  const span = createTimeSpan(before.span);
  const tails: Record<string, string> = { ...before.tails };
  const agents: Record<string, string> = { ...before.agents };
  let { facts, last, usage, compaction, todos } = before;

  const take = (event: JsonObject, line: number): boolean => {
    const type = stringAt(event, "type");
    const data = objectAt(event, "data");
    const id = stringAt(event, "id");
    if (type === undefined || data === undefined || id === undefined) return false;
    const at = timeAt(event, "timestamp");
    span.add(at);
    // Requests to the model and their answers, in a separate chain: all of it is in other events.
    if (type.startsWith("model.")) return true;
    const agent = stringAt(event, "agentId") ?? MAIN;
    const { bodies, facts: said = [], isUnknown = false } = read(type, data, { id, agent });
    for (const fact of said) emit({ kind: "fact", line, fact });
    put(bodies, { id, agent, line, at, parent: stringAt(event, "parentId") ?? null });
    return !isUnknown;
  };

  const put = (
    bodies: readonly EntryBody[],
    place: { id: string; agent: string; line: number; at: number | undefined; parent: string | null },
  ): void => {
    const { id, agent, line, at, parent } = place;
    const isNext = agent !== MAIN || parent === last || parent === null;
    let previous = isNext ? (tails[agent] ?? null) : parent;
    for (const [index, body] of bodies.entries()) {
      const uid: string = index === bodies.length - 1 ? id : `${id}:${index + 1}`;
      const entry = placed(body, { line, at }, uid, previous);
      emit(agent === MAIN ? entry : { ...entry, sidechain: agent });
      previous = uid;
    }
    last = id;
    tails[agent] = id;
  };

  /** Events that depend on others. */
  const read = (
    type: string,
    data: JsonObject,
    { id, agent }: { id: string; agent: string },
  ): CopilotRead => {
    switch (type) {
      case "session.start":
      case "session.resume":
      case "session.context_changed":
        return readContext(type, data);
      case "session.model_change":
        return silent(agent === MAIN ? modelFact(stringAt(data, "newModel")) : []);
      case "session.usage_record": {
        const tokens = objectAt(data, "usage");
        const call = stringAt(tokens, "apiCallId");
        if (tokens !== undefined && call !== undefined) usage = { call, tokens: readUsage(tokens) };
        return silent();
      }
      case "assistant.message": {
        const tokens = usage?.call === stringAt(data, "apiCallId") ? usage?.tokens : undefined;
        usage = undefined;
        return { bodies: [withTodos(readReply(data, tokens, budget), data)] };
      }
      case "tool.execution_complete":
        return { bodies: [readComplete(data)] };
      case "subagent.started": {
        const call = stringAt(data, "toolCallId") ?? "";
        if (agent !== MAIN && call !== "") agents[call] = agent;
        return silent();
      }
      case "session.compaction_start":
        if (agent === MAIN) compaction = id;
        return silent();
      case "session.compaction_complete":
        return { bodies: [readCompaction(data, agent)] };
      default:
        return readCopilotEvent(type, data, budget);
    }
  };

  const readContext = (type: string, data: JsonObject): CopilotRead => {
    const context = type === "session.context_changed" ? data : objectAt(data, "context");
    facts = {
      id: facts.id ?? sessionIdAt(data, "sessionId") ?? null,
      project: facts.project ?? stringAt(context, "cwd") ?? null,
      branch: stringAt(context, "branch") ?? facts.branch,
      version: stringAt(data, "copilotVersion") ?? facts.version,
    };
    return silent(modelFact(stringAt(data, "selectedModel")));
  };

  const readComplete = (data: JsonObject): EntryBody => {
    const call = stringAt(data, "toolCallId") ?? "";
    const agentId = Object.hasOwn(agents, call) ? agents[call] : undefined;
    delete agents[call];
    const result = readResult(data, agentId, budget);
    if (data.isUserRequested !== true) return { kind: "results", results: [result] };
    return { kind: "note", about: "output", text: result.text, chars: result.chars };
  };

  const readCompaction = (data: JsonObject, agent: string): EntryBody => {
    const keptFrom = compaction;
    if (agent === MAIN) compaction = undefined;
    if (data.success !== true || agent !== MAIN) return { kind: "link" };
    const summary = stringAt(data, "summaryContent") ?? "";
    return {
      kind: "compaction",
      trigger: data.trigger === "manual" ? "manual" : "auto",
      tokensBefore: numberAt(data, "preCompactionTokens") ?? null,
      tokensAfter: numberAt(data, "postCompactionTokens") ?? null,
      ...(summary === "" ? {} : { summary: budget.words(summary) }),
      ...(keptFrom === undefined ? {} : { keptFrom }),
    };
  };

  /** Adds the whole list to a call that changes it. */
  const withTodos = (reply: EntryBody, data: JsonObject): EntryBody => {
    if (reply.kind !== "reply") return reply;
    const queries = (arrayAt(data, "toolRequests") ?? [])
      .filter(isObject)
      .filter(({ name }) => name === "sql")
      .map((request) => [stringAt(request, "toolCallId"), stringAt(objectAt(request, "arguments"), "query")]);
    if (queries.length === 0) return reply;
    const parts = reply.parts.map((part) => {
      const [, query] = (part.kind === "call" && queries.find(([id]) => id === part.id)) || [];
      if (part.kind !== "call" || query === undefined) return part;
      const after = applySql(todos, query);
      if (after === todos) return part;
      todos = after;
      const work = { kind: "list", items: Object.values(after) } as const;
      return { ...part, work, isWork: true } satisfies ToolCallPart;
    });
    return { ...reply, parts };
  };

  return {
    line(line) {
      const { objects, problem } = readJsonLine(line.bytes, line.ended);
      for (const object of objects)
        if (!take(object, line.number)) emit({ kind: "opaque", line: line.number });
      if (problem !== undefined) emit({ kind: "opaque", line: line.number, problem });
    },
    save: () =>
      JSON.stringify({ span, facts, last, tails, usage, compaction, agents, todos } satisfies SavedState),
    finish: (): SourceFacts => ({ ...facts, firstAt: span.firstAt, lastAt: span.lastAt }),
  };
}

/** Holds an event's position in the tree. A body may be used only once, so each entry has its own. */
function silent(facts: readonly Fact[] = []): CopilotRead {
  return { bodies: [{ kind: "link" }], facts };
}

function modelFact(model: string | undefined): readonly Fact[] {
  return model === undefined ? [] : [{ name: "model", model }];
}
