import type { Finding, Redactor } from "../../redact/redact.ts";
import { decodePiece, jsonPieces } from "./json-pieces.ts";

/** Returns the secrets of a text that is in data; undefined for any other text. */
export type FindInData = (
  text: string,
  within: object | string | undefined,
) => readonly Finding[] | undefined;

/**
 * Finds secrets in strings of data by looking at all of the data, as every other command does: in `{"password":"…"}`
 * the key shows that the string is one, in `["mysql","-p…"]` the string before it. The texts of one value come one
 * after the other, so only the last value is remembered.
 */
export function createFindInData(redactor: Redactor): FindInData {
  let last: object | string | undefined;
  let secrets: ReadonlyMap<string, readonly Finding[]> = none;
  return (text, within) => {
    if (within === undefined) return undefined;
    if (within !== last) {
      secrets = secretsOf(typeof within === "string" ? within : JSON.stringify(within), redactor);
      last = within;
    }
    return secrets.get(text) ?? [];
  };
}

const none: ReadonlyMap<string, readonly Finding[]> = new Map();

/** The strings of a JSON text that hold secrets, decoded, with the places of the secrets in them. */
function secretsOf(json: string, redactor: Redactor): ReadonlyMap<string, readonly Finding[]> {
  const findings = redactor.find(json);
  if (findings.length === 0) return none;
  const secrets = new Map<string, Finding[]>();
  let next = 0;
  for (const { start, end } of jsonPieces(json)) {
    while (next < findings.length && (findings[next]?.end ?? 0) <= start) next++;
    for (let at = next; at < findings.length; at++) {
      const finding = findings[at];
      if (finding === undefined || finding.start >= end) break;
      const text = decodePiece(json.slice(start, end));
      const offsetOf = (offset: number): number => decodePiece(json.slice(start, offset)).length;
      const from = offsetOf(Math.max(start, finding.start));
      const inside = { ...finding, start: from, end: offsetOf(Math.min(end, finding.end)) };
      secrets.set(text, [...(secrets.get(text) ?? []), inside]);
    }
  }
  return secrets;
}
