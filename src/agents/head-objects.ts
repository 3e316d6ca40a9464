import type { Buffer } from "node:buffer";
import { type JsonObject, readJsonLine } from "../jsonl/json-line.ts";
import { splitLines } from "../jsonl/lines.ts";

/** Lines that are looked at: a log may begin with a torn or foreign one. */
const MAX_LINES = 20;

/** Whose log it is and which session are two questions about one head. */
const known = new WeakMap<Buffer, readonly JsonObject[]>();

/** The objects on the first lines of a file. The last line of the head may be cut: it gives none. */
export function headObjects(head: Buffer): readonly JsonObject[] {
  const objects = known.get(head) ?? readObjects(head);
  known.set(head, objects);
  return objects;
}

function readObjects(head: Buffer): readonly JsonObject[] {
  const objects: JsonObject[] = [];
  for (const line of splitLines([head])) {
    for (const object of readJsonLine(line.bytes, line.ended).objects)
      if (Object.keys(object).length > 0) objects.push(object);
    if (line.number === MAX_LINES) break;
  }
  return objects;
}
