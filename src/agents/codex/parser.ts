import { isObject, type JsonLine, type JsonObject, readJsonLine, tryParse } from "../../jsonl/json-line.ts";
import type { Line } from "../../jsonl/lines.ts";
import { objectAt, stringAt, timeAt } from "../../jsonl/values.ts";
import { repositoryInUrl } from "../../session/checkout.ts";
import type { Fact, SourceFacts } from "../../session/entry.ts";
import type { LineParser, ParserContext } from "../agent.ts";
import { createTimeSpan, type SavedSpan } from "../entry-body.ts";
import { sessionIdAt } from "../session-id.ts";
import { readEvent } from "./event.ts";
import { isOldHeader, OLD_ITEM_TYPES } from "./files.ts";
import { readItem } from "./response-item.ts";
import { readAgentMail, readSpoken } from "./spoken.ts";
import { createCodexThread, emptyCodexThread, type SavedCodexThread } from "./thread.ts";

/** Known lines without any use here. */
const SILENT: ReadonlySet<unknown> = new Set([
  "world_state",
  "token_usage_record",
  "inter_agent_communication_metadata",
  "dynamic_tools_updated",
  "security_risk_score",
]);

/** The state that the parser needs to continue later. */
interface SavedState {
  readonly thread: SavedCodexThread;
  readonly span: SavedSpan;
  readonly header?: JsonObject | undefined;
  readonly folder?: string | undefined;
}

const NOTHING_READ: SavedState = { thread: emptyCodexThread, span: { firstAt: null, lastAt: null } };

export function createCodexParser(context: ParserContext): LineParser {
  const before: SavedState = context.resume === undefined ? NOTHING_READ : JSON.parse(context.resume);
  const thread = createCodexThread(context, before.thread);
  const span = createTimeSpan(before.span);
  let { header, folder } = before;

  /** A fork begins with its own header, then those of its ancestors: the first is the session's. */
  const takeHeader = (payload: JsonObject, line: number): void => {
    if (header !== undefined) return;
    header = withoutTexts(payload);
    span.add(timeAt(payload, "timestamp"));
    for (const fact of readLineage(payload)) context.emit({ kind: "fact", line, fact });
  };

  const takeContext = (payload: JsonObject): void => {
    folder ??= stringAt(payload, "cwd");
    const model = stringAt(payload, "model");
    if (model !== undefined) thread.model(model);
  };

  /** False if it is not understood. */
  const take = (object: JsonObject, line: number): boolean => {
    const payload = objectAt(object, "payload");
    if (payload === undefined) {
      if (isOldHeader(object)) takeHeader(object, line);
      else if (OLD_ITEM_TYPES.has(stringAt(object, "type") ?? "")) return readItem(object, thread);
      else return object.record_type === "state";
      return true;
    }
    switch (object.type) {
      case "session_meta":
        takeHeader(payload, line);
        return true;
      case "turn_context":
        takeContext(payload);
        return true;
      case "response_item":
      case "request_item":
        return readItem(payload, thread);
      case "event_msg":
        return readEvent(payload, thread);
      case "compacted":
        takeCompaction(payload);
        return true;
      case "realtime_item":
        return readSpoken(payload, thread);
      case "inter_agent_communication":
        readAgentMail(payload, thread);
        return true;
      default:
        return SILENT.has(object.type);
    }
  };

  const takeCompaction = (payload: JsonObject): void => {
    const summary = stringAt(payload, "message") ?? "";
    thread.put({
      kind: "compaction",
      trigger: null,
      tokensBefore: null,
      tokensAfter: null,
      ...(summary.trim() === "" ? {} : { summary: thread.budget.words(summary) }),
    });
  };

  return {
    line(line) {
      const { objects, problem } = readCodexLine(line);
      for (const object of objects) {
        const at = timeAt(object, "timestamp");
        span.add(at);
        thread.place(line.number, at);
        if (!take(object, line.number)) context.emit({ kind: "opaque", line: line.number });
      }
      if (problem !== undefined) context.emit({ kind: "opaque", line: line.number, problem });
    },
    save: () => JSON.stringify({ thread: thread.save(), span, header, folder } satisfies SavedState),
    finish: (): SourceFacts => ({
      id: sessionIdAt(header, "id") ?? null,
      project: stringAt(header, "cwd") ?? folder ?? null,
      branch: stringAt(objectAt(header, "git"), "branch") ?? null,
      checkout: checkoutOf(objectAt(header, "git")),
      version: stringAt(header, "cli_version") ?? null,
      firstAt: span.firstAt,
      lastAt: span.lastAt,
    }),
  };
}

/** The header contains instructions and tools for the model, which are not needed. */
function withoutTexts(payload: JsonObject): JsonObject {
  const { id, cwd, git, cli_version } = payload;
  return { id, cwd, git, cli_version };
}

/** The header has the address of the repository, but not its folder. */
function checkoutOf(git: JsonObject | undefined): SourceFacts["checkout"] {
  const repository = repositoryInUrl(stringAt(git, "repository_url") ?? "");
  return repository === null ? undefined : { repository, worktree: null };
}

function readLineage(payload: JsonObject): readonly Fact[] {
  const spawned = objectAt(objectAt(payload, "source"), "subagent");
  const parent =
    sessionIdAt(payload, "parent_thread_id") ??
    sessionIdAt(objectAt(spawned, "thread_spawn"), "parent_thread_id");
  if (spawned !== undefined && parent !== undefined)
    return [{ name: "parent", lineage: { kind: "subagent", session: parent } }];
  const fork =
    sessionIdAt(payload, "forked_from_id") ?? sessionIdAt(objectAt(payload, "history_base"), "thread_id");
  return fork === undefined ? [] : [{ name: "parent", lineage: { kind: "fork", session: fork } }];
}

const HISTORY_KEY = ',"replacement_history":[';
/** Another line follows this one, without a LF between them. */
const GLUED = '}{"';

/**
 * A compaction line repeats the history that it keeps, each time: such lines have hundreds of megabytes. Only the
 * part before the history is parsed.
 */
function readCodexLine(line: Line): JsonLine {
  const at = line.bytes.indexOf(HISTORY_KEY);
  if (at !== -1 && line.bytes.indexOf(GLUED, at) === -1) {
    const cut = tryParse(`${line.bytes.toString("utf8", 0, at)}}}`);
    if (isObject(cut) && cut.type === "compacted") return { objects: [cut] };
  }
  return readJsonLine(line.bytes, line.ended);
}
