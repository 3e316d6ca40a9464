import { encodeJson } from "../../redact/encode-json.ts";
import type { World } from "../world.ts";

/** Prints an answer as JSON: for eyes on a terminal, one line in a pipe. Every answer says its version first. */
export function printJson({ stdout }: Pick<World, "stdout">, answer: object): void {
  const value = { schemaVersion: 1, ...answer };
  stdout.write(`${encodeJson(value, stdout.isTerminal ? 2 : undefined)}\n`);
}

/** A text that is too long to be held: in parts, none of which ends within a character. */
export type LongText = () => Iterable<string>;

/**
 * The same for an answer with texts that are too long for one JSON. `answer` is given what stands for each of them, and
 * puts that where the text belongs.
 */
export function printJsonWithTexts(
  { stdout, uuid }: Pick<World, "stdout" | "uuid">,
  answer: (standIns: readonly (string | null)[]) => object,
  texts: readonly (LongText | null)[],
): void {
  const mark = uuid();
  const standIns = texts.map((text, at) => (text === null ? null : `${mark}#${at}`));
  const value = { schemaVersion: 1, ...answer(standIns) };
  const json = encodeJson(value, stdout.isTerminal ? 2 : undefined);
  let from = 0;
  for (const [at, text] of texts.entries()) {
    const standIn = JSON.stringify(standIns[at]);
    const found = json.indexOf(standIn, from);
    if (text === null || found === -1) continue;
    stdout.write(json.slice(from, found + 1));
    // What JSON makes of the parts of a text is what it makes of the whole.
    for (const part of text()) stdout.write(encodeJson(part).slice(1, -1));
    from = found + standIn.length - 1;
  }
  stdout.write(`${json.slice(from)}\n`);
}

/** A time as JSON carries it: ISO 8601, UTC. null where it is not known. */
export function isoTime(ms: number | undefined): string | null {
  const date = new Date(ms ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
