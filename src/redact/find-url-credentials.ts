import { findUrlKey } from "./find-url-keys.ts";
import type { Finding } from "./finding.ts";
import { looksRandom } from "./randomness.ts";
import { isPlaceholder } from "./secret-value.ts";

const MAX_USER_INFO = 512;
/** What examples put there. */
const SHOWN_IN_EXAMPLES =
  /^(?:\w{0,12}(?:pass|password|passwd)|pwd|pw|secret|token|user|username|postgres|root|admin|guest|test|.{1,3})$/i;
/** `scheme://user:password@host`: the password, or a key that stands in place of the user. Returns where to go on. */
export function findUrlCredentials(text: string, at: number, found: Finding[]): number {
  const start = at + 3;
  const keyEnd = findUrlKey(text, start, found);
  if (keyEnd !== -1) return keyEnd;
  const signAt = endOfUserInfo(text, start);
  if (signAt === -1) return start;
  const userInfo = text.slice(start, signAt);
  const colon = userInfo.indexOf(":");
  if (colon === -1) {
    // The public half of a Sentry address stands where a key would.
    if (
      looksRandom(userInfo, 20) &&
      !isPlaceholder(userInfo) &&
      !/^(?:o\d{1,12}\.ingest|sentry)/.test(text.slice(signAt + 1, signAt + 30))
    ) {
      found.push({ kind: "url-credentials", start, end: signAt });
    }
    return signAt;
  }
  const password = userInfo.slice(colon + 1);
  if (password === "" || password === userInfo.slice(0, colon)) return signAt;
  if (isPlaceholder(password) || SHOWN_IN_EXAMPLES.test(password)) return signAt;
  found.push({ kind: "url-credentials", start: start + colon + 1, end: signAt });
  return signAt;
}

/** The last `@` before the host ends; passwords hold the sign too, where nobody escaped it. */
function endOfUserInfo(text: string, start: number): number {
  const limit = Math.min(text.length, start + MAX_USER_INFO);
  let signAt = -1;
  for (let at = start; at < limit; at++) {
    const code = text.charCodeAt(at);
    if (code === 64) signAt = at;
    // Space and below, " ' / < > ? \ ` ( )
    else if (
      code <= 32 ||
      code === 34 ||
      code === 39 ||
      code === 47 ||
      code === 60 ||
      code === 62 ||
      code === 63 ||
      code === 92 ||
      code === 96 ||
      code === 40 ||
      code === 41
    )
      break;
  }
  return signAt;
}
