import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { createRedactor, type Redactor } from "../../src/redact/redact.ts";
import { alphabets, createSeededRandom } from "../support/seeded-random.ts";

/**
 * Prints how fast masking is. With folders of session logs as arguments: megabytes a second over the texts in them.
 * Always: hostile texts of one and of two megabytes, whose times must have a ratio near two.
 */
const { find, redact }: Redactor = createRedactor();
const ROUNDS = 9;
const SLICE = 2_000;
const LOOKED_UP: Uint8Array = new Uint8Array(65_536).fill(1);
/** Fields that hold no words of anyone. */
const NO_TEXT = new Set(
  "uuid parentUuid sessionId id timestamp type role model version cwd requestId signature data tool_use_id stop_reason encrypted_content".split(
    " ",
  ),
);

for (const folder of process.argv.slice(2)) measureTexts(folder);
measureHostile();

function measureTexts(folder: string): void {
  const texts = readTexts(folder);
  const clean = texts.filter((text) => find(text).length === 0);
  printRate("a look at every character", texts, lookAtAll);
  printRate("all texts", texts, redact);
  printRate("texts without secrets", clean, redact);
}

function printRate(name: string, texts: readonly string[], work: (text: string) => unknown): void {
  const megabytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / 1e6;
  const rate = megabytes / (fastest(texts, work) / 1e3);
  print(`${name}: ${texts.length} texts, ${megabytes.toFixed(0)} MB, ${rate.toFixed(0)} MB/s`);
}

/** What the machine can do at best with a look at every character: the figures are to be read against it. */
function lookAtAll(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at++) sum += LOOKED_UP[text.charCodeAt(at)] ?? 0;
  return sum;
}

/** The sum over slices of the fastest of some rounds: what else the machine does falls out of it. */
function fastest(texts: readonly string[], work: (text: string) => unknown): number {
  const best: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (let from = 0; from < texts.length; from += SLICE) {
      const slice = texts.slice(from, from + SLICE);
      const start = performance.now();
      for (const text of slice) work(text);
      const took = performance.now() - start;
      best[from / SLICE] = Math.min(best[from / SLICE] ?? took, took);
    }
  }
  return best.reduce((sum, took) => sum + took, 0);
}

function readTexts(folder: string): readonly string[] {
  const texts: string[] = [];
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".jsonl"),
  );
  if (files.length === 0) throw new Error(`Cannot measure ${folder}: it holds no .jsonl file`);
  for (const file of files) {
    for (const line of readFileSync(join(folder, file), "utf8").split("\n")) {
      try {
        collect(JSON.parse(line), texts);
      } catch {
        texts.push(line);
      }
    }
  }
  return texts;
}

function collect(value: unknown, texts: string[]): void {
  if (typeof value === "string") texts.push(value);
  else if (Array.isArray(value)) for (const item of value) collect(item, texts);
  else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      if (typeof item !== "string" || !NO_TEXT.has(key)) collect(item, texts);
    }
  }
}

function measureHostile(): void {
  const random = createSeededRandom(7);
  const base64Lines = Array.from({ length: 200 }, () => random.chars(64, alphabets.base64)).join("\n");
  const dashes = "-".repeat(5);
  const units: Readonly<Record<string, string>> = {
    "password=": "password=",
    "password='": "password='",
    "one run": "abcdefghijklmnopqrstuvwxyz0123456789",
    "random run": random.chars(1_000, alphabets.base62),
    ghp_: "ghp_",
    "sk-": "-sk-ant-",
    "eyJ.": "eyJhbGciOiJIUzI1NiJ9.",
    "eyJ-": "eyJ-",
    "://": "://",
    "://a:b@": "://a:b@",
    "://a:": "://aaaaaaaaaa:",
    "key header": `${dashes}BEGIN RSA PRIVATE KEY${dashes}`,
    "key header and lines": `${dashes}BEGIN RSA PRIVATE KEY${dashes}\n${base64Lines}\n`,
    "key footer": `${base64Lines}\n${dashes}END RSA PRIVATE KEY${dashes}\n`,
    dashes: "-",
    "--password ": "--password ",
    " -p": " -p",
    "mysql -p": "mysql -p ",
    "Cookie: ": "Cookie: a=b; ",
    "one cookie": "Cookie:",
    "kubernetes secret": "kind: Secret\n",
    "percent escapes": "%22 ",
    "user and password": "a:B1b2c3d4 ",
    "list of keys": "keys: [",
    Authorization: "Authorization: Bearer ",
    "Bearer dots": `Authorization: Bearer ${".".repeat(4_000)}x `,
    "token dashes": `token 11${"-".repeat(5_000)}x `,
    "name value": "name: password value: ",
    "the key is": "the api key is ",
    "spaces and =": `${" ".repeat(100)}=`,
    "=": "=",
    ":": ":",
    '"': '"',
    "\\": "\\",
    "password: |": "password: |\n",
    "password:\n": "password:\n",
    "value:": "name: password\n value: ",
    "key: in objects": '{"jwt":{"key":"abcdefghijklmnop',
    kty: '{"kty":',
    "kty in one object": `{${'"kty":"EC",'.repeat(500)}`,
    "a table": "user,password\na,b1\n",
    "one table": `user,password\n${"ann,abc12345\n".repeat(90)}`,
    "ruled tables": "| password |\n|---|\n",
    VALUES: "(password) VALUES ('a1b2c3d4'),",
    COPY: "COPY a (password) FROM stdin;\n",
    "backup codes": "backup codes\n",
    "codes and prose": `backup codes ${"word ".repeat(40)}`,
    $: "$6$a$",
    "$ cat": "$ cat token\n",
    "$ANSIBLE_VAULT;": "$ANSIBLE_VAULT;1.1;AES256\n",
    "hex lines": `$ANSIBLE_VAULT;1.1;AES256\n${"0123456789abcdef".repeat(5)}\n`,
    "as the password": "x as the password ",
    "login password": "login a password ",
    "mnemonic:": `mnemonic: ${"able ".repeat(10)}`,
    "://rpc": "https://rpc.mainnet.example/",
    "://…/": "https://a/b/c/d/e/f/",
    "-p continued": "mysql \\\n -p ",
    "uth(": 'uth("a", "b',
    "login(": 'login("aaaaaaaa", ',
    "net use": "net use ",
    "Client(": "Client('https://a', ",
    "PlainAuth(": 'PlainAuth("a", "b", ',
    "bind(": 'bind("cn=a,',
    "@tcp(": "a:b@tcp(",
    "API(": '= API("',
    "-auth ": "-auth ann:",
    JQQJ9: "aJQQJ9",
    "recovery phrase": "recovery phrase ",
    "recovery phrase:": `recovery phrase: ${"able ".repeat(10)}`,
    random_password: 'random_password"',
    ".type(": "password').type('",
    ":5432:": "a:5432:b:c:",
    "a:": "a:5",
    masks: "token=[masked: token] ",
    secrets: "API_KEY=f3b1c9d27e5a4086b1d2c3f4a5968778 ",
  };
  print("hostile text          1 MB      2 MB   ratio");
  for (const [name, unit] of Object.entries(units)) {
    const [one, two] = [1e6, 2e6].map((size) => fastestOf(unit.repeat(Math.ceil(size / unit.length))));
    if (one === undefined || two === undefined) continue;
    print(
      `${name.padEnd(20)}${`${one.toFixed(1)} ms`.padStart(8)}  ${`${two.toFixed(1)} ms`.padStart(8)}   ${(two / one).toFixed(1)}`,
    );
  }
}

function fastestOf(text: string): number {
  // A repeated text is a rope; masking would pay for making it flat.
  const flat = Buffer.from(text).toString();
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    redact(flat);
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
