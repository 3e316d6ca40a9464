import { createHash } from "node:crypto";
import { isObject, type JsonObject } from "../../jsonl/json-line.ts";
import { arrayAt, jsonText, numberAt, objectAt, stringAt, timeAt } from "../../jsonl/values.ts";
import type { ReplyPart, ToolResult } from "../../session/entry.ts";
import type { ParserContext } from "../agent.ts";
import { type EntryBody, placed } from "../entry-body.ts";
import {
  isResponse,
  partsOf,
  readPrompt,
  readReplyParts,
  readResponse,
  readToolOutput,
  tokensUsed,
} from "../google-parts.ts";
import { readToolCall } from "../tool-call.ts";
import { projectInContext } from "./project-in-context.ts";

/**
 * The conversation of a log. Messages have ids but no parents: each follows the one before. A message comes again
 * when its tools have run; a list replaces all messages, after a compression or when the session is resumed.
 */
export interface GeminiThread {
  /** False if it is not understood. */
  message(message: JsonObject, line: number): boolean;
  list(messages: readonly JsonObject[], line: number): void;
  rewind(id: string, line: number): void;
  /** The folder that the model was told to work in. */
  project(): string | undefined;
  save(): SavedGeminiThread;
}

/** What is known about a message that was emitted. */
interface KnownMessage {
  readonly id: string;
  /** The entries that it became. */
  readonly uids: readonly string[];
  /** Whether it is part of the conversation, and neither context that Gemini CLI adds nor a tool's result. */
  readonly isTalk: boolean;
  readonly hasText: boolean;
  /** A short form of its content, by which a copy under another id is recognized. */
  readonly contentKey: string;
}

export interface SavedGeminiThread {
  readonly tail: string | null;
  /** Every message that was emitted, and those that the agent would load now, in order. */
  readonly known: readonly KnownMessage[];
  readonly loaded: readonly string[];
  /** Calls that were emitted, and calls whose results were. */
  readonly called: readonly string[];
  readonly answered: readonly string[];
  readonly project?: string | undefined;
}

export const emptyGeminiThread: SavedGeminiThread = {
  tail: null,
  known: [],
  loaded: [],
  called: [],
  answered: [],
};

export function createGeminiThread({ emit, budget }: ParserContext, before: SavedGeminiThread): GeminiThread {
  let { tail, project } = before;
  const known = new Map(before.known.map((message) => [message.id, message]));
  let loaded = new Set(before.loaded);
  const called = new Set(before.called);
  const answered = new Set(before.answered);

  const put = (body: EntryBody, uid: string, line: number, at: number | undefined): void => {
    emit(placed(body, { line, at }, uid, tail));
    tail = uid;
  };

  const take = (message: JsonObject, line: number): boolean => {
    const id = idOf(message);
    const present = known.get(id);
    const bodies = present === undefined ? readNew(message) : readMore(message, present);
    if (bodies === undefined) return false;
    const count = present?.uids.length ?? 0;
    const uids = bodies.map((_body, at) => (count + at === 0 ? id : `${id}:${count + at}`));
    for (const [at, body] of bodies.entries()) put(body, uids[at] ?? id, line, timeAt(message, "timestamp"));
    const hasText = present?.hasText === true || bodies.some(hasWords);
    const isTalk =
      present?.isTalk === true || bodies.some((body) => body.kind === "request" || body.kind === "reply");
    known.set(id, {
      id,
      uids: [...(present?.uids ?? []), ...uids],
      isTalk,
      hasText,
      contentKey: contentKeyOf(message),
    });
    return true;
  };

  const readNew = (message: JsonObject): readonly EntryBody[] | undefined => {
    switch (message.type) {
      case "user":
        return readUser(message);
      case "gemini":
        return readGemini(message, true);
      case "info":
      case "warning":
        return [readNote("system", message)];
      case "error":
        return [readNote("error", message)];
      default:
        return undefined;
    }
  };

  /** Emits the new part of a message that came before. */
  const readMore = (message: JsonObject, { hasText }: KnownMessage): readonly EntryBody[] => {
    if (message.type === "gemini") return readGemini(message, !hasText);
    return message.type === "user" ? resultsIn(partsOf(message.content)) : [];
  };

  const readNote = (about: "system" | "error", message: JsonObject): EntryBody => {
    const { text, chars } = readPrompt(partsOf(message.content));
    return { kind: "note", about, text: budget.words(text), chars };
  };

  const readUser = (message: JsonObject): readonly EntryBody[] => {
    const parts = partsOf(message.content);
    const results = resultsIn(parts);
    // What the user typed, before files were added to it.
    const shown = partsOf(message.displayContent);
    const { text, images } = readPrompt(shown.length > 0 ? shown : parts);
    const { chars } = readPrompt(parts);
    if (text.trim() === "" && images === 0) return results;
    const words = budget.words(text);
    const start = text.trimStart();
    if (ADDED.test(start)) {
      project ??= projectInContext.folder(text);
      return [...results, { kind: "note", about: "meta", text: words, chars }];
    }
    // Gemini CLI does not load texts that begin like this.
    if (/^[/?]/.test(start)) return [...results, { kind: "note", about: "command", text: words, chars }];
    return [...results, { kind: "request", via: "typed", text: words, chars, images }];
  };

  const resultsIn = (parts: readonly JsonObject[]): readonly EntryBody[] =>
    resultsOf(parts.filter(isResponse).flatMap((part) => readResponse(part, budget) ?? []));

  /** A result is in the call and in a message of the user after it: the first one is used. */
  const resultsOf = (all: readonly ToolResult[]): readonly EntryBody[] => {
    const results = all.filter(({ callId }) => !answered.has(callId));
    for (const { callId } of results) answered.add(callId);
    return results.length === 0 ? [] : [{ kind: "results", results }];
  };

  const readGemini = (message: JsonObject, withText: boolean): readonly EntryBody[] => {
    const id = idOf(message);
    const calls = (arrayAt(message, "toolCalls") ?? []).filter(isObject).map((call, at) => ({
      ...call,
      id: stringAt(call, "id") ?? `${id}/${at}`,
    }));
    const said = readReplyParts(partsOf(message.content), id, budget);
    const parts: ReplyPart[] = withText
      ? [...thoughtsIn(message), ...said.filter(({ kind }) => kind !== "call")]
      : [];
    const made = [
      ...said.filter((part) => part.kind === "call"),
      ...calls.map((call) =>
        readToolCall(call.id, stringAt(call, "name") ?? "", objectAt(call, "args"), budget),
      ),
    ];
    for (const call of made) {
      if (called.has(call.id)) continue;
      called.add(call.id);
      parts.push(call);
    }
    const results = resultsOf(calls.flatMap(resultOf));
    if (parts.length === 0) return results;
    const model = stringAt(message, "model");
    const usage = withText ? usageIn(objectAt(message, "tokens")) : undefined;
    const reply: EntryBody = {
      kind: "reply",
      message: id,
      parts,
      ...(model === undefined ? {} : { model }),
      ...(usage === undefined ? {} : { usage }),
    };
    return [reply, ...results];
  };

  const thoughtsIn = (message: JsonObject): readonly ReplyPart[] =>
    (arrayAt(message, "thoughts") ?? []).filter(isObject).flatMap((thought): readonly ReplyPart[] => {
      const text = [stringAt(thought, "subject"), stringAt(thought, "description")]
        .filter(Boolean)
        .join(": ");
      return text === "" ? [] : [{ kind: "thinking", text: budget.thinking(text), chars: text.length }];
    });

  /** A call that has not ended has no result. */
  const resultOf = (call: JsonObject): readonly ToolResult[] => {
    const { result } = call;
    if (result === undefined || result === null) return [];
    const status = stringAt(call, "status");
    const note = {
      ...(status === undefined ? {} : { isError: status !== "success" }),
      agentId: stringAt(call, "agentId"),
    };
    const responses = partsOf(result).flatMap((part) => readResponse(part, budget, note) ?? []);
    if (responses.length > 0) return responses;
    const place = { callId: stringAt(call, "id") ?? "", tool: stringAt(call, "name") ?? "" };
    return [readToolOutput(place, typeof result === "string" ? result : jsonText(result), budget, note)];
  };

  /**
   * If a part of the loaded conversation is missing in the list, it is a compression, which repeats the messages that
   * it keeps under new ids; or the end of the conversation was taken back.
   */
  const takeList = (messages: readonly JsonObject[], line: number): void => {
    const ids = new Set(messages.map(idOf));
    const isDropped = [...loaded].some((id) => !ids.has(id) && known.get(id)?.isTalk === true);
    if (!isDropped) {
      for (const message of messages) take(message, line);
    } else if (messages.some(isTalk)) {
      recogniseCopies(messages);
      if (messages.some((message) => isTalk(message) && isNew(message))) compress(messages, line);
      // Nothing is new: Gemini CLI took back the last messages.
      else stepBack(messages.map(idOf), line);
    } else return;
    loaded = ids;
  };

  /** From the end backwards, as long as both lists agree. */
  const recogniseCopies = (messages: readonly JsonObject[]): void => {
    const before = [...loaded].flatMap((id) => known.get(id) ?? []).filter((message) => message.isTalk);
    for (const message of messages.filter(isTalk).toReversed()) {
      const original = before.pop();
      if (original?.contentKey !== contentKeyOf(message)) return;
      known.set(idOf(message), { ...original, id: idOf(message) });
    }
  };

  const isNew = (message: JsonObject): boolean => !known.has(idOf(message));

  /** The first message that is really new is the summary. */
  const compress = (messages: readonly JsonObject[], line: number): void => {
    const summary = messages.find((message) => isTalk(message) && isNew(message) && message.type === "user");
    const kept = messages.find((message) => isTalk(message) && !isNew(message));
    const keptFrom = kept === undefined ? undefined : known.get(idOf(kept))?.uids[0];
    const { text } = readPrompt(partsOf(summary?.content));
    const body: EntryBody = {
      kind: "compaction",
      trigger: null,
      tokensBefore: null,
      tokensAfter: null,
      ...(keptFrom === undefined ? {} : { keptFrom }),
      ...(text === "" ? {} : { summary: budget.words(text) }),
    };
    put(body, `compression:${line}`, line, summary === undefined ? undefined : timeAt(summary, "timestamp"));
    if (summary !== undefined) {
      const id = idOf(summary);
      known.set(id, { id, uids: [], isTalk: true, hasText: true, contentKey: contentKeyOf(summary) });
    }
    for (const message of messages) if (isNew(message)) take(message, line);
  };

  /**
   * The conversation continues after the last of these messages. A link says where it is now, because nothing may
   * follow.
   */
  const stepBack = (ids: readonly string[], line: number): void => {
    tail = ids.flatMap((id) => known.get(id)?.uids ?? []).at(-1) ?? null;
    put({ kind: "link" }, `rewind:${line}`, line, undefined);
  };

  return {
    message(message, line) {
      const isTaken = take(message, line);
      const id = idOf(message);
      if (isTaken) loaded.add(id);
      return isTaken;
    },
    list: takeList,
    rewind(id, line) {
      const ids = [...loaded];
      const rest = ids.slice(0, Math.max(0, ids.indexOf(id)));
      loaded = new Set(rest);
      stepBack(rest, line);
    },
    project: () => project,
    save: () => ({
      tail,
      known: [...known.values()],
      loaded: [...loaded],
      called: [...called],
      answered: [...answered],
      project,
    }),
  };
}

/** Text that Gemini CLI inserts in the user's place. */
const ADDED = /^(?:<(?:session|hook)_context>|System: (?:Potential loop detected|Please continue))/;

function idOf(message: JsonObject): string {
  return stringAt(message, "id") ?? "";
}

/** Its words and its calls. Calls are in the content or next to it. */
function contentKeyOf(message: JsonObject): string {
  const parts = partsOf(message.content);
  const words = parts.flatMap((part) => (part.thought === true ? [] : (stringAt(part, "text") ?? [])));
  const calls = [
    ...parts.map((part) => objectAt(part, "functionCall")),
    ...(arrayAt(message, "toolCalls") ?? []).filter(isObject),
  ].flatMap((call) => stringAt(call, "id") ?? []);
  const content = [stringAt(message, "type") ?? "", ...words, ...new Set(calls)].join("\n");
  return createHash("sha256").update(content).digest("base64url").slice(0, 16);
}

function hasWords(body: EntryBody): boolean {
  return body.kind === "reply" && body.parts.some(({ kind }) => kind !== "call");
}

/** Neither context that Gemini CLI adds, nor a command, nor a tool's result. */
function isTalk(message: JsonObject): boolean {
  if (message.type === "gemini") return true;
  if (message.type !== "user") return false;
  const { text } = readPrompt(partsOf(message.content));
  return text.trim() !== "" && !/^[/?]/.test(text.trimStart()) && !ADDED.test(text.trimStart());
}

function usageIn(tokens: JsonObject | undefined): ReturnType<typeof tokensUsed> | undefined {
  if (tokens === undefined) return undefined;
  const count = (key: string): number => numberAt(tokens, key) ?? 0;
  return tokensUsed(count("input"), count("output") + count("thoughts"), count("cached"));
}
