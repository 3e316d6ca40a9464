import type { Finding } from "./finding.ts";
import { isPlaceholder } from "./placeholder.ts";
import { looksRandom } from "./randomness.ts";
import { withoutTrailing } from "./read-value.ts";

const MIN_LENGTH = 20;
const MAX_LENGTH = 4096;
const LOOK_BACK = 56;
const MAX_PARTS = 64;

/**
 * "the api key is …", `setItem("token", "…")`, `<apiKey>…`, `Bearer …`, `set -gx API_KEY …`: a name, then something
 * weaker than a colon or an equals sign. Only long random values, since words follow these names far more often.
 */
const LEAD_IN =
  /(?:(bearer|basic)\s+|((?:api|access|secret|private|auth|encryption|signing|master|account)[ _-]?key|token|secret|secret_key_base)s?["'`]?\)?(?:\s+(?:is|was|are|=|->|\u2192)\s+|\s*,\s*|\s*>\s*|\s*\(\s*|\s+))\\{0,2}["'`]?$/i;
const REST = /[\w+/=.~-]{0,600}/y;

export function findSpokenSecret(text: string, runStart: number, end: number, found: Finding[]): void {
  if (end - runStart > MAX_LENGTH) return;
  const start = startOfBase64(text, runStart);
  if (!opensValue(text.charCodeAt(start - 1)) || !hasDigit(text, start, end)) return;
  const leadIn = LEAD_IN.exec(text.slice(Math.max(0, start - LOOK_BACK), start));
  if (leadIn === null) return;
  REST.lastIndex = end;
  REST.test(text);
  const value = withoutTrailing(text.slice(start, Math.max(end, REST.lastIndex)), ".~-");
  if (isPlaceholder(value) || !looksRandom(value, MIN_LENGTH)) return;
  found.push({ kind: kindOf(leadIn), start, end: start + value.length });
}

/** Whether the run may be such a value: what this lets go is none. */
export function mayBeSpoken(units: Uint16Array, runStart: number, end: number): boolean {
  if (end - runStart > MAX_LENGTH) return false;
  let start = runStart;
  const limit = runStart - MAX_PARTS;
  while (start > limit && isBase64(units[start - 1] ?? 0)) start--;
  if (!opensValue(units[start - 1] ?? 0)) return false;
  for (let at = start; at < end; at++) {
    const code = units[at] ?? 0;
    if (code >= 48 && code <= 57) return true;
  }
  return false;
}

/** Space, quotes, bracket, > : without one of them no lead-in can end here. */
function opensValue(code: number): boolean {
  return code === 32 || code === 34 || code === 39 || code === 96 || code === 40 || code === 62;
}

/** A slash or a plus sign parts the runs of base64. */
function startOfBase64(text: string, runStart: number): number {
  let start = runStart;
  const limit = Math.max(0, runStart - MAX_PARTS);
  while (start > limit && isBase64(text.charCodeAt(start - 1))) start--;
  return start;
}

function isBase64(code: number): boolean {
  return (
    (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 47 && code <= 57) || code === 43
  );
}

function kindOf(leadIn: RegExpExecArray): string {
  if (leadIn[1] !== undefined) return "authorization";
  const name = (leadIn[2] ?? "").toLowerCase();
  if (name === "token") return "token";
  return name.endsWith("key") && !/secret|private|encryption|signing|master/.test(name)
    ? "api-key"
    : "secret";
}

/** The quick way to tell most names from keys. */
function hasDigit(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code >= 48 && code <= 57) return true;
  }
  return false;
}
