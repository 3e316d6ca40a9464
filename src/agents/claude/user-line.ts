import { isObject, type JsonObject } from "../../jsonl/json-line.ts";
import { objectAt, stringAt } from "../../jsonl/values.ts";
import type { Entry, NoteEntry, RequestVia, ToolResult } from "../../session/entry.ts";
import { withoutElements } from "../../session/injected-text.ts";
import type { ClaudeState, Envelope } from "./parser.ts";
import type { ClaudeLine } from "./read-line.ts";
import { readToolResult } from "./tools.ts";

/** Reads a line of the user's side: tool results, a request, or something that only looks like one. */
export function readUserLine(
  object: JsonObject,
  envelope: Envelope,
  state: ClaudeState,
  line: ClaudeLine,
): Entry {
  const content = readContent(isObject(object.message) ? object.message.content : undefined);
  if (content.results.length > 0) {
    const results: ToolResult[] = [];
    for (let index = 0; index < content.results.length; index++) {
      const block = content.results[index] ?? object;
      const callId = typeof block.tool_use_id === "string" ? block.tool_use_id : "";
      const tool = state.openCalls.get(callId);
      if (tool !== undefined) state.openCalls.delete(callId);
      results.push(readToolResult(block, callId, tool, state.budget, object, line));
    }
    // Words next to a result are from the user: an answer to a question, a reason to refuse.
    if (content.text.trim() !== "") {
      state.emit({
        kind: "note",
        line: envelope.line,
        about: "custom",
        text: state.budget.words(content.text),
        chars: content.text.length,
      });
    }
    return { kind: "results", ...envelope, results };
  }
  const { text } = content;
  if (object.isCompactSummary === true) return readSummary(text, envelope, state);
  if (isNoPrompt(object)) return note("meta", text, envelope, state);
  const read: UserText = readUserText(text);
  switch (read.kind) {
    case "summary":
      return readSummary(read.text, envelope, state);
    case "note":
      return note(read.about, read.text, envelope, state);
    case "empty":
      return { kind: "link", ...envelope };
    case "request": {
      const copiedFrom = readForkedFrom(object.forkedFrom);
      return {
        kind: "request",
        ...envelope,
        via: read.via,
        text: state.budget.words(read.text),
        chars: text.length,
        images: content.images,
        ...(copiedFrom === undefined ? {} : { copiedFrom }),
      };
    }
  }
}

/** Lines that the agent's program wrote in the user's place; newer versions mark them. */
function isNoPrompt(object: JsonObject): boolean {
  if (object.isMeta === true || object.teamName !== undefined || object.promptSource === "system")
    return true;
  // A slash command that the model started, not the user.
  if (typeof object.sourceToolUseID === "string") return true;
  const origin = stringAt(objectAt(object, "origin"), "kind");
  return origin !== undefined && origin !== "human";
}

/** The summary of the compaction before it; if no boundary announced that, it is a compaction itself. */
function readSummary(text: string, envelope: Envelope, state: ClaudeState): Entry {
  const kept = state.budget.words(text);
  if (state.openBoundary !== undefined) {
    state.openBoundary = undefined;
    return { kind: "summary", ...envelope, of: "compaction", text: kept };
  }
  const logicalParent = envelope.parent ?? state.lastUid;
  return {
    kind: "compaction",
    ...envelope,
    parent: null,
    trigger: null,
    tokensBefore: null,
    tokensAfter: null,
    summary: kept,
    ...(logicalParent === undefined ? {} : { logicalParent }),
  };
}

function note(
  about: "meta" | "output" | "interrupt" | "system" | "command" | "custom" | "error",
  text: string,
  envelope: Envelope,
  state: ClaudeState,
): Entry {
  // That the user stopped the agent is recorded even if there is no output.
  const kept = about === "interrupt" ? state.budget.words(text) : state.budget.output(text, false);
  const moreWords = about === "output" ? state.budget.moreWords(text, kept) : undefined;
  return { kind: "note", ...envelope, about, text: kept, chars: text.length, moreWords };
}

interface UserContent {
  readonly text: string;
  readonly images: number;
  /** The blocks that hold them. */
  readonly results: readonly JsonObject[];
}

const NO_RESULTS: readonly JsonObject[] = [];

function readContent(content: unknown): UserContent {
  if (typeof content === "string") return { text: content, images: 0, results: NO_RESULTS };
  if (!Array.isArray(content)) return { text: "", images: 0, results: NO_RESULTS };
  const texts: string[] = [];
  const results: JsonObject[] = [];
  let images = 0;
  for (let index = 0; index < content.length; index++) {
    const block: unknown = content[index];
    if (typeof block === "string") texts.push(block);
    if (!isObject(block)) continue;
    if (block.type === "tool_result") results.push(block);
    else if (block.type === "image" || block.type === "document") images++;
    else texts.push(stringAt(block, "text") ?? "");
  }
  return { text: texts.length === 0 ? "" : texts.join("\n"), images, results };
}

/** SDKs write an object; some tools a string. */
function readForkedFrom(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return isObject(value) ? stringAt(value, "sessionId") : undefined;
}

/** Classifies the text of a user line: a request, or one of the many things that look like one. */
type UserText =
  | { readonly kind: "request"; readonly via: RequestVia; readonly text: string }
  | { readonly kind: "note"; readonly about: NoteEntry["about"]; readonly text: string }
  | { readonly kind: "summary"; readonly text: string }
  | { readonly kind: "empty" };

/** The beginning of every continuation text, in all versions. */
const CONTINUATION = "This session is being continued from a previous conversation";

/** Blocks that tools and hooks add to a prompt: without them, the rest is the prompt. */
const BESIDE_PROMPTS = ["system-reminder", "ide_opened_file", "ide_selection", "user-prompt-submit-hook"];

/** A text with one of these beginnings is not a request. */
const NO_REQUEST: readonly (readonly [start: string, about: NoteEntry["about"]])[] = [
  ["<local-command-stdout>", "output"],
  ["<local-command-stderr>", "output"],
  ["<bash-stdout>", "output"],
  ["<bash-stderr>", "output"],
  ["<local-command-caveat>", "meta"],
  ["Caveat: The messages below were generated by the user while running local commands", "meta"],
  ["<session-start-hook>", "meta"],
  ["<tick>", "meta"],
  ["<goal>", "meta"],
  ["<task-notification>", "system"],
  ["<agent-notification>", "system"],
  ["[Request interrupted by user", "interrupt"],
  // The message of a hook that refused a prompt; the prompt itself is in the line before.
  ["Operation stopped by hook: ", "system"],
];

export function readUserText(raw: string): UserText {
  const text = withoutElements(raw, BESIDE_PROMPTS).trim();
  if (text === "")
    return raw.trim() === "" ? { kind: "empty" } : { kind: "note", about: "meta", text: raw.trim() };
  const first = text.charCodeAt(0);
  // "<", "[", "C", "O", "T": nearly every text begins with another character and is done here.
  if (first !== 0x3c && first !== 0x5b && first !== 0x43 && first !== 0x4f && first !== 0x54)
    return { kind: "request", via: "typed", text };
  if (text.startsWith(CONTINUATION)) return { kind: "summary", text };
  for (const [start, about] of NO_REQUEST)
    if (text.startsWith(start)) return { kind: "note", about, text: plainText(text) };
  if (text.startsWith("<bash-input>"))
    return { kind: "request", via: "bash", text: insideOf(text, "bash-input") ?? text };
  if (text.startsWith("<command-")) return readSlashCommand(text);
  return { kind: "request", via: "typed", text };
}

/** A slash command is a request only with arguments: bare ones steer the agent's program. */
function readSlashCommand(text: string): UserText {
  const given = insideOf(text, "command-name") ?? insideOf(text, "command-message") ?? "";
  const name = given.startsWith("/") ? given : `/${given}`;
  const args = insideOf(text, "command-args") ?? "";
  if (args === "") return { kind: "note", about: "command", text: name };
  return { kind: "request", via: "command", text: `${name} ${args}` };
}

/** The text inside the first such element, without the space around it. */
function insideOf(text: string, tag: string): string | undefined {
  const open = `<${tag}>`;
  const from = text.indexOf(open);
  if (from === -1) return undefined;
  const to = text.indexOf(`</${tag}>`, from);
  return text.slice(from + open.length, to === -1 ? undefined : to).trim();
}

/** Without the tags themselves. */
function plainText(text: string): string {
  return text
    .replace(
      /<\/?(?:local-command-[a-z]+|bash-[a-z]+|session-start-hook|tick|goal|(?:task|agent)-notification)>/g,
      " ",
    )
    .trim();
}
