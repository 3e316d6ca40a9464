import { once } from "../fs/once.ts";
import { UNPRINTABLE } from "./clean-text.ts";

/**
 * JSON that is safe to print: what a terminal would obey, and what nobody sees, is written as `\uXXXX`. Who parses it
 * gets the very value. Everything that is printed as JSON, or handed to an agent as such, is written by this.
 */
export function encodeJson(value: unknown, space?: number): string {
  const json = JSON.stringify(value, undefined, space);
  return unprintable().test(json) ? json.replace(allUnprintable(), escapeUnits) : json;
}

// Line ends and tabs of JSON stand between its values; inside of them it has escaped them itself.
const unprintable = once(() => new RegExp(`[${UNPRINTABLE}]`, "u"));
const allUnprintable = once(() => new RegExp(`[${UNPRINTABLE}]`, "gu"));

function escapeUnits(character: string): string {
  let escaped = "";
  for (let at = 0; at < character.length; at++)
    escaped += `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`;
  return escaped;
}
