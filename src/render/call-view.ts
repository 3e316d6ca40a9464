import { shorten } from "../extract/sentences.ts";
import type { ToolCall } from "../session/session.ts";
import { formatNumber } from "./amounts.ts";
import { type CallInput, type CallPart, inputParts, readInput } from "./call-input.ts";
import { relativeTo } from "./touched-files.ts";

/** A tool call for reading: one line, and what is folded below it. */
export interface CallView {
  readonly name: string;
  /** What it is about: its command, its file, what it looked for. */
  readonly subject: string;
  readonly state: "done" | "failed" | "unanswered";
  /** "exit 1", "failed", or nothing where there is nothing to say. */
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
  return { name: call.name, subject, ...outcomeOf(call), details: [...details, ...resultOf(call)] };
}

function outcomeOf({ result }: ToolCall): Pick<CallView, "state" | "outcome"> {
  if (result === undefined) return { state: "unanswered", outcome: "no result" };
  if (!result.isError && (result.exitCode ?? 0) === 0) return { state: "done", outcome: "" };
  return {
    state: "failed",
    outcome: result.exitCode === null || result.exitCode === 0 ? "failed" : `exit ${result.exitCode}`,
  };
}

function resultOf({ result, name, agentId }: ToolCall): readonly CallDetail[] {
  if (result === undefined || result.text.trim() === "") return [];
  const spilled = result.spilledTo === undefined ? [] : [`The whole was put into ${result.spilledTo}`];
  const notes = [noteOf(result.text.length, result.chars) ?? [], spilled].flat();
  // What a sub-agent brings back is prose, as any agent writes it.
  const isSaid = !result.isError && (agentId !== undefined || name === "Task" || name === "Agent");
  const part: CallPart = isSaid
    ? { kind: "prose", text: result.text }
    : { kind: "code", language: "text", text: result.text };
  return [{ of: "result", part, note: notes.length === 0 ? null : notes.join(". ") }];
}

/** Masking and cleaning may change a length a little; what is cut is cut at round numbers. */
function noteOf(shown: number, chars: number): string | null {
  return chars > shown * 1.05 + 64
    ? `The first ${formatNumber(shown)} of ${formatNumber(chars)} characters`
    : null;
}

/** Fields that say in a few words what a call is about, in the order of how well they do. */
const telling = ["subject", "description", "pattern", "query", "url", "skill", "summary", "title", "name"];

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
  const found = telling.map((key) => fields.get(key)).find((value) => typeof value === "string");
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
