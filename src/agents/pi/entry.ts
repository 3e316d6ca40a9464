import { isObject, type JsonObject } from "../../jsonl/json-line.ts";
import { arrayAt, numberAt, objectAt, stringAt } from "../../jsonl/values.ts";
import type { Fact } from "../../session/entry.ts";
import type { TextBudget } from "../../session/text-budget.ts";
import { type EntryBody, readContentText } from "../entry-body.ts";
import { readPiMessage } from "./message.ts";

/** A parsed line: the entries at its position in the tree, and facts about the session. */
export interface PiRead {
  readonly bodies: readonly EntryBody[];
  readonly facts?: readonly Fact[];
  readonly isUnknown?: boolean;
}

/** An entry of the log. Facts are outside the tree, so a link takes the entry's position in it. */
export function readPiEntry(object: JsonObject, uid: string, budget: TextBudget): PiRead {
  switch (object.type) {
    case "message": {
      const message = objectAt(object, "message");
      const bodies = message === undefined ? undefined : readPiMessage(message, uid, budget);
      return bodies === undefined ? { bodies: silent(), isUnknown: true } : { bodies };
    }
    case "compaction":
      return { bodies: [readCompaction(object, uid, budget)] };
    case "branch_summary": {
      const summary = stringAt(object, "summary") ?? "";
      // Pi ignores an empty one.
      return summary === ""
        ? { bodies: silent() }
        : { bodies: [{ kind: "summary", of: "branch", text: budget.words(summary) }] };
    }
    case "custom_message": {
      const { text, chars } = readContentText(object.content);
      return { bodies: [{ kind: "note", about: "custom", text: budget.words(text), chars }] };
    }
    case "model_change":
    case "session_info":
    case "title":
    case "label":
    case "context_edit":
      return { bodies: silent(), facts: readFacts(object, budget) };
    case "thinking_level_change":
    case "usage":
    case "custom":
      return { bodies: silent() };
    default:
      return { bodies: silent(), isUnknown: true };
  }
}

function silent(): readonly EntryBody[] {
  return [{ kind: "link" }];
}

function readCompaction(object: JsonObject, uid: string, budget: TextBudget): EntryBody {
  const keptFrom = readKeptFrom(object);
  const summary = stringAt(object, "summary");
  return {
    kind: "compaction",
    trigger: null,
    tokensBefore: numberAt(object, "tokensBefore") ?? null,
    tokensAfter: null,
    // A compaction that keeps nothing names itself.
    ...(keptFrom === undefined || keptFrom === uid ? {} : { keptFrom }),
    ...(summary === undefined ? {} : { summary: budget.words(summary) }),
  };
}

/** Version 1 has an index; newer versions have the kept entries themselves, or their names. */
export function readKeptFrom(object: JsonObject): string | undefined {
  const index = numberAt(object, "firstKeptEntryIndex");
  const first = arrayAt(object, "retainedTail")?.[0];
  return (
    stringAt(object, "firstKeptEntryId") ??
    (index === undefined ? undefined : `#${index}`) ??
    stringAt(object, "retainedTail") ??
    (isObject(first) ? stringAt(first, "id") : typeof first === "string" ? first : undefined)
  );
}

function readFacts(object: JsonObject, budget: TextBudget): readonly Fact[] {
  switch (object.type) {
    case "model_change": {
      const model = readModelName(object);
      return model === undefined ? [] : [{ name: "model", model }];
    }
    case "label": {
      const target = stringAt(object, "targetId");
      const label = stringAt(object, "label");
      if (target === undefined) return [];
      return [
        { name: "label", target, text: label === undefined || label === "" ? null : budget.words(label) },
      ];
    }
    case "context_edit": {
      const target = stringAt(object, "targetId");
      if (target === undefined) return [];
      const replacement = objectAt(object, "replacement");
      const text = replacement === undefined ? null : budget.words(readContentText(replacement.content).text);
      return [{ name: "edit", target, text }];
    }
    default: {
      // An empty name removes the name.
      const text = (stringAt(object, "name") ?? stringAt(object, "title") ?? "").trim();
      return [{ name: "title", from: "session-name", text: budget.words(text) }];
    }
  }
}

/** Pi writes `provider` and `modelId`; relatives `model`, as a name or an object. */
export function readModelName(object: JsonObject | undefined): string | undefined {
  const model = objectAt(object, "model");
  return (
    stringAt(object, "modelId") ??
    stringAt(object, "model") ??
    stringAt(model, "modelId") ??
    stringAt(model, "id")
  );
}
