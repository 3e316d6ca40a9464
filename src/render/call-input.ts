import { jsonText } from "../jsonl/json-text.ts";
import { cleanLine } from "../redact/clean-text.ts";
import type { ToolCall } from "../session/session.ts";
import { parseCutJson } from "./cut-json.ts";
import { editDiff } from "./edit-diff.ts";

/** A part of what a call was given, or gave back, in the form in which it reads best. */
export type CallPart =
  | { readonly kind: "code"; readonly language: string; readonly text: string }
  | { readonly kind: "prose"; readonly text: string };

export interface CallInput {
  /** Its fields by name; undefined where the input is no object. */
  readonly fields: ReadonlyMap<string, unknown> | undefined;
  readonly text: string;
}

/** Names come from logs: a map, so that no prototype answers for one. */
export function readInput({ input }: ToolCall): CallInput {
  const value = parseCutJson(input);
  const fields =
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? new Map<string, unknown>(Object.entries(value))
      : undefined;
  return { fields, text: input };
}

/** Commands as shell, edits as a diff, new files in their language, lists of work as such; the rest by name. */
export function inputParts(
  call: ToolCall,
  { fields, text }: CallInput,
  subject: string,
): readonly CallPart[] {
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

/** Todo lists and plans, an item a line. */
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

/** What has no form of its own, as `name: value`; short ones in one line. What the call's line tells already is left out. */
function otherFields(call: ToolCall, fields: ReadonlyMap<string, unknown>, subject: string): string {
  const told = new Set<unknown>([subject, ...subject.split(" "), ...call.files.map(({ path }) => path)]);
  for (const nothing of [false, null, ""]) told.add(nothing);
  const lines = [...fields]
    .filter(([, value]) => !told.has(value))
    .map(([name, value]) => `${cleanLine(name)}: ${typeof value === "string" ? value : jsonText(value)}`);
  const line = lines.join(", ");
  return line.length <= SHORT_CHARS && !line.includes("\n") ? line : lines.join("\n");
}

const SHORT_CHARS = 80;
