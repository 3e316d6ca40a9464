import { decodeLine, isObject, type JsonObject, tryParse } from "../../jsonl/json-line.ts";
import { splitLines } from "../../jsonl/lines.ts";
import { objectAt, stringAt, timeAt } from "../../jsonl/values.ts";
import type { Entry } from "../../session/entry.ts";
import type { TextBudget } from "../../session/text-budget.ts";
import { placed } from "../entry-body.ts";
import { readPiEntry } from "./pi-entry.ts";

/**
 * Reads some entries of a log, given by their lines, as a conversation of their own: one behind the other, whatever
 * else stood between them. `edits` has the words that stand for an entry's own, by its line.
 */
export function* summarisedEntries(
  chunks: Iterable<Uint8Array>,
  lines: ReadonlySet<number>,
  edits: ReadonlyMap<number, unknown>,
  budget: TextBudget,
): Generator<Entry, void, void> {
  let parent: string | null = null;
  for (const line of splitLines(chunks)) {
    if (!lines.has(line.number)) continue;
    const object = tryParse(decodeLine(line.bytes));
    if (!isObject(object) || isExcluded(object)) continue;
    const edited = edits.has(line.number) ? withContent(object, edits.get(line.number)) : object;
    const at = timeAt(object, "timestamp") ?? timeAt(objectAt(object, "message"), "timestamp");
    const name = `#${line.number}`;
    for (const [index, body] of readPiEntry(edited, name, budget).bodies.entries()) {
      const uid: string = index === 0 ? name : `${name}:${index}`;
      yield placed(body, { line: line.number, at }, uid, parent);
      parent = uid;
    }
  }
}

/** What replaces the words of other entries, by the entry that it replaces. */
export function readEdits(chunks: Iterable<Uint8Array>): ReadonlyMap<string, unknown> {
  const edits = new Map<string, unknown>();
  for (const line of splitLines(chunks)) {
    if (!line.bytes.includes('"context_edit"')) continue;
    const object = tryParse(decodeLine(line.bytes));
    const target =
      isObject(object) && object.type === "context_edit" ? stringAt(object, "targetId") : undefined;
    if (isObject(object) && target !== undefined) edits.set(target, objectAt(object, "replacement")?.content);
  }
  return edits;
}

/** `!!command`: the user ran it for themselves, the model never sees it. */
function isExcluded(object: JsonObject): boolean {
  return objectAt(object, "message")?.excludeFromContext === true;
}

function withContent(object: JsonObject, content: unknown): JsonObject {
  const message = objectAt(object, "message");
  return message === undefined ? { ...object, content } : { ...object, message: { ...message, content } };
}
