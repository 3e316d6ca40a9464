import type { Finding } from "./finding.ts";
import { isPlaceholder } from "./placeholder.ts";
import { looksRandom, looksWritten } from "./randomness.ts";
import { withoutTrailing } from "./read-value.ts";

/** `Bearer …`, `"Basic …"`, `` `token …` ``: the scheme stays, what follows it goes. */
const CREDENTIALS =
  /[\s,]{0,4}\\{0,3}["'`]?(?:(bearer|basic|token|apikey|api-key|digest|negotiate|key)\s{1,2})?([\w+/=.~:-]{8,4096})/iy;
const MIN_BARE = 20;

/** Masks the credentials of an Authorization header; returns where to go on. */
export function findAuthorization(text: string, at: number, found: Finding[]): number {
  CREDENTIALS.lastIndex = at;
  const match = CREDENTIALS.exec(text);
  if (match?.[2] === undefined) return at;
  const credentials = withoutTrailing(match[2], ".:");
  if (
    credentials.includes("://") ||
    isPlaceholder(credentials) ||
    !(/[\d+/=]/.test(credentials) || looksRandom(credentials, 20))
  )
    return at;
  // Without a scheme, only what could be nothing else.
  if (match[1] === undefined && (credentials.length < MIN_BARE || looksWritten(credentials))) return at;
  const start = at + match[0].length - match[2].length;
  const end = start + credentials.length;
  found.push({ kind: "authorization", start, end });
  return end;
}
