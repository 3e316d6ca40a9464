import { shorten } from "../extract/sentences.ts";
import { tryParse } from "../jsonl/json-line.ts";
import { jsonText } from "../jsonl/values.ts";
import { cleanLine } from "../redact/clean-text.ts";
import type { ToolCall } from "../session/session.ts";
import { formatNumber, type Outcome, relativeTo } from "./words.ts";

/** A tool call for people: one line, and details that are folded below it. */
interface CallView {
  readonly name: string;
  /** Its subject: its command, its file, its search pattern. */
  readonly subject: string;
  readonly state: Outcome;
  /** "exit 1", "failed", or empty if it succeeded. */
  readonly outcome: string;
  readonly details: readonly CallDetail[];
}

export interface CallDetail {
  readonly of: "input" | "result";
  readonly part: CallPart;
  /** Says that the log has more than is shown. */
  readonly note: string | null;
}

const SUBJECT_CHARS = 120;

export function viewCall(call: ToolCall, project: string | null): CallView {
  const input = readInput(call);
  const subject = subjectOf(call, input, project);
  const shown = inputParts(call, input, subject);
  const cut = noteOf(call.input.length, call.inputChars);
  const details = shown.map((part, at): CallDetail => {
    return { of: "input", part, note: at === shown.length - 1 ? cut : null };
  });
  return { name: call.name, subject, ...callOutcome(call), details: [...details, ...resultOf(call)] };
}

/** How a call ended. A result that reports no error may still have an exit status. */
export function callOutcome({ result }: ToolCall): Pick<CallView, "state" | "outcome"> {
  if (result === undefined) return { state: "unknown", outcome: "no result" };
  if (!result.isError && (result.exitCode ?? 0) === 0) return { state: "done", outcome: "" };
  return {
    state: "failed",
    outcome: result.exitCode === null || result.exitCode === 0 ? "failed" : `exit ${result.exitCode}`,
  };
}

function resultOf({ result, name, agentId }: ToolCall): readonly CallDetail[] {
  if (result === undefined || result.text.trim() === "") return [];
  const spilled = result.spilledTo === undefined ? [] : [`All of it is in ${result.spilledTo}`];
  const notes = [noteOf(result.text.length, result.chars) ?? [], spilled].flat();
  // The result of a sub-agent is prose.
  const isSaid = !result.isError && (agentId !== undefined || name === "Task" || name === "Agent");
  const part: CallPart = isSaid
    ? { kind: "prose", text: result.text }
    : { kind: "code", language: "text", text: result.text };
  return [{ of: "result", part, note: notes.length === 0 ? null : notes.join(". ") }];
}

/** Says how much is shown, if it was cut. Masking and cleaning change a length a little, which does not count. */
function noteOf(shown: number, chars: number): string | null {
  return chars > shown * 1.05 + 64
    ? `The first ${formatNumber(shown)} of ${formatNumber(chars)} characters`
    : null;
}

/** Fields that describe in a few words what a call is about, the best first. */
const subjectFields = [
  "subject",
  "description",
  "pattern",
  "query",
  "url",
  "skill",
  "summary",
  "title",
  "name",
];

function subjectOf(call: ToolCall, { fields, text }: CallInput, project: string | null): string {
  if (call.command !== undefined) return shorten(call.command, SUBJECT_CHARS);
  if (call.plan !== undefined) return shorten(firstLine(call.plan), SUBJECT_CHARS);
  const [file, ...others] = call.files;
  const place = file === undefined ? undefined : relativeTo(project, file.path);
  if (fields === undefined)
    return place ?? (/^\*\*\*|\n/.test(text) ? "" : shorten(text === "{}" ? "" : text, SUBJECT_CHARS));
  const task = fields.get("taskId");
  const status = fields.get("status");
  if (typeof task === "string" && typeof status === "string")
    return shorten(`${task} ${status}`, SUBJECT_CHARS);
  const found = subjectFields.map((key) => fields.get(key)).find((value) => typeof value === "string");
  const path = fields.get("path");
  if (typeof found === "string" && (place === undefined || fields.has("pattern"))) {
    const where = typeof path === "string" && path !== "" ? ` in ${relativeTo(project, path)}` : "";
    return shorten(`${found}${where}`, SUBJECT_CHARS);
  }
  if (place !== undefined) return others.length === 0 ? place : `${place} and ${others.length} more`;
  const first = [...fields.values()].find((value) => typeof value === "string" || typeof value === "number");
  return first === undefined ? "" : shorten(String(first), SUBJECT_CHARS);
}

function firstLine(text: string): string {
  return /[^\s#].*/.exec(text)?.[0] ?? "";
}

/** A part of the input or the result of a call, in the form that is easiest to read. */
type CallPart =
  | { readonly kind: "code"; readonly language: string; readonly text: string }
  | { readonly kind: "prose"; readonly text: string };

interface CallInput {
  /** Its fields by name; undefined if the input is not an object. */
  readonly fields: ReadonlyMap<string, unknown> | undefined;
  readonly text: string;
}

/** Uses a map, because names come from logs and may be those of an object's prototype. */
function readInput({ input }: ToolCall): CallInput {
  const value = parseCutJson(input);
  const fields =
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? new Map<string, unknown>(Object.entries(value))
      : undefined;
  return { fields, text: input };
}

/** Shows commands as shell code, edits as a diff, new files in their language, todo lists as lists, and the rest by name. */
function inputParts(call: ToolCall, { fields, text }: CallInput, subject: string): readonly CallPart[] {
  if (call.plan !== undefined) return [{ kind: "prose", text: call.plan }];
  if (fields === undefined) {
    if (text === "" || text === subject) return [];
    return [{ kind: "code", language: text.startsWith("*** Begin Patch") ? "diff" : "text", text }];
  }
  const rest = new Map(fields);
  const parts: CallPart[] = [];
  const command = call.command;
  if (command !== undefined) {
    for (const key of ["command", "cmd", "description"]) rest.delete(key);
    if (command !== subject) parts.push({ kind: "code", language: "sh", text: command });
  }
  parts.push(...editParts(rest), ...contentParts(call, rest), ...workParts(rest));
  const prompt = rest.get("prompt");
  if (typeof prompt === "string") {
    rest.delete("prompt");
    parts.push({ kind: "prose", text: prompt });
  }
  const others = otherFields(call, rest, subject);
  return others === "" ? parts : [{ kind: "code", language: "text", text: others }, ...parts];
}

const pairs = [
  ["old_string", "new_string"],
  ["oldText", "newText"],
  ["old_str", "new_str"],
] as const;

function editParts(fields: Map<string, unknown>): readonly CallPart[] {
  const edits: unknown = fields.get("edits");
  const all: unknown[] = [Object.fromEntries(fields), ...(Array.isArray(edits) ? edits : [])];
  const diffs = all.flatMap((edit) => {
    const diff = diffOf(edit);
    return diff === undefined ? [] : [diff.join("\n")];
  });
  if (diffs.length === 0) return [];
  for (const key of ["edits", ...pairs.flat()]) fields.delete(key);
  return [{ kind: "code", language: "diff", text: diffs.join("\n\n") }];
}

function diffOf(edit: unknown): readonly string[] | undefined {
  if (typeof edit !== "object" || edit === null) return undefined;
  const fields = new Map<string, unknown>(Object.entries(edit));
  for (const [oldKey, newKey] of pairs) {
    const before = fields.get(oldKey);
    const after = fields.get(newKey);
    if (typeof before !== "string" && typeof after !== "string") continue;
    return editDiff(typeof before === "string" ? before : "", typeof after === "string" ? after : "");
  }
  return undefined;
}

function contentParts(call: ToolCall, fields: Map<string, unknown>): readonly CallPart[] {
  for (const key of ["content", "file_text", "new_source"]) {
    const content = fields.get(key);
    if (typeof content !== "string") continue;
    fields.delete(key);
    const extension = /\.(\w+)$/.exec(call.files[0]?.path ?? "")?.[1] ?? "";
    return [{ kind: "code", language: extension === "" ? "text" : extension, text: content }];
  }
  return [];
}

const marks: Readonly<Record<string, string>> = { completed: "[x]", in_progress: "[~]", deleted: "[-]" };

/** Todo lists and plans, one item per line. */
function workParts(fields: Map<string, unknown>): readonly CallPart[] {
  for (const key of ["todos", "plan"]) {
    const items: unknown = fields.get(key);
    if (!Array.isArray(items)) continue;
    const lines = items.flatMap((item: unknown) => {
      if (typeof item !== "object" || item === null) return [];
      const { content, step, status }: { content?: unknown; step?: unknown; status?: unknown } = item;
      const text = typeof content === "string" ? content : step;
      const mark = typeof status === "string" && Object.hasOwn(marks, status) ? marks[status] : "[ ]";
      return typeof text === "string" ? [`${mark} ${cleanLine(text)}`] : [];
    });
    fields.delete(key);
    return [{ kind: "code", language: "text", text: lines.join("\n") }];
  }
  return [];
}

/**
 * Lists the remaining fields as `name: value`; short ones on one line. Leaves out fields that the call's line already
 * shows.
 */
function otherFields(call: ToolCall, fields: ReadonlyMap<string, unknown>, subject: string): string {
  const shown = new Set<unknown>([subject, ...subject.split(" "), ...call.files.map(({ path }) => path)]);
  for (const empty of [false, null, ""]) shown.add(empty);
  const lines = [...fields]
    .filter(([, value]) => !shown.has(value))
    .map(([name, value]) => `${cleanLine(name)}: ${typeof value === "string" ? value : jsonText(value)}`);
  const line = lines.join(", ");
  return line.length <= SHORT_CHARS && !line.includes("\n") ? line : lines.join("\n");
}

const SHORT_CHARS = 80;

const CONTEXT_LINES = 3;

/** Shows one replacement as lines that start with `-`, `+` or a space; equal lines at both ends are context. */
function editDiff(before: string, after: string): readonly string[] {
  const old = linesOf(before);
  const now = linesOf(after);
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  return [
    ...old.slice(Math.max(0, head - CONTEXT_LINES), head).map((line) => ` ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...now.slice(head, now.length - tail).map((line) => `+${line}`),
    ...old.slice(old.length - tail, old.length - tail + CONTEXT_LINES).map((line) => ` ${line}`),
  ];
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

/**
 * Parses JSON whose end may be missing, because long inputs of tools are kept cut. Closes open objects and strings,
 * so that the start of a long text is a string again. undefined if it is not JSON.
 */
export function parseCutJson(json: string): unknown {
  const whole = tryParse(json);
  if (whole !== undefined) return whole;
  const { open, inText, safe } = scan(json);
  if (open.length === 0) return undefined;
  const closers = open.toReversed().join("");
  // A string is closed at the end; anything else that may be incomplete (a number, a key without value) is dropped.
  const closed = inText ? tryParse(`${withoutHalfEscape(json)}"${closers}`) : undefined;
  return closed ?? tryParse(json.slice(0, safe.at) + safe.open.toReversed().join(""));
}

function withoutHalfEscape(json: string): string {
  const cut = json.replace(/\\u[\da-f]{0,3}$/i, "");
  const slashes = /\\*$/.exec(cut)?.[0].length ?? 0;
  return slashes % 2 === 1 ? cut.slice(0, -1) : cut;
}

interface Scan {
  /** The characters that close the open objects and lists. */
  readonly open: readonly string[];
  readonly inText: boolean;
  /** The last place where closing everything results in valid JSON: before a comma, or after an opening bracket. */
  readonly safe: { readonly at: number; readonly open: readonly string[] };
}

function scan(json: string): Scan {
  const open: string[] = [];
  let inText = false;
  let safe: Scan["safe"] = { at: 0, open: [] };
  for (let at = 0; at < json.length; at++) {
    const character = json.charAt(at);
    if (inText) {
      if (character === "\\") at++;
      else if (character === '"') inText = false;
    } else if (character === '"') inText = true;
    else if (character === "{" || character === "[") {
      // No tool's input is so deep, and copying the list of open brackets takes quadratic time.
      if (open.length >= MAX_DEPTH) return { open: [], inText: false, safe };
      open.push(character === "{" ? "}" : "]");
      safe = { at: at + 1, open: [...open] };
    } else if (character === "}" || character === "]") open.pop();
    else if (character === ",") safe = { at, open: [...open] };
  }
  return { open, inText, safe };
}

const MAX_DEPTH = 64;
