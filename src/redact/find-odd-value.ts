import type { Finding } from "./finding.ts";
import { isPlaceholder } from "./placeholder.ts";
import { looksRandom } from "./randomness.ts";

/** A value that only its own form confirms, because its name says too little. */
interface OddValue {
  /** The name, in lower case. */
  readonly name: RegExp;
  readonly kind: string;
  /** What follows the separator; the first group is the secret. */
  readonly pattern: RegExp;
  readonly confirm?: (secret: string) => boolean;
}

const SEED_NAME = /mnemonic$|(?<!pass)phrase$|(?:seed|recovery|backup|wallet)[._-]?words$|seed$/;

const oddValues: readonly OddValue[] = [
  {
    name: /^sig$/,
    kind: "azure-key",
    pattern: /((?:[A-Za-z0-9+/]|%2[BbFf]){40,90}(?:=|%3[Dd]){0,2})/y,
    confirm: (signature) => looksRandom(signature.replace(/%../g, "+"), 40),
  },
  {
    name: /^private-lines$/,
    kind: "ssh-private-key",
    pattern: /[ \t]{0,2}\d{1,3}\r?\n((?:[A-Za-z0-9+/=]{4,80}\r?\n?){1,200})/y,
  },
  // Twelve to twenty-four words, in one line or numbered, or a list of them: the way back into a wallet.
  {
    name: SEED_NAME,
    kind: "seed-phrase",
    pattern:
      /\s{0,8}\\{0,3}["'`]?((?:(?:\d{1,2}[.)] {0,2})?[a-z]{3,8}(?:,? {1,2}|[ \t]{0,2}\r?\n[ \t]{0,4})){11,23}(?:\d{1,2}[.)] {0,2})?[a-z]{3,8})(?![a-z ])/y,
    confirm: isSeedPhrase,
  },
  {
    name: SEED_NAME,
    kind: "seed-phrase",
    pattern: /\s{0,8}\[\s{0,8}["']([a-z]{3,8}(?:["'],\s{0,8}["'][a-z]{3,8}){11,23})["']\s{0,8}\]/y,
    confirm: isSeedPhrase,
  },
  // `auth=("user", "…")` of a call.
  {
    name: /(?:^|[._-])auth$/,
    kind: "password",
    pattern: /[ \t]{0,2}[([][ \t]{0,2}["'][^"'\n]{1,80}["'],[ \t]{0,2}["']([^"'\n]{4,128})["']/y,
  },
  // `auth` of a registry is `user:password` in base64.
  {
    name: /(?:^|[._-])auth$/,
    kind: "password",
    pattern: /[ \t]{0,4}\\{0,3}["']?([A-Za-z0-9+/]{12,400}={0,2})(?![\w+/=-])/y,
    confirm: holdsUserAndPassword,
  },
  // The bytes of a key: `secretKey = [12, 201, …]`
  {
    name: /key$|secret$|keypair$/,
    kind: "private-key",
    pattern:
      /\s{0,4}(?:Uint8Array\.from\(|new Uint8Array\()?\[\s{0,8}((?:\d{1,3}\s{0,2},\s{0,8}){31,127}\d{1,3})\s{0,8}\]/y,
  },
  // The key of an authenticator, in groups: `abcd efgh …`
  {
    name: /(?:key|secret|totp|otp|code)$/,
    kind: "secret",
    pattern: /\s{0,4}["'`]?((?:[A-Za-z2-7]{4} ){3,15}[A-Za-z2-7]{4})(?![\w ])/y,
    confirm: (groups) =>
      /[2-7]/.test(groups) && (groups === groups.toLowerCase() || groups === groups.toUpperCase()),
  },
  // The keys of accounts of a blockchain: `accounts: ["0x…"]`
  {
    name: /^accounts$/,
    kind: "private-key",
    pattern: /\s{0,4}\[\s{0,8}["'`](?:0x)?([0-9a-fA-F]{64})/y,
  },
  // `login: qa-bot / …`, `creds: admin:…`
  {
    name: /(?:^|[._-])(?:creds|credentials|login|user\/pass(?:word)?)$/,
    kind: "password",
    pattern: /[ \t]{0,4}["'`]?[\w.@+-]{2,60}["'`]?[ \t]{0,2}[/:|,][ \t]{0,2}["'`]?([^\s"'`,;()<>/\\]{6,64})/y,
    confirm: (password) =>
      /\d/.test(password) &&
      /[A-Za-z]{2}/.test(password) &&
      /[^\w.:-]|[a-z].*[A-Z]|[A-Z].*[a-z]/.test(password),
  },
];

const ODD_NAME = new RegExp(oddValues.map(({ name }) => name.source).join("|"));

/** Masks the value of such a name; returns where it ends, or -1. */
export function findOddValue(text: string, name: string, at: number, found: Finding[]): number {
  if (!ODD_NAME.test(name)) return -1;
  for (const odd of oddValues) {
    if (!odd.name.test(name)) continue;
    odd.pattern.lastIndex = at;
    const match = odd.pattern.exec(text);
    const secret = match?.[1]?.trimEnd();
    if (match === null || secret === undefined || isPlaceholder(secret)) continue;
    if (odd.confirm !== undefined && !odd.confirm(secret)) continue;
    const start = at + match[0].lastIndexOf(secret);
    const end = start + secret.length;
    found.push({ kind: odd.kind, start, end });
    return end;
  }
  return -1;
}

/** Words of sentences are in no seed phrase. */
function isSeedPhrase(words: string): boolean {
  return !/\b(?:the|and|for|are|was|were|you|has|have|with|from|not)\b/.test(words);
}

/** Whether base64 decodes to `user:password`. */
export function holdsUserAndPassword(base64: string): boolean {
  try {
    return /^[\x21-\x7e]{1,80}:[\x20-\x7e]{3,}$/.test(atob(base64));
  } catch {
    return false;
  }
}
