import type { Finding } from "./finding.ts";
import type { Sign } from "./scan-signs.ts";
import { skip } from "./secret-value.ts";

const PURPOSE = /recover|backup|scratch|emergenc|2fa|mfa|two[- ]?factor|otp|one[- ]?time/i;
const LOOK_BACK = 48;
/** What may part two codes: line ends, bullets, numbers of a list, the signs of JSON. */
const GAP = /(?:\\{1,4}[nrt]|[\s,;:"'`*\u2022|[\](){}>-]|\d{1,2}[.)] ?|[\u2610\u2713\u2717]){0,40}/y;
const CODE =
  /(?:[A-Za-z0-9]{4,8}(?:-[A-Za-z0-9]{4,8}){1,4}|\d{4} \d{4}|[A-Za-z0-9]{8,16}|\d{6,10})(?![\w./@-])/y;
const DATE = /^\d{4}-\d\d|^(?:19|20)\d{6}$/;
const MIN_CODES = 2;
const MAX_CODES = 40;
/** Lines of advice that may stand between the heading and the codes. */
const MAX_LINES_BETWEEN = 4;

/** Recovery codes of a second factor: a list of short codes under a heading that says so. */
export const recoveryCodeSigns: readonly Sign[] = ["codes", "Codes", "CODES"].map((word) => ({
  sign: word,
  find: (text, at, found) =>
    PURPOSE.test(text.slice(Math.max(0, at - LOOK_BACK), at)) ? findCodes(text, at + word.length, found) : at,
}));

/** Adds the codes behind `from`; returns where they end. */
function findCodes(text: string, from: number, found: Finding[]): number {
  let at = from;
  for (let line = 0; line <= MAX_LINES_BETWEEN; line++) {
    const codes = readCodes(text, at);
    if (codes.length >= MIN_CODES) {
      found.push(...codes);
      return codes.at(-1)?.end ?? from;
    }
    const next = /[:\n]/.exec(text.slice(at, at + 200));
    if (next === null) return from;
    at += next.index + 1;
  }
  return from;
}

function readCodes(text: string, from: number): readonly Finding[] {
  const codes: Finding[] = [];
  let at = from;
  while (codes.length < MAX_CODES) {
    const start = skip(GAP, text, at);
    const end = skip(CODE, text, start);
    const code = text.slice(start, end);
    if (end === start || !/\d/.test(code) || DATE.test(code)) break;
    codes.push({ kind: "recovery-code", start, end });
    at = end;
  }
  return codes;
}
