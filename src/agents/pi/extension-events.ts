import { isObject, type JsonObject, tryParse } from "../../jsonl/json-line.ts";
import { arrayAt, objectAt, stringAt } from "../../jsonl/values.ts";
import type { Session } from "../../session/session.ts";
import type { ExtensionEvent, ReadExtensionEvent } from "../agent-actions.ts";
import { sessionOfPiEntries } from "./compact.ts";
import { fileLists, fileListsOf, piBranchSummary, piSummary } from "./summary.ts";

/**
 * The events that the extension reports: Pi's `session_before_compact`, `session_before_tree` and `session_shutdown`.
 */
export const piExtensionEvents = ["before-compact", "before-tree", "shutdown"] as const;

type Mask = <T>(value: T) => T;

/** Reads an event of the extension. The answer is built only if the event requests one. */
export function readPiExtensionEvent(text: string, name: string): ReadExtensionEvent {
  const sent = tryParse(text);
  if (!isObject(sent)) return { kind: "bad", what: "stdin is not a JSON object" };
  const base = { log: stringAt(sent, "log"), isEnd: name === "shutdown" };
  const good = (event: ExtensionEvent): ReadExtensionEvent => ({ kind: "good", event });
  if (sent.summarize !== true) return good(base);
  if (name === "before-compact") {
    if (arrayAt(sent, "messagesToSummarize") === undefined)
      return { kind: "bad", what: "messagesToSummarize is not a list" };
    return good({ ...base, answer: (mask) => compactionSummary(sent, mask) });
  }
  const entries = arrayAt(sent, "entriesToSummarize");
  if (entries === undefined) return { kind: "bad", what: "entriesToSummarize is not a list" };
  return good({ ...base, answer: (mask) => branchSummary(entries, mask) });
}

/** A compaction in Pi's form, from the messages that it has prepared: an earlier summary is brought up to date. */
function compactionSummary(sent: JsonObject, mask: Mask): object {
  const earlier = mask(stringAt(sent, "previousSummary") ?? "") || null;
  const operations = objectAt(sent, "fileOps");
  const paths = (key: string): readonly string[] => stringsOf(arrayAt(operations, key) ?? []);
  const details = mask(
    fileLists({ read: paths("read"), modified: [...paths("written"), ...paths("edited")] }, earlier),
  );
  const summary = piSummary({
    history: sessionOfMessages(arrayAt(sent, "messagesToSummarize") ?? [], mask),
    turnPrefix: sessionOfMessages(arrayAt(sent, "turnPrefixMessages") ?? [], mask),
    earlier,
    files: details,
  });
  return { summary, details };
}

/** The text that Pi attaches when the user leaves a branch, from the entries on it. */
function branchSummary(entries: readonly unknown[], mask: Mask): object {
  const branch = mask(sessionOfPiEntries(numbered(entries.filter(isObject))));
  const details = fileListsOf(branch, null);
  return { summary: piBranchSummary(branch, details), details };
}

/** Messages in the form in which Pi has them in memory, with edits applied; null if there are none. */
function sessionOfMessages(messages: readonly unknown[], mask: Mask): Session | null {
  const entries = messages.filter(isObject).map((message) => ({ type: "message", message }));
  return entries.length === 0 ? null : mask(sessionOfPiEntries(numbered(entries)));
}

function numbered(entries: readonly JsonObject[]): readonly (readonly [number, JsonObject])[] {
  return entries.map((entry, at) => [at + 1, entry]);
}

function stringsOf(values: readonly unknown[]): readonly string[] {
  return values.filter((value) => typeof value === "string");
}
