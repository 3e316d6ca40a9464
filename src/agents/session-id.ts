import type { JsonObject } from "../jsonl/json-line.ts";
import { stringAt } from "../jsonl/values.ts";

/** An id names folders in the archive and is used on command lines, so nothing else is accepted. */
const ID = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9])?$/;

export function sessionIdAt(object: JsonObject | undefined, key: string): string | undefined {
  const id = stringAt(object, key);
  return id !== undefined && ID.test(id) ? id : undefined;
}

/** With fewer digits it is a word like `session` or `input`, which other folders have as well. */
const DIGITS_OF_A_UNIQUE_NAME = 8;

/** The id of a log whose lines name none: its file's name, with its folder's if that is not enough. */
export function sessionIdOfPath(path: string): string {
  const parts = path.replaceAll("\\", "/").split("/");
  const stem = (parts.at(-1) ?? "").replace(/(?:\.jsonl?|\.zst)+$/, "");
  const digits = stem.replace(/[^0-9]/g, "").length;
  const name = digits >= DIGITS_OF_A_UNIQUE_NAME ? stem : `${parts.at(-2) ?? ""}-${stem}`;
  const id = name
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 128)
    .replace(/[^A-Za-z0-9]+$/, "");
  return id === "" ? "unnamed" : id;
}
