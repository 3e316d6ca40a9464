import { isObject, type JsonObject } from "../jsonl/json-line.ts";
import { arrayAt, stringAt } from "../jsonl/values.ts";
import type { WorkItem } from "../session/entry.ts";

/** The names that todo and plan tools use for their list, and for the text of its items. */
const LIST_KEYS = ["todos", "plan", "items", "tasks"];
const TEXT_KEYS = ["content", "step", "text", "subject", "title", "task", "description"];

const STATUSES: ReadonlyMap<string, WorkItem["status"]> = new Map([
  ["in_progress", "in_progress"],
  ["active", "in_progress"],
  ["completed", "completed"],
  ["complete", "completed"],
  ["done", "completed"],
  ["deleted", "deleted"],
  ["removed", "deleted"],
  ["cancelled", "deleted"],
  ["canceled", "deleted"],
]);

/** The whole list that a todo or plan tool writes; undefined if it writes none. */
export function readWorkList(input: JsonObject | undefined): readonly WorkItem[] | undefined {
  for (const key of LIST_KEYS) {
    const list = arrayAt(input, key);
    if (list !== undefined) return list.flatMap(readItem);
    const text = stringAt(input, key);
    if (text !== undefined) return readChecklist(text);
  }
  return undefined;
}

/** Lines of markdown: `- [ ] open`, `- [x] done`. */
function readChecklist(text: string): readonly WorkItem[] {
  return [...text.matchAll(/^[^\S\r\n\u2028\u2029]*[-*] \[([ xX~-])\] (.+)$/gm)].map(
    ([, mark = "", item = ""]) => ({
      text: item.trim(),
      status: /x/i.test(mark) ? "completed" : mark === " " ? "pending" : "in_progress",
    }),
  );
}

function readItem(value: unknown): readonly WorkItem[] {
  if (typeof value === "string") return value.trim() === "" ? [] : [{ text: value, status: "pending" }];
  if (!isObject(value)) return [];
  const text = TEXT_KEYS.map((key) => stringAt(value, key)).find((found) => found !== undefined);
  if (text === undefined || text.trim() === "") return [];
  return [{ text, status: readStatus(value) }];
}

function readStatus(item: JsonObject): WorkItem["status"] {
  if (item.done === true || item.completed === true) return "completed";
  const status = stringAt(item, "status") ?? stringAt(item, "state") ?? "";
  return STATUSES.get(status.toLowerCase().replace("-", "_")) ?? "pending";
}
