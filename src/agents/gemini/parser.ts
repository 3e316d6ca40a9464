import { isObject, type JsonObject, readJsonLine, tryParse } from "../../jsonl/json-line.ts";
import { arrayAt, objectAt, stringAt, timeAt } from "../../jsonl/values.ts";
import type { SourceFacts } from "../../session/entry.ts";
import type { LineParser, ParserContext } from "../agent.ts";
import { createTimeSpan, type SavedSpan } from "../entry-body.ts";
import { sessionIdAt } from "../session-id.ts";
import { createGeminiThread, emptyGeminiThread, type SavedGeminiThread } from "./thread.ts";

/** The state that the parser needs to continue later. */
interface SavedState {
  readonly thread: SavedGeminiThread;
  readonly span: SavedSpan;
  readonly id?: string | undefined;
  readonly project?: string | undefined;
}

const NOTHING_READ: SavedState = { thread: emptyGeminiThread, span: { firstAt: null, lastAt: null } };

/** A whole-file log is held in memory until its end, up to this size. */
const MAX_WHOLE_FILE = 64 * 1024 * 1024;

/**
 * Reads both forms of log: lines, and in older versions one object for the whole file, on many lines. A line is the
 * header, a message (whose id may come again, with more content), a change of the header (`$set`), or a step back
 * (`$rewindTo`).
 */
export function createGeminiParser(context: ParserContext): LineParser {
  const before: SavedState = context.resume === undefined ? NOTHING_READ : JSON.parse(context.resume);
  const thread = createGeminiThread(context, before.thread);
  const span = createTimeSpan(before.span);
  let { id, project } = before;
  const isWholeFile = context.path.endsWith(".json");
  let held = "";
  let lines = 0;

  const takeHeader = (header: JsonObject, line: number): void => {
    id ??= sessionIdAt(header, "sessionId");
    span.add(timeAt(header, "startTime"));
    span.add(timeAt(header, "lastUpdated"));
    const [folder] = arrayAt(header, "directories") ?? [];
    if (typeof folder === "string") project ??= folder;
    const title = stringAt(header, "summary")?.trim() ?? "";
    if (title !== "") {
      const text = context.budget.words(title);
      context.emit({ kind: "fact", line, fact: { name: "title", from: "generated", text } });
    }
    const messages = arrayAt(header, "messages");
    if (messages !== undefined) takeList(messages.filter(isObject), line);
  };

  const takeList = (messages: readonly JsonObject[], line: number): void => {
    for (const message of messages) span.add(timeAt(message, "timestamp"));
    thread.list(messages, line);
  };

  /** False if it is not understood. */
  const take = (object: JsonObject, line: number): boolean => {
    const rewindTo = stringAt(object, "$rewindTo");
    if (rewindTo !== undefined) {
      thread.rewind(rewindTo, line);
      return true;
    }
    if (stringAt(object, "id") !== undefined) {
      span.add(timeAt(object, "timestamp"));
      return thread.message(object, line);
    }
    const header =
      objectAt(object, "$set") ?? (stringAt(object, "projectHash") === undefined ? undefined : object);
    if (header !== undefined) takeHeader(header, line);
    return header !== undefined;
  };

  const takeWhole = (): void => {
    const whole = tryParse(held.replace(/^\uFEFF/, ""));
    if (isObject(whole)) takeHeader(whole, 1);
    else if (lines > 0)
      context.emit({ kind: "opaque", line: lines, problem: "torn: the log is not complete" });
  };

  return {
    line(line) {
      lines++;
      if (isWholeFile) {
        if (held.length <= MAX_WHOLE_FILE) held += `${line.bytes.toString("utf8")}\n`;
        return;
      }
      const { objects, problem } = readJsonLine(line.bytes, line.ended);
      for (const object of objects)
        if (!take(object, line.number)) context.emit({ kind: "opaque", line: line.number });
      if (problem !== undefined) context.emit({ kind: "opaque", line: line.number, problem });
    },
    // A whole-file log is rewritten, and never continued.
    save: () =>
      isWholeFile
        ? undefined
        : JSON.stringify({ thread: thread.save(), span, id, project } satisfies SavedState),
    finish(): SourceFacts {
      if (isWholeFile) takeWhole();
      return {
        id: id ?? null,
        project: thread.project() ?? project ?? null,
        branch: null,
        version: null,
        firstAt: span.firstAt,
        lastAt: span.lastAt,
      };
    },
  };
}
