import type { JsonObject } from "../../jsonl/json-line.ts";
import { stringAt } from "../../jsonl/values.ts";
import type { Entry, Fact } from "../../session/entry.ts";
import type { Envelope } from "./claude-parser.ts";

/** Types that say nothing to us and are known: no need to count them as not understood. */
const SILENT = new Set([
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
]);

/** Lines about the session as a whole. What is not known is kept as opaque, in the chain where it has a place there. */
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
