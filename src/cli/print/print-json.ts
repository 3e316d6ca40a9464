import { encodeJson } from "../../core/text/encode-json.ts";
import type { World } from "../world.ts";

/** Prints an answer as JSON: for eyes on a terminal, one line in a pipe. Every answer says its version first. */
export function printJson({ stdout }: Pick<World, "stdout">, answer: object): void {
  const value = { schemaVersion: 1, ...answer };
  stdout.write(`${encodeJson(value, stdout.isTerminal ? 2 : undefined)}\n`);
}

/** A time as JSON carries it: ISO 8601, UTC. null where it is not known. */
export function isoTime(ms: number | undefined): string | null {
  const date = new Date(ms ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
