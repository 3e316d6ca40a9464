import { decodeLine, isObject, type JsonObject, readJsonLine } from "../../jsonl/json-line.ts";
import type { Line } from "../../jsonl/lines.ts";
import { arrayAt, objectAt, stringAt, timeAt } from "../../jsonl/values.ts";
import type { EntryPlace, Fact, ReplyEntry, SourceFacts } from "../../session/entry.ts";
import type { TextBudget } from "../../session/text-budget.ts";
import type { LineParser, ParserContext } from "../agent.ts";
import { createTimeSpan, type EntryBody, placed, type SavedSpan } from "../entry-body.ts";
import { sessionIdAt } from "../session-id.ts";
import { createPiChain, emptyChain, type SavedChain } from "./chain.ts";
import { type PiRead, readModelName, readPiEntry } from "./entry.ts";
import { idOfPiPath } from "./files.ts";
import { readPiMessage } from "./message.ts";

/** `null`, with a CR and space around it. */
const NULL_BYTES = 16;

/** The state that the parser needs to continue later. */
interface SavedState {
  readonly chain: SavedChain;
  readonly span: SavedSpan;
  readonly id: string | null;
  readonly project: string | null;
  readonly version: string | null;
  readonly hasHeader: boolean;
  readonly headerAt?: number | undefined;
  readonly parentSession?: string | undefined;
  /** Tools of the last reply by call, for results that do not name their tool. */
  readonly tools: readonly (readonly [string, string])[];
  /** Objects on lines that Pi itself can read: the indexes of version 1 count these. */
  readonly count: number;
}

const NOTHING_READ: SavedState = {
  chain: emptyChain,
  span: { firstAt: null, lastAt: null },
  id: null,
  project: null,
  version: null,
  hasHeader: false,
  tools: [],
  count: 0,
};

export function createPiParser(context: ParserContext): LineParser {
  const before: SavedState = context.resume === undefined ? NOTHING_READ : JSON.parse(context.resume);
  const chain = createPiChain(before.chain);
  const span = createTimeSpan(before.span);
  const tools = new Map(before.tools);
  let { id, project, version, hasHeader, headerAt, parentSession, count } = before;

  const readHeader = (object: JsonObject, line: number): void => {
    if (hasHeader) return;
    hasHeader = true;
    id = sessionIdAt(object, "id") ?? null;
    project = stringAt(object, "cwd") ?? null;
    chain.header(stringAt(object, "id") ?? "");
    headerAt = timeAt(object, "timestamp") ?? timeAt(object, "createdAt");
    span.add(headerAt);
    for (const fact of readPiHeader(object)) {
      if (fact.name === "parent") parentSession = fact.lineage.session;
      context.emit({ kind: "fact", line, fact, ...(headerAt === undefined ? {} : { at: headerAt }) });
    }
  };

  const rememberCalls = (reply: Omit<ReplyEntry, keyof EntryPlace>, uid: string): void => {
    const calls = reply.parts.filter((part) => part.kind === "call");
    chain.holds(
      uid,
      calls.map((call) => call.id),
    );
    tools.clear();
    for (const call of calls) tools.set(call.id, call.name);
  };

  /** A fork takes over the entries of its parent unchanged, so they are older than its header. */
  const fromParent = (body: EntryBody, at: number | undefined): EntryBody => {
    if (body.kind !== "request" || parentSession === undefined || headerAt === undefined) return body;
    return at !== undefined && at < headerAt ? { ...body, copiedFrom: parentSession } : body;
  };

  const readEntry = (object: JsonObject, line: number, index: string, isWhole: boolean): void => {
    const at =
      timeAt(object, "timestamp") ??
      timeAt(objectAt(object, "message"), "timestamp") ??
      timeAt(object, "time");
    span.add(at);
    version = stringAt(object, "cliVersion") ?? version;
    const first = isWhole ? chain.next(object, index) : chain.aside(index);
    const { uid } = first;
    const read = readPiEvent(object, tools, context.budget) ?? readPiEntry(object, uid, context.budget);
    // Even an empty entry has its place, because others name it as parent.
    const bodies: readonly EntryBody[] = read.bodies.length === 0 ? [{ kind: "link" }] : read.bodies;
    bodies.forEach((body, i) => {
      if (body.kind === "reply") rememberCalls(body, uid);
      if (!isWhole) {
        const name = i === 0 ? uid : `${uid}:${i}`;
        context.emit({ ...placed(fromParent(body, at), { line, at }, name, first.parent), aside: true });
        return;
      }
      const own = i === 0 ? first : chain.further(uid, i);
      context.emit(placed(fromParent(body, at), { line, at }, own.uid, own.parent));
    });
    for (const fact of read.facts ?? [])
      context.emit({ kind: "fact", line, ...(at === undefined ? {} : { at }), fact });
    if (read.isUnknown === true && stringAt(object, "id") === undefined)
      context.emit({ kind: "opaque", line });
  };

  return {
    line(line: Line) {
      const { objects, problem } = readJsonLine(line.bytes, line.ended);
      // To Pi, an empty line does not exist.
      if (line.bytes.length < NULL_BYTES && decodeLine(line.bytes) === "null") return;
      const isWhole = objects.length === 1 && problem === undefined;
      objects.forEach((object, i) => {
        const index = isWhole ? `#${count}` : `#${count}+${line.number}.${i}`;
        if (object.type === "session") readHeader(object, line.number);
        else readEntry(object, line.number, index, isWhole);
      });
      if (isWhole) count++;
      if (problem !== undefined) context.emit({ kind: "opaque", line: line.number, problem });
    },
    save: () =>
      JSON.stringify({
        chain: chain.save(),
        span,
        tools: [...tools],
        id,
        project,
        version,
        hasHeader,
        headerAt,
        parentSession,
        count,
      } satisfies SavedState),
    finish: (): SourceFacts => ({
      id,
      project,
      branch: null,
      version,
      firstAt: parentSession === undefined ? span.firstAt : (headerAt ?? span.firstAt),
      lastAt: span.lastAt,
    }),
  };
}

/** The content of the header besides the session's id and folder. */
function readPiHeader(header: JsonObject): readonly Fact[] {
  const facts: Fact[] = [];
  const parent = stringAt(header, "parentSession") ?? stringAt(header, "branchedFrom");
  if (parent !== undefined && parent !== "")
    facts.push({ name: "parent", lineage: { kind: "fork", session: parentId(parent) } });
  const title = stringAt(header, "title") ?? stringAt(header, "name");
  if (title !== undefined && title.trim() !== "")
    facts.push({ name: "title", from: "session-name", text: title });
  const model = readModelName(header);
  if (model !== undefined) facts.push({ name: "model", model });
  return facts;
}

/** The parent session is named by its file, whose name contains the id. Other names are used as they are. */
function parentId(parent: string): string {
  return /Z_[^\\/]+\.jsonl$/.test(parent) ? idOfPiPath(parent) : parent;
}

/**
 * Reads the events of a relative of Pi (header version 0): `{type:"user/message",seq,time,data}`. The messages inside
 * are like Pi's; chunks and `tool/call` repeat parts of the complete message.
 */
function readPiEvent(
  object: JsonObject,
  tools: ReadonlyMap<string, string>,
  budget: TextBudget,
): PiRead | undefined {
  const type = stringAt(object, "type") ?? "";
  const data = objectAt(object, "data");
  if (data === undefined || !type.includes("/")) return undefined;
  switch (type) {
    case "user/message":
      return { bodies: readPiMessage({ ...data, role: "user" }, "", budget) ?? [] };
    case "assistant/message": {
      const message = objectAt(data, "message") ?? data;
      return { bodies: readPiMessage({ ...message, role: "assistant" }, "", budget) ?? [] };
    }
    case "tool/result":
      return { bodies: readResults(objectAt(data, "message") ?? data, tools, budget) };
    case "request/header": {
      const model = readModelName(objectAt(objectAt(data, "header"), "config"));
      return { bodies: [{ kind: "link" }], facts: model === undefined ? [] : [{ name: "model", model }] };
    }
    default:
      return { bodies: [{ kind: "link" }] };
  }
}

/** Its results do not name their tool, unlike Pi's. */
function readResults(
  message: JsonObject,
  tools: ReadonlyMap<string, string>,
  budget: TextBudget,
): readonly EntryBody[] {
  return (arrayAt(message, "content") ?? []).flatMap((block) => {
    if (!isObject(block)) return [];
    const toolName = tools.get(stringAt(block, "toolCallId") ?? "");
    return readPiMessage({ toolName, ...block, role: "toolResult" }, "", budget) ?? [];
  });
}
