import { type JsonObject, readJsonLine } from "../../jsonl/json-line.ts";
import { numberAt, objectAt, stringAt, timeAt } from "../../jsonl/values.ts";
import type { SourceFacts } from "../../session/entry.ts";
import type { LineParser, ParserContext } from "../agent.ts";
import { createTimeSpan, type EntryBody, placed, type SavedSpan } from "../entry-body.ts";
import { sessionIdAt } from "../session-id.ts";
import { errorText, readReplyPiece, readTokens, readUserPart, type UserPart } from "./message.ts";

/** The state that the parser needs to continue later. */
interface SavedState {
  readonly span: SavedSpan;
  readonly tail: string | null;
  readonly session?: Pick<SourceFacts, "id" | "project" | "version"> | undefined;
  readonly message?: OpenMessage | undefined;
  /** A compaction that was requested: it happens when its summary is written. */
  readonly compaction?: NonNullable<UserPart["compaction"]> | undefined;
  /** Message ids, with the entry before each: the user may go back to before any of them. */
  readonly before: Readonly<Record<string, string | null>>;
}

/** The message whose parts are being read. */
interface OpenMessage {
  readonly id: string;
  readonly line: number;
  readonly at?: number | undefined;
  readonly data: JsonObject;
  /** How many entries it became. */
  readonly entries: number;
  /** For a message of the user: the text of its parts so far. */
  readonly texts: readonly string[];
  readonly added: readonly string[];
  readonly images: number;
  readonly command?: string | undefined;
}

const NOTHING_READ: SavedState = { span: { firstAt: null, lastAt: null }, tail: null, before: {} };

/** Reads the lines that stored-sessions.ts writes. Messages have no parents: each follows the one before. */
export function createOpencodeParser({ emit, budget, resume }: ParserContext): LineParser {
  const saved: SavedState = resume === undefined ? NOTHING_READ : JSON.parse(resume);
  const span = createTimeSpan(saved.span);
  const before: Record<string, string | null> = { ...saved.before };
  let { tail, session, message, compaction } = saved;

  const put = (body: EntryBody, uid: string, line: number, at: number | undefined): void => {
    emit(placed(body, { line, at }, uid, tail));
    tail = uid;
  };

  /** The first entry of a message has the message's name. */
  const putOf = (open: OpenMessage, body: EntryBody, line: number): void => {
    put(body, open.entries === 0 ? open.id : `${open.id}:${open.entries}`, line, open.at);
    message = { ...open, entries: open.entries + 1 };
  };

  const startMessage = (row: JsonObject, line: number): boolean => {
    closeMessage();
    const id = stringAt(row, "id");
    const data = objectAt(row, "data");
    if (id === undefined || data === undefined) return false;
    const at = timeAt(objectAt(data, "time"), "created") ?? timeAt(row, "time_created");
    span.add(at);
    span.add(timeAt(objectAt(data, "time"), "completed"));
    before[id] = tail;
    message = { id, line, at, data, entries: 0, texts: [], added: [], images: 0 };
    if (data.role === "user") return true;
    if (data.role !== "assistant") return false;
    if (isSummary(message) && compaction !== undefined) {
      const { isAuto, keptFrom } = compaction;
      putOf(
        message,
        {
          kind: "compaction",
          trigger: isAuto ? "auto" : "manual",
          tokensBefore: numberAt(objectAt(data, "tokens"), "input") ?? null,
          tokensAfter: null,
          ...(keptFrom === null ? {} : { keptFrom }),
        },
        line,
      );
    }
    compaction = undefined;
    return true;
  };

  const takePart = (row: JsonObject, line: number): boolean => {
    const data = objectAt(row, "data");
    const isOfMessage = message !== undefined && stringAt(row, "message_id") === message.id;
    if (data === undefined || message === undefined || !isOfMessage) return false;
    return message.data.role === "user"
      ? takeUserPart(message, data)
      : takeReplyPart(message, data, row, line);
  };

  const takeUserPart = (open: OpenMessage, data: JsonObject): boolean => {
    const part = readUserPart(data);
    if (part === undefined) return false;
    message = {
      ...open,
      texts: part.text === undefined ? open.texts : [...open.texts, part.text],
      added: part.added === undefined ? open.added : [...open.added, part.added],
      images: open.images + (part.image === true ? 1 : 0),
      command: part.command ?? open.command,
    };
    compaction = part.compaction ?? compaction;
    return true;
  };

  const takeReplyPart = (open: OpenMessage, data: JsonObject, row: JsonObject, line: number): boolean => {
    const piece = readReplyPiece(data, stringAt(row, "id") ?? open.id, budget);
    if (piece === undefined) return false;
    if (isSummary(open)) {
      if (piece.part?.kind === "text")
        putOf(open, { kind: "summary", of: "compaction", text: piece.part.text }, line);
      return true;
    }
    if (piece.part !== undefined) {
      const model = stringAt(open.data, "modelID");
      const usage = open.entries === 0 ? readTokens(open.data) : undefined;
      putOf(
        open,
        {
          kind: "reply",
          message: open.id,
          parts: [piece.part],
          ...(model === undefined ? {} : { model }),
          ...(usage === undefined ? {} : { usage }),
        },
        line,
      );
    }
    const { result, retry } = piece;
    if (result !== undefined) putOf(message ?? open, { kind: "results", results: [result] }, line);
    if (retry !== undefined && retry !== "")
      putOf(
        message ?? open,
        { kind: "note", about: "error", text: budget.words(retry), chars: retry.length },
        line,
      );
    return true;
  };

  /** A message is one request, whatever its number of parts; the error of a reply is emitted after its parts. */
  const closeMessage = (): void => {
    const open = message;
    if (open === undefined) return;
    if (open.data.role === "user") closeRequest(open);
    else closeReply(open);
    message = undefined;
  };

  const closeRequest = (open: OpenMessage): void => {
    const { texts, added, images, command, line } = open;
    const text = texts.join("\n");
    const extra = added.join("\n");
    if (text.trim() !== "" || images > 0)
      putOf(
        open,
        { kind: "request", via: "typed", text: budget.words(text), chars: text.length, images },
        line,
      );
    else if (command !== undefined && command !== "")
      putOf(
        open,
        { kind: "request", via: "command", text: budget.words(command), chars: command.length, images: 0 },
        line,
      );
    if (extra !== "")
      putOf(
        message ?? open,
        { kind: "note", about: "meta", text: budget.output(extra, false), chars: extra.length },
        line,
      );
    if ((message ?? open).entries === 0) putOf(open, { kind: "link" }, line);
  };

  const closeReply = (open: OpenMessage): void => {
    const error = objectAt(open.data, "error");
    const text = errorText(error);
    const isAborted = stringAt(error, "name") === "MessageAbortedError";
    if (text !== "")
      putOf(
        open,
        {
          kind: "note",
          about: isAborted ? "interrupt" : "error",
          text: budget.words(text),
          chars: text.length,
        },
        open.line,
      );
    else if (open.entries === 0) putOf(open, { kind: "link" }, open.line);
  };

  /** Everything after the place that the user went back to is on a branch, even if nothing follows. */
  const goBack = (revert: JsonObject, line: number): void => {
    closeMessage();
    const id = stringAt(revert, "messageID") ?? "";
    if (!Object.hasOwn(before, id)) return;
    tail = before[id] ?? null;
    put({ kind: "link" }, `revert:${id}`, line, undefined);
  };

  /** False if it is not understood. */
  const take = (object: JsonObject, line: number): boolean => {
    const row = objectAt(object, "message");
    if (row !== undefined) return startMessage(row, line);
    const part = objectAt(object, "part");
    if (part !== undefined) return takePart(part, line);
    const revert = objectAt(object, "revert");
    if (revert !== undefined) {
      goBack(revert, line);
      return true;
    }
    const head = object.opencode === 1 ? objectAt(object, "session") : undefined;
    if (head === undefined) return false;
    span.add(timeAt(head, "time_created"));
    session = {
      id: sessionIdAt(head, "id") ?? null,
      project: stringAt(head, "directory") ?? null,
      version: stringAt(head, "version") ?? null,
    };
    return true;
  };

  return {
    line(line) {
      const { objects, problem } = readJsonLine(line.bytes, line.ended);
      for (const object of objects)
        if (!take(object, line.number)) emit({ kind: "opaque", line: line.number });
      if (problem !== undefined) emit({ kind: "opaque", line: line.number, problem });
    },
    save: () => JSON.stringify({ span, tail, session, message, compaction, before } satisfies SavedState),
    finish: (): SourceFacts => {
      closeMessage();
      return {
        id: session?.id ?? null,
        project: session?.project ?? null,
        branch: null,
        version: session?.version ?? null,
        firstAt: span.firstAt,
        lastAt: span.lastAt,
      };
    },
  };
}

/** The reply to a compaction. One that failed compacts nothing. */
function isSummary({ data }: OpenMessage): boolean {
  return data.role === "assistant" && data.summary === true && objectAt(data, "error") === undefined;
}
