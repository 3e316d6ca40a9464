import type { Finding } from "./finding.ts";
import { isPlaceholder } from "./placeholder.ts";
import { looksRandom } from "./randomness.ts";

const MAX_USER_INFO = 512;
/** What examples put there. */
const SHOWN_IN_EXAMPLES =
  /^(?:\w{0,12}(?:pass|password|passwd)|pwd|pw|secret|token|user|username|postgres|root|admin|guest|test|.{1,3})$/i;
const WEBHOOK =
  /:\/\/(?:hooks\.slack\.com\/(?:services|workflows|triggers)\/([\w/]{20,120})|(?:\w{1,10}\.)?discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/\d{10,24}\/([\w-]{40,100}))/y;

/** `scheme://user:password@host`: the password, or a key that stands in place of the user. Returns where to go on. */
export function findUrlCredentials(text: string, at: number, found: Finding[]): number {
  WEBHOOK.lastIndex = at;
  const webhook = WEBHOOK.exec(text);
  if (webhook !== null) {
    const secret = webhook[1] ?? webhook[2] ?? "";
    const end = WEBHOOK.lastIndex;
    if (!isPlaceholder(secret) && /\d/.test(secret)) {
      found.push({
        kind: webhook[1] === undefined ? "discord-webhook" : "slack-webhook",
        start: end - secret.length,
        end,
        shown: "",
      });
    }
    return end;
  }
  const start = at + 3;
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
