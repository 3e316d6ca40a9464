import { alphabets, type SeededRandom } from "./seeded-random.ts";

/** A private key in many lines, as it turns up in logs: whole, escaped, numbered, indented, torn. */
export interface KeyBlockShape {
  readonly kind: string;
  make(random: SeededRandom): string;
}

// Put together at run time, so that no scanner takes this file for a leaked key.
const dashes = "-".repeat(5);
const header = (label: string): string => `${dashes}BEGIN ${label}${dashes}`;
const footer = (label: string): string => `${dashes}END ${label}${dashes}`;

const RSA = "RSA PRIVATE KEY";
const PKCS8 = "PRIVATE KEY";
const OPENSSH = "OPENSSH PRIVATE KEY";
const PGP = "PGP PRIVATE KEY BLOCK";

function body(random: SeededRandom, lines: number, begin = "MIIE"): readonly string[] {
  const full = Array.from({ length: lines - 1 }, () => random.chars(64, alphabets.base64));
  const last = `${random.chars(8 + random.int(40), alphabets.base64)}==`;
  return [begin + (full[0] ?? "").slice(begin.length), ...full.slice(1), last];
}

const block = (label: string, lines: readonly string[]): readonly string[] => [
  header(label),
  ...lines,
  footer(label),
];
const openSsh = (random: SeededRandom): readonly string[] => body(random, 6, "b3BlbnNzaC1rZXktdjEAAAAA");
const shape = (kind: string, make: (random: SeededRandom) => string): KeyBlockShape => ({ kind, make });

export const keyBlockShapes: Readonly<Record<string, KeyBlockShape>> = {
  "pem-rsa": shape("private-key", (r) => block(RSA, body(r, 12)).join("\n")),
  "pem-pkcs8": shape("private-key", (r) => block(PKCS8, body(r, 14)).join("\r\n")),
  "pem-ec": shape("private-key", (r) => block("EC PRIVATE KEY", body(r, 3, "MHcCAQEE")).join("\n")),
  "pem-encrypted": shape("private-key", (r) =>
    block(RSA, [
      "Proc-Type: 4,ENCRYPTED",
      `DEK-Info: AES-128-CBC,${r.chars(32, alphabets.hex)}`,
      "",
      ...body(r, 10),
    ]).join("\n"),
  ),
  "pem-openssh": shape("ssh-private-key", (r) => block(OPENSSH, openSsh(r)).join("\n")),
  "pem-openssh-torn": shape("ssh-private-key", (r) =>
    [header(OPENSSH), ...openSsh(r).slice(0, -1)].join("\n"),
  ),
  "pem-escaped": shape("private-key", (r) => block(PKCS8, body(r, 12)).join("\\n")),
  "pem-double-escaped": shape("private-key", (r) => block(PKCS8, body(r, 12)).join("\\\\n")),
  "pem-numbered": shape("private-key", (r) =>
    block(RSA, body(r, 12))
      .map((line, index) => (index === 0 ? line : `${String(index + 1).padStart(6)}→${line}`))
      .join("\n"),
  ),
  "pem-indented": shape("private-key", (r) =>
    block(PKCS8, body(r, 12))
      .map((line, index) => (index === 0 ? line : `    ${line}`))
      .join("\n"),
  ),
  "pem-quoted-lines": shape("private-key", (r) => block(RSA, body(r, 8)).join('\\n" +\n  "')),
  "pem-diff": shape("private-key", (r) => block(RSA, body(r, 8)).join("\n+")),
  "pem-torn": shape("private-key", (r) => [header(RSA), ...body(r, 6).slice(0, -1)].join("\n")),
  "pem-tail": shape("private-key", (r) => [...body(r, 6, "").slice(1), footer(RSA)].join("\n")),
  "pgp-private": shape("pgp-private-key", (r) =>
    block(PGP, ["Version: GnuPG v2", "", ...body(r, 9, "lQVYBF"), `=${r.chars(4, alphabets.base64)}`]).join(
      "\n",
    ),
  ),
};

export const privateHeader: string = header(RSA);
export const privateFooter: string = footer(RSA);
