/** What a variable, field, header or flag says about its value. */
type NameKind = "password" | "api-key" | "secret" | "token" | "azure-key" | "cookie";

export interface SecretName {
  readonly kind: NameKind;
  /** The parts of the name, lower case: `dbPassword` has `db` and `password`. */
  readonly words: readonly string[];
  /** `api_key`, `auth_token`, `password`: even a uuid after it is a secret; after `token` or `tree_key` it is just an id. */
  readonly isStrong: boolean;
  /** `DB_PASSWORD`: a name that only settings have, so that a plain word after it is a value and no variable. */
  readonly isSetting: boolean;
}

const PASSWORDS = new Set(
  "password passwd passwort passphrase passcode pwd pass pw psk kennwort userpass dbpass rootpass adminpass smtppass authpass".split(
    " ",
  ),
);
const SECRETS = new Set(
  "secret secrets clientsecret appsecret secretkey privatekey encryptionkey signingkey masterkey".split(" "),
);
const TOKENS = new Set(
  "token authtoken accesstoken refreshtoken idtoken apitoken bearertoken bottoken jwt pat bearer".split(" "),
);
const KEYS = new Set("apikey accesskey authkey appkey adminkey servicekey authkey licensekey".split(" "));
const COOKIES = new Set(
  "sessionid phpsessid jsessionid sessid sid aspsessionid cfid laravelsession".split(" "),
);
/** What stands before `key` where the key opens something. */
const API_KEY_WORDS = new Set(
  "api apis app access auth admin service rest webhook integration write ingest maps".split(" "),
);
const SECRET_KEY_WORDS = new Set(
  "secret private encryption encrypt signing sign master hmac aes des jwt session cookie shared cipher crypto fernet kms root".split(
    " ",
  ),
);
/** What stands before `key` where the key only names or finds something. */
const HARMLESS_KEY_WORDS = new Set(
  "public pub primary foreign sort partition cache query object idempotency dedupe row map group index lookup hash site registry publishable candidate unique composite translation message shortcut hot arrow sha etag".split(
    " ",
  ),
);
/** Tokens that point at the next page or at a piece of text. */
const HARMLESS_TOKEN_WORDS = new Set(
  "next page continuation start sync cursor pagination cancellation max min total num eos bos pad unk stop".split(
    " ",
  ),
);
/** Endings that say which of several: `API_KEY_PROD`, `password2`. */
const WHICH =
  /^(?:prod|production|dev|development|staging|stage|test|testing|live|sandbox|old|new|base|default|main|backup|primary|secondary|v?\d{1,2})$/;

/** The same few names stand all over a log: each is taken apart once. */
const known = new Map<string, SecretName | undefined>();
const MAX_KNOWN = 2_000;

/** Reads a name as a sign that its value is a secret; undefined where it is none. */
export function readSecretName(name: string): SecretName | undefined {
  const before = known.get(name);
  if (before !== undefined || known.has(name)) return before;
  if (known.size >= MAX_KNOWN) known.clear();
  const read = readName(name);
  // A copy, for a cut name would keep its whole text in memory.
  known.set(` ${name}`.slice(1), read);
  return read;
}

function readName(name: string): SecretName | undefined {
  const words = splitName(name);
  let count = words.length;
  while (count > 1 && WHICH.test(words[count - 1] ?? "")) count--;
  const last = (words[count - 1] ?? "").replace(/\d{1,2}$/, "");
  const kind = kindOf(last, words[count - 2] ?? "", words);
  if (kind === undefined) return undefined;
  // `PASS` alone is what tests print.
  const isSetting = /^[A-Z][A-Z0-9_]*$/.test(name) && name !== "PASS";
  const isStrong =
    kind === "api-key" ? API_KEY_WORDS.has(words[count - 2] ?? "") || last !== "key" : words.length > 1;
  return { kind, words, isStrong, isSetting };
}

function splitName(name: string): readonly string[] {
  const parted = /[a-z]/.test(name)
    ? name.replace(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, "$1$3_$2")
    : name;
  return parted
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

function kindOf(last: string, before: string, words: readonly string[]): NameKind | undefined {
  if (PASSWORDS.has(last) || /(?:password|passwd|passphrase|passwort)$/.test(last)) return "password";
  if (last === "key") return kindOfKey(before, words);
  if (KEYS.has(last)) return "api-key";
  if (last === "accountkey" || last === "sharedaccesskey") return "azure-key";
  if (SECRETS.has(last)) return "secret";
  if (last === "data" && before === "key") return words.includes("client") ? "secret" : undefined;
  if (last === "signature" && words[0] === "x") return "secret";
  if (COOKIES.has(last) && !(last === "sid" && words.length > 1 && before !== "connect")) return "cookie";
  if (last === "session" && (before === "laravel" || before === "rails")) return "cookie";
  if (TOKENS.has(last)) return HARMLESS_TOKEN_WORDS.has(before) ? undefined : "token";
  return undefined;
}

function kindOfKey(before: string, words: readonly string[]): NameKind | undefined {
  if (before === "" || HARMLESS_KEY_WORDS.has(before)) return undefined;
  if (words.includes("public") || words.includes("publishable")) return undefined;
  if (before === "account" || before === "storage" || words.join("").endsWith("sharedaccesskey"))
    return "azure-key";
  if (SECRET_KEY_WORDS.has(before)) return "secret";
  return "api-key";
}
