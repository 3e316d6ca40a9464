import type { Sign } from "./scan-signs.ts";

/**
 * Hashes that a password can be guessed from, at their first `$`: crypt(3) as in /etc/shadow and htpasswd (MD5, SHA,
 * bcrypt, yescrypt, argon2, scrypt, PBKDF2), and phpass.
 */
const CRYPT = new RegExp(
  [
    String.raw`\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}`,
    String.raw`\$(?:1|5|6|7|8|9|y|gy|sha1|md5|apr1)\$(?:rounds=\d{1,9}\$|\d{1,7}\$|j[./A-Za-z0-9]{1,8}\$)?[./A-Za-z0-9]{0,64}\$[./A-Za-z0-9]{20,130}`,
    String.raw`\$argon2(?:id|i|d)\$(?:v=\d{1,3}\$)?[mtp=,\d]{5,60}\$[\w+/=.-]{8,90}\$[\w+/.-]{16,130}`,
    String.raw`\$(?:scrypt|pbkdf2(?:-sha\d{1,3})?)\$[\w=,]{1,40}\$[\w+/.=-]{4,90}\$[\w+/.=-]{16,130}`,
    String.raw`\$[PH]\$[./A-Za-z0-9]{31}`,
    // In the files of Docker Compose each dollar sign is doubled.
    String.raw`\$\$(?:apr1|2[abxy]|1|5|6|y)\$\$[./A-Za-z0-9]{2,64}\$\$[./A-Za-z0-9]{20,130}`,
  ].join("|"),
  "y",
);
/** Hashes of web frameworks and PostgreSQL, whose method is named before the first `$`. */
const NAMED =
  /(?:\$\d{1,9})?\$[\w./+-]{4,64}\$[\w./+=-]{28,130}|\$\d{1,9}:[\w+/=]{8,64}\$[\w+/=]{20,64}:[\w+/=]{20,64}/y;
const METHOD = /(?:pbkdf2_sha\d{1,3}|(?:pbkdf2|scrypt):[\w:]{1,30}|SCRAM-SHA-(?:1|256)|\bsha1|\bmd5)$/;
const LOOK_BACK = 40;

/** Hashes of LDAP: `{SSHA}…`. */
const LDAP = /\{S(?:SHA|HA|MD5|SHA256|SHA384|SHA512|HA256|HA384|HA512)\}([\w+/=]{16,200})/y;

/** Password hashes. Hashes of files and commits are none: nobody logs in with them. */
export const passwordHashSigns: readonly Sign[] = [
  {
    sign: "$",
    before: "$./0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    find: (text, at, found) => {
      const end = endOfHash(text, at);
      if (end > at) found.push({ kind: "password-hash", start: at, end });
      return end;
    },
  },
  {
    sign: "{S",
    find: (text, at, found) => {
      LDAP.lastIndex = at;
      const hash = LDAP.exec(text)?.[1];
      if (hash === undefined) return at;
      found.push({ kind: "password-hash", start: LDAP.lastIndex - hash.length, end: LDAP.lastIndex });
      return LDAP.lastIndex;
    },
  },
];

function endOfHash(text: string, at: number): number {
  CRYPT.lastIndex = at;
  if (CRYPT.test(text)) return CRYPT.lastIndex;
  NAMED.lastIndex = at;
  const isNamed = NAMED.test(text) && METHOD.test(text.slice(Math.max(0, at - LOOK_BACK), at));
  return isNamed ? NAMED.lastIndex : at;
}
