import type { JsonObject } from "../../jsonl/json-line.ts";
import { arrayAt, numberAt, objectAt, stringAt } from "../../jsonl/values.ts";
import type { CompactionEntry, Entry, Fact } from "../../session/entry.ts";
import type { ClaudeState, Envelope } from "./parser.ts";
import { readUserText } from "./user-line.ts";

export function readSystemLine(object: JsonObject, envelope: Envelope, state: ClaudeState): Entry {
  const subtype = stringAt(object, "subtype");
  if (subtype === "compact_boundary") {
    state.openBoundary = envelope.uid;
    return readBoundary(object, envelope);
  }
  if (subtype === "turn_duration" || subtype === "stop_hook_summary" || subtype === "microcompact_boundary") {
    return { kind: "link", ...envelope };
  }
  const text = stringAt(object, "content") ?? errorText(object) ?? "";
  if (text === "") return { kind: "link", ...envelope };
  const kept = state.budget.output(text, subtype === "api_error");
  if (subtype === "api_error")
    return { kind: "note", ...envelope, about: "error", text: kept, chars: text.length };
  if (subtype === "local_command") {
    const read = readUserText(text);
    const about = read.kind === "note" ? read.about : "command";
    return {
      kind: "note",
      ...envelope,
      about,
      text: read.kind === "empty" ? "" : read.text,
      chars: text.length,
    };
  }
  return { kind: "note", ...envelope, about: "system", text: kept, chars: text.length };
}

function errorText(object: JsonObject): string | undefined {
  const error = objectAt(object, "error");
  return (
    stringAt(error, "message") ?? stringAt(objectAt(object, "cause"), "message") ?? stringAt(object, "error")
  );
}

function readBoundary(object: JsonObject, envelope: Envelope): CompactionEntry {
  const metadata = objectAt(object, "compactMetadata");
  const trigger = stringAt(metadata, "trigger");
  const logicalParent = stringAt(object, "logicalParentUuid");
  return {
    kind: "compaction",
    ...envelope,
    trigger: trigger === "manual" || trigger === "auto" ? trigger : null,
    tokensBefore: numberAt(metadata, "preTokens") ?? null,
    tokensAfter: numberAt(metadata, "postTokens") ?? null,
    ...(logicalParent === undefined ? {} : { logicalParent }),
    ...readKept(metadata),
  };
}

/** `preservedMessages` supersedes `preservedSegment`. */
function readKept(metadata: JsonObject | undefined): Pick<CompactionEntry, "kept" | "keptSegment"> {
  const messages = objectAt(metadata, "preservedMessages");
  const anchor = stringAt(messages, "anchorUuid");
  const uids = arrayAt(messages, "uuids")?.filter((uid) => typeof uid === "string");
  if (anchor !== undefined && uids !== undefined && uids.length > 0) return { kept: { anchor, uids } };
  const segment = objectAt(metadata, "preservedSegment");
  const head = stringAt(segment, "headUuid");
  const tail = stringAt(segment, "tailUuid");
  const segmentAnchor = stringAt(segment, "anchorUuid");
  if (head === undefined || tail === undefined || segmentAnchor === undefined) return {};
  return { keptSegment: { head, tail, anchor: segmentAnchor } };
}

/** Known types without any use here, so that they are not counted as unknown. `last-prompt` is read by the parser. */
const SILENT: ReadonlySet<string> = new Set([
  "file-history-snapshot",
  "file-history-delta",
  "queue-operation",
  "last-prompt",
  "mode",
  "permission-mode",
  "agent-name",
  "agent-color",
  "agent-setting",
  "content-replacement",
  "worktree-state",
  "bridge-session",
  "cost-state",
  "relocated",
  "fork-context-ref",
  "frame-link",
  "api-request",
  "api-request-shape",
  "api-request-blob",
  "atis-latch",
  "tools-used",
  "resume-head-vouch",
  "data-flow-records",
  "data-flow-incomplete",
  "derived-from",
  "ended-by-model",
  "artifact-comment-monitor",
  "artifact-autoreact-ledger",
  "history-suppression",
  "attribution-snapshot",
  "isolation-latch",
  "session-owner",
  "dev-mods",
  "memory-mode",
  "observer-ref",
  "repl-mode",
]);

/** Lines about the session as a whole. Unknown lines are kept as opaque, in the chain if they have a place in it. */
export function readStateLine(type: unknown, object: JsonObject, envelope: Envelope): Entry | undefined {
  const fact = readFact(type, object);
  if (fact !== undefined) return { kind: "fact", line: envelope.line, fact };
  if (envelope.uid !== undefined) return { kind: "link", ...envelope };
  if (typeof type === "string" && SILENT.has(type)) return undefined;
  return { kind: "opaque", line: envelope.line };
}

function readFact(type: unknown, object: JsonObject): Fact | undefined {
  switch (type) {
    case "custom-title":
      return titled("custom", stringAt(object, "customTitle"));
    case "ai-title":
      return titled("generated", stringAt(object, "aiTitle"));
    case "summary": {
      const text = stringAt(object, "summary");
      const leaf = stringAt(object, "leafUuid");
      return text === undefined ? undefined : { name: "leaf-title", text, leaf: leaf ?? "" };
    }
    case "tag":
      return { name: "tag", text: stringAt(object, "tag") ?? "" };
    case "pr-link": {
      const url = stringAt(object, "prUrl");
      return url === undefined ? undefined : { name: "link", url };
    }
    // An artifact that the session published; a line without an address only counts them.
    case "frame-link": {
      const url = stringAt(object, "frameUrl");
      return url === undefined ? undefined : { name: "link", url };
    }
    case "continued-in": {
      const session = stringAt(object, "continuedInSessionId");
      return session === undefined ? undefined : { name: "continued-in", session };
    }
    default:
      return undefined;
  }
}

function titled(from: "custom" | "generated", text: string | undefined): Fact | undefined {
  return text === undefined ? undefined : { name: "title", from, text };
}
