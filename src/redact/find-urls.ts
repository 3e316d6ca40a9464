import { isUuid } from "../jsonl/values.ts";
import type { Finding } from "./finding.ts";
import { looksRandom } from "./randomness.ts";
import { isPlaceholder } from "./secret-value.ts";

const MAX_USER_INFO = 512;
/** Values in examples. */
const SHOWN_IN_EXAMPLES =
  /^(?:\w{0,12}(?:pass|password|passwd)|pwd|pw|secret|token|user|username|postgres|root|admin|guest|test|.{1,3})$/i;
/** `scheme://user:password@host`: the password, or a key in place of the user. Returns the position to continue from. */
export function findUrlCredentials(text: string, at: number, found: Finding[]): number {
  const start = at + 3;
  const keyEnd = findUrlKey(text, start, found);
  if (keyEnd !== -1) return keyEnd;
  const signAt = endOfUserInfo(text, start);
  if (signAt === -1) return start;
  const userInfo = text.slice(start, signAt);
  const colon = userInfo.indexOf(":");
  if (colon === -1) {
    // A Sentry address has its public key in this position.
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

/** The last `@` before the end of the host; unescaped passwords may contain one too. */
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

/** A key that is part of the path of a URL. */
interface UrlKey {
  readonly kind: string;
  /** Matches the text after `://`; the first group is the key. */
  readonly pattern: RegExp;
}

const urlKeys: readonly UrlKey[] = [
  {
    kind: "slack-webhook",
    pattern: /^hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/([\w/]{20,120})/,
  },
  {
    kind: "discord-webhook",
    pattern: /^(?:\w{1,10}\.)?discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/\d{10,24}\/([\w-]{40,100})/,
  },
  {
    kind: "webhook",
    pattern:
      /^(?:[\w-]{1,60}\.)?(?:webhook\.office|outlook\.office(?:365)?)\.com\/webhook(?:b2)?\/([\w@/-]{40,250})/,
  },
  { kind: "webhook", pattern: /^hooks\.zapier\.com\/hooks\/(?:catch|standard)\/([\w/]{8,60})/ },
  { kind: "webhook", pattern: /^hook\.(?:\w{2,8}\.)?(?:make|integromat)\.com\/([\w-]{20,60})/ },
  {
    kind: "webhook",
    pattern: /^maker\.ifttt\.com\/trigger\/[\w{}-]{1,60}\/(?:json\/)?with\/key\/([\w-]{20,60})/,
  },
  { kind: "webhook", pattern: /^api\.netlify\.com\/build_hooks\/([0-9a-f]{20,40})/ },
  { kind: "webhook", pattern: /^api\.vercel\.com\/v1\/integrations\/deploy\/([\w/-]{20,90})/ },
  {
    kind: "webhook",
    pattern: /^open\.(?:feishu|larksuite)\.\w{2,3}\/open-apis\/bot\/v2\/hook\/([\w-]{20,60})/,
  },
  {
    kind: "webhook",
    pattern:
      /^[\w.-]{0,60}(?:loggly\.com\/(?:inputs|bulk)|sumologic\.com\/receiver\/v1\/http|pagerduty\.com\/integration)\/([\w=-]{20,200})/,
  },
  {
    kind: "webhook",
    pattern: /^hooks?\.[\w.-]{3,80}\/(?:[\w-]{1,20}\/){0,3}((?:[\w-]{8,40}\/)?[\w-]{24,80})(?![\w./-])/,
  },
  // Mattermost, Rocket.Chat and others
  {
    kind: "webhook",
    pattern: /^[\w.:-]{3,100}\/(?:hooks|webhooks?|integration)\/((?:[\w-]{8,40}\/)?[\w-]{24,80})(?![\w./-])/,
  },
  // Alchemy, Infura, QuickNode, Ankr and others: the node of a blockchain, and a key for it
  {
    kind: "rpc-key",
    pattern:
      /^(?:[\w-]{1,60}\.){0,4}(?:alchemy(?:api)?|infura|quiknode|ankr|chainstack|p2pify|getblock|blastapi|drpc|moralis-nodes|nodereal|pokt|blockpi|rpcpool|figment|tenderly|syndica|chainnodes|1rpc|grove)\.\w{2,8}\/(?:[\w.-]{1,24}\/){0,4}([\w-]{20,80})/,
  },
  {
    kind: "rpc-key",
    pattern:
      /^(?=[\w.-]{0,80}(?<![a-z])(?:rpc|mainnet|testnet|devnet|sepolia)(?![a-z]))[\w.:-]{3,100}\/(?:[\w.-]{1,24}\/){0,3}(?!0x)([\w-]{24,80})(?![\w.-])/,
  },
  // The token of a Conda channel
  {
    kind: "token",
    pattern: /^[\w.:-]{3,100}\/(?:[\w.-]{1,40}\/){0,3}t\/((?:[a-z]{2}-)?[0-9a-f-]{36}|[\w-]{20,80})\//,
  },
  // The private address of a calendar
  {
    kind: "token",
    pattern: /^[\w.:-]{3,100}\/(?:[\w.%@-]{1,80}\/){0,4}private-([0-9a-f]{20,64})\//,
  },
  // Monitors and log collectors: whoever knows the path can write
  {
    kind: "token",
    pattern: /^[\w.:-]{3,100}\/(?:api\/push|v\d\/input|inputs?|ingest)\/([\w-]{20,80})(?![\w./-])/,
  },
  // A path that announces the key: `/reset-password/…`, `/api-key/…`
  {
    kind: "token",
    pattern:
      /^[\w.:-]{3,100}\/(?:[\w.-]{1,40}\/){0,6}(?:api-?key|token|access-token|secret|(?:password-?)?reset(?:-password)?|reset_password|magic(?:-?link)?|invite|invitation|verify(?:-email)?|confirm|activate)\/([\w.~-]{20,200})/i,
  },
];

const MAX_URL = 300;
/** The shortest key of the table; hardly any URL has such a part. */
const MAY_HOLD_KEY = /[\w-]{20}|\/hooks\//;
const URL_CHARACTERS = /[\w.:/@%~-]{1,300}/y;

/** Masks a key in the path of the URL whose host begins at `start`; returns where it ends, or -1. */
function findUrlKey(text: string, start: number, found: Finding[]): number {
  URL_CHARACTERS.lastIndex = start;
  if (!URL_CHARACTERS.test(text)) return -1;
  const url = text.slice(start, Math.min(URL_CHARACTERS.lastIndex, start + MAX_URL));
  if (!MAY_HOLD_KEY.test(url)) return -1;
  for (const { kind, pattern } of urlKeys) {
    const match = pattern.exec(url);
    const key = match?.[1];
    if (match === null || key === undefined || isPlaceholder(key) || !isKeyOfUrl(key)) continue;
    const end = start + match.index + match[0].length;
    found.push({ kind, start: end - key.length, end, shown: "" });
    return end;
  }
  return -1;
}

const UUID_LENGTH = 36;

function isKeyOfUrl(key: string): boolean {
  return (
    /\d/.test(key) &&
    (isUuid(key.slice(-UUID_LENGTH)) || key.includes("/") || key.includes("@") || looksRandom(key, 20))
  );
}
