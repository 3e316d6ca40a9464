import { encodeJson } from "../../redact/clean-text.ts";
import { isoTime } from "../../render/json/session-json.ts";
import type { Coverage } from "../../search/session-catalog.ts";
import type { World } from "../world.ts";

/** Prints an answer as JSON: indented on a terminal, one line in a pipe. The schema version comes first. */
export function printJson({ stdout }: Pick<World, "stdout">, answer: object): void {
  const value = { schemaVersion: 1, ...answer };
  stdout.write(`${encodeJson(value, stdout.isTerminal ? 2 : undefined)}\n`);
}

/** A text that is too long for memory, in parts; no part ends within a character. */
export type LongText = () => Iterable<string>;

/**
 * Prints an answer with texts that are too long for memory. `answer` gets a placeholder for each text and puts it where
 * the text belongs.
 */
export function printJsonWithTexts(
  { stdout, uuid }: Pick<World, "stdout" | "uuid">,
  answer: (placeholders: readonly (string | null)[]) => object,
  texts: readonly (LongText | null)[],
): void {
  const mark = uuid();
  const placeholders = texts.map((text, at) => (text === null ? null : `${mark}#${at}`));
  const value = { schemaVersion: 1, ...answer(placeholders) };
  const json = encodeJson(value, stdout.isTerminal ? 2 : undefined);
  let from = 0;
  for (const [at, text] of texts.entries()) {
    const placeholder = JSON.stringify(placeholders[at]);
    const found = json.indexOf(placeholder, from);
    if (text === null || found === -1) continue;
    stdout.write(json.slice(from, found + 1));
    // The JSON of a text is the JSON of its parts, one after the other.
    for (const part of text()) stdout.write(encodeJson(part).slice(1, -1));
    from = found + placeholder.length - 1;
  }
  stdout.write(`${json.slice(from)}\n`);
}

/** How much of the history an answer covers. */
export function coverageJson({ indexedAt, ...counts }: Coverage): object {
  return { ...counts, indexedAt: isoTime(indexedAt) };
}
