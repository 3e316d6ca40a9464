import { createHash } from "node:crypto";
import { isObject, type JsonObject, readJsonLine } from "../../jsonl/json-line.ts";
import { arrayAt, jsonText, objectAt, stringAt, timeAt } from "../../jsonl/values.ts";
import type { SourceFacts } from "../../session/entry.ts";
import type { LineParser, ParserContext } from "../agent.ts";
import { createTimeSpan, type EntryBody, placed, type SavedSpan } from "../entry-body.ts";
import { sessionIdAt } from "../session-id.ts";
import { readQwenRecord } from "./record.ts";

/** The state that the parser needs to continue later. */
interface SavedState {
  readonly span: SavedSpan;
  readonly id?: string | undefined;
  readonly project?: string | undefined;
  readonly branch?: string | undefined;
  readonly version?: string | undefined;
  readonly messages: readonly SentMessage[];
}

/** A message that the model was sent: a compaction repeats the messages that it keeps, without naming them. */
interface SentMessage {
  readonly uid: string;
  readonly hash: string;
}

/** A compaction keeps a few messages; no more are compared. */
const MAX_MESSAGES = 400;

const NOTHING_READ: SavedState = { span: { firstAt: null, lastAt: null }, messages: [] };

export function createQwenParser(context: ParserContext): LineParser {
  const before: SavedState = context.resume === undefined ? NOTHING_READ : JSON.parse(context.resume);
  const span = createTimeSpan(before.span);
  const messages = [...before.messages];
  let { id, project, branch, version } = before;

  const take = (object: JsonObject, line: number): boolean => {
    const at = timeAt(object, "timestamp");
    span.add(at);
    id ??= sessionIdAt(object, "sessionId");
    project ??= stringAt(object, "cwd");
    branch = stringAt(object, "gitBranch") ?? branch;
    version = stringAt(object, "version") ?? version;
    const uid = stringAt(object, "uuid");
    if (uid === undefined) return false;
    const { bodies, facts = [], isUnknown = false } = readQwenRecord(object, uid, context.budget);
    for (const fact of facts) context.emit({ kind: "fact", line, fact });
    put(
      bodies.map((body) => withKept(body, object)),
      { uid, parent: stringAt(object, "parentUuid") ?? null, line, at },
    );
    remember(object, uid);
    return !isUnknown;
  };

  /** The last entry has the name of the line: entries after the line follow it. */
  const put = (
    bodies: readonly EntryBody[],
    { uid, parent, line, at }: { uid: string; parent: string | null; line: number; at: number | undefined },
  ): void => {
    let previous = parent;
    for (const [index, body] of bodies.entries()) {
      const name: string = index === bodies.length - 1 ? uid : `${uid}:${index + 1}`;
      context.emit(placed(body, { line, at }, name, previous));
      previous = name;
    }
  };

  const remember = (object: JsonObject, uid: string): void => {
    const parts = arrayAt(objectAt(object, "message"), "parts");
    if (parts === undefined) return;
    messages.push({ uid, hash: hashOf(parts) });
    if (messages.length > 2 * MAX_MESSAGES) messages.splice(0, MAX_MESSAGES);
  };

  /** The messages at the end of the new history that are also at the end of the log were kept. */
  const withKept = (body: EntryBody, object: JsonObject): EntryBody => {
    if (body.kind !== "compaction") return body;
    const history = arrayAt(objectAt(object, "systemPayload"), "compressedHistory") ?? [];
    let kept = 0;
    while (kept < history.length - 1 && kept < messages.length) {
      const content = history.at(-1 - kept);
      const parts = isObject(content) ? arrayAt(content, "parts") : undefined;
      if (parts === undefined || hashOf(parts) !== messages.at(-1 - kept)?.hash) break;
      kept++;
    }
    const first = kept === 0 ? undefined : messages.at(-kept);
    return first === undefined ? body : { ...body, keptFrom: first.uid };
  };

  return {
    line(line) {
      const { objects, problem } = readJsonLine(line.bytes, line.ended);
      for (const object of objects)
        if (!take(object, line.number)) context.emit({ kind: "opaque", line: line.number });
      if (problem !== undefined) context.emit({ kind: "opaque", line: line.number, problem });
    },
    save: () => JSON.stringify({ span, id, project, branch, version, messages } satisfies SavedState),
    finish: (): SourceFacts => ({
      id: id ?? null,
      project: project ?? null,
      branch: branch ?? null,
      version: version ?? null,
      firstAt: span.firstAt,
      lastAt: span.lastAt,
    }),
  };
}

function hashOf(parts: readonly unknown[]): string {
  return createHash("sha256").update(jsonText(parts)).digest("base64url").slice(0, 16);
}
