import { endOfObject, tryParse } from "../../jsonl/json-line.ts";

export interface LineValues {
  /** Nearly always one; several where lines were glued together. */
  readonly values: readonly unknown[];
  /** What is no JSON. */
  readonly rest: string;
}

/** The JSON values on a line, whatever they are; the formats know objects alone. */
export function readLineValues(text: string): LineValues {
  if (text === "") return { values: [], rest: "" };
  const whole = tryParse(text);
  if (whole !== undefined) return { values: [whole], rest: "" };
  const values: unknown[] = [];
  let from = 0;
  while (text.charCodeAt(from) === 0x7b) {
    const end = endOfObject(text, from);
    const value = end === -1 ? undefined : tryParse(text.slice(from, end));
    if (value === undefined) break;
    values.push(value);
    from = end;
    while (from < text.length && text.charCodeAt(from) <= 0x20) from++;
  }
  return { values, rest: text.slice(from) };
}
