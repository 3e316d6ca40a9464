import { encodeJson } from "../redact/encode-json.ts";

/**
 * The members of an object as JSON, indented by two, in parts: what `encodeJson` gives for the whole. Lists are
 * written item by item, and may be made on the way, so that a long one is never there as a whole.
 */
export function* jsonParts(members: Iterable<readonly [string, unknown]>): Generator<string, void, void> {
  let isEmpty = true;
  for (const [key, value] of members) {
    if (value === undefined) continue;
    yield `${isEmpty ? "{" : ","}\n  ${encodeJson(key)}: `;
    isEmpty = false;
    if (isList(value)) yield* listParts(value);
    else yield indented(value, "  ");
  }
  yield isEmpty ? "{}" : "\n}";
}

function* listParts(items: Iterable<unknown>): Generator<string, void, void> {
  let isEmpty = true;
  for (const item of items) {
    yield `${isEmpty ? "[" : ","}\n    ${indented(item, "    ")}`;
    isEmpty = false;
  }
  yield isEmpty ? "[]" : "\n  ]";
}

function isList(value: unknown): value is Iterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.iterator in value;
}

/** In JSON a line end stands only between values: those inside of texts are escaped. */
function indented(value: unknown, by: string): string {
  return (value === undefined ? "null" : encodeJson(value, 2)).replaceAll("\n", `\n${by}`);
}
