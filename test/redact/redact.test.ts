import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { tokenKinds } from "../../src/redact/find-tokens.ts";
import { createRedactor, redact } from "../../src/redact/redact.ts";
import { keyBlockShapes } from "../support/key-block-shapes.ts";
import { keyShapes } from "../support/key-shapes.ts";
import { loadSampleSet } from "../support/secret-samples.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { makeText } from "../support/text-shapes.ts";

const random = createSeededRandom(4);
const text = (shape: string): string => makeText(shape, random);
const key = (shape: string): string => {
  const made = (keyShapes[shape] ?? keyBlockShapes[shape])?.make(random);
  if (made === undefined) throw new Error(`Cannot make a key of the shape "${shape}"`);
  return made;
};

const labelledKinds = (): readonly string[] =>
  loadSampleSet("dev").withSecrets.flatMap((sample) => sample.secrets.map((secret) => secret.kind));

describe("redact() keeps what is around a secret", () => {
  it.each([
    ["the name of a variable", () => `API_KEY=${text("base62-32")}`, "API_KEY=[masked: api-key]"],
    ["the quotes of JSON", () => `{"password":"${text("strong")}"}`, '{"password":"[masked: password]"}'],
    ["escaped quotes", () => `{\\"token\\":\\"${text("hex-40")}\\"}`, '{\\"token\\":\\"[masked: token]\\"}'],
    [
      "user and host of a URL",
      () => "postgres://user:Winter2024!@host/db",
      "postgres://user:[masked]@host/db",
    ],
    ["other parameters", () => `?api_key=${text("hex-32")}&q=1`, "?api_key=[masked: api-key]&q=1"],
    [
      "the scheme of a header",
      () => `Authorization: Bearer ${text("base62-40")}`,
      "Authorization: Bearer [masked: authorization]",
    ],
    [
      "other cookies",
      () => `Cookie: theme=dark; sid=${text("base62-32")}`,
      "Cookie: theme=dark; sid=[masked: cookie]",
    ],
    [
      "the flag",
      () => "login --password Winter2024! --role x",
      "login --password [masked: password] --role x",
    ],
    ["the sentence", () => "the password is Winter2024!, ok", "the password is [masked: password], ok"],
    [
      "the rest of a connection string",
      () => "Server=a;Password=Wint3r!x;Encrypt=True",
      "Server=a;Password=[masked: password];Encrypt=True",
    ],
  ])("%s", (_, given, masked) => {
    expect(redact(given())).toBe(masked);
  });
});

describe("redact() shows", () => {
  it.each([
    ["ghp", "[masked: github-token ghp_…]"],
    ["aws-access-key", "[masked: aws-access-key AKIA…]"],
    ["anthropic", "[masked: anthropic-key sk-ant-…]"],
    ["slack-bot", "[masked: slack-token xoxb-…]"],
    ["jwt", "[masked: jwt eyJ…]"],
    ["telegram", "[masked: telegram-token]"],
    ["pem-rsa", "[masked: private-key]"],
    ["pem-openssh", "[masked: ssh-private-key]"],
    ["pgp-private", "[masked: pgp-private-key]"],
  ])("of the form %s no more than %s", (shape, masked) => {
    expect(redact(`see ${key(shape)} there`)).toBe(`see ${masked} there`);
  });
});

describe("redact() masks a key", () => {
  it.each([
    ["after an escaped line end", (token: string) => `{"command":"cd x\\n${token}"}`],
    ["after a percent escape", (token: string) => `next=%2F%3D${token}`],
    ["after a terminal's colour", (token: string) => `\u001b[32m${token}\u001b[0m`],
    ["in a list of a shell", (token: string) => `(${token})`],
    ["at the end of a sentence", (token: string) => `It is ${token}.`],
    ["after an underscore", (token: string) => `old_${token}`],
  ])("%s", (_, around) => {
    const token = key("ghp");
    const masked = redact(around(token));
    expect(masked).toContain("[masked: github-token ghp_…]");
    expect(masked).not.toContain(token.slice(8));
  });

  it("in several lines, also without its end or its beginning", () => {
    for (const shape of [
      "pem-torn",
      "pem-tail",
      "pem-numbered",
      "pem-diff",
      "pem-quoted-lines",
      "pem-openssh-torn",
    ]) {
      const block = key(shape);
      const masked = redact(`first\n${block}\nlast words`);
      expect(masked, shape).toMatch(/^first\n\[masked: (?:ssh-)?private-key\]\nlast words$/);
    }
  });

  it.each<[string, (line: string, number: number) => string]>([
    ["as an agent numbers lines", (line, number) => `${String(number).padStart(6)}→${line}`],
    ["in a table of lines", (line, number) => `${String(number).padStart(3)} | ${line}`],
    ["with the name of its file", (line) => `keys/id_rsa:${line}`],
    ["with that and a number", (line, number) => `keys/id_rsa:${number}:${line}`],
    ["around what was looked for", (line) => `keys/id_rsa-${line}`],
    ["around that, numbered", (line, number) => `keys/id-rsa-${number}-${line}`],
  ])("in several lines, %s", (_, around) => {
    for (const shape of ["pem-openssh", "pem-rsa", "pem-torn"]) {
      const lines = key(shape).split("\n");
      const text = lines.map((line, index) => around(line, index + 1)).join("\n");
      const masked = redact(`first\n${text}\nlast words`);
      expect(masked, shape).toMatch(/^first\n[^\n]{0,20}\[masked: (?:ssh-)?private-key\]\nlast words$/);
    }
  });

  it("and the words that follow a torn one stay", () => {
    expect(redact(`${key("pem-torn")}\nand this is what came next`)).toBe(
      "[masked: private-key]\nand this is what came next",
    );
  });
});

describe("redact() leaves alone", () => {
  it.each([
    `AKIAIOSFODNN7${"example".toUpperCase()}`,
    "--- PASS: TestCheckpointID_Path/abc (0.00s)",
    "Trying to restore the cache with key: setup-uv-1-x86_64-unknown-linux-gnu-0.7.12-pruned",
    "readonly STENCIL_PASS_DEPTH_PASS: 0x0B96;",
    "[masked: github-token ghp_…]: [masked]",
    "",
    "a",
  ])("%j", (given) => {
    expect(redact(given)).toBe(given);
  });

  it("public keys and certificates", () => {
    const block = key("pem-pkcs8").replaceAll("PRIVATE KEY", "PUBLIC KEY");
    expect(redact(block)).toBe(block);
  });
});

describe("redact() masks a secret that is used again", () => {
  it("without a name", () => {
    expect(redact("set PW_PASSWORD=MapleOtter91!\ntool -x MapleOtter91! out")).toBe(
      "set PW_PASSWORD=[masked: password]\ntool -x [masked: password] out",
    );
  });

  it("but not an ordinary word, nor a part of a longer one", () => {
    expect(redact("DB_PASSWORD=lantern\na lantern")).toBe("DB_PASSWORD=[masked: password]\na lantern");
    expect(redact("DB_PASSWORD=Zq81mossy\nxZq81mossyx")).toBe("DB_PASSWORD=[masked: password]\nxZq81mossyx");
  });
});

describe("find()", () => {
  it("says where the secret is in the text", () => {
    const token = key("npm");
    expect(createRedactor().find(`a ${token} b`)).toMatchObject([
      { kind: "npm-token", start: 2, end: 2 + token.length },
    ]);
  });

  it("takes a key for what it is, not for the value of its variable", () => {
    expect(
      createRedactor()
        .find(`PASSWORD=${key("stripe-live")}`)
        .map((finding) => finding.kind),
    ).toEqual(["stripe-key"]);
  });
});

describe("createRedactor()", () => {
  it("masks what extra patterns match as custom", () => {
    expect(createRedactor({ extra: [/ACME-\d{4}/] }).redact("see ACME-1234.")).toBe("see [masked: custom].");
  });

  it("takes extra patterns as text, and only their first group where they have one", () => {
    expect(createRedactor({ extra: ["badge (\\d+)"] }).redact("badge 4711, badge x")).toBe(
      "badge [masked: custom], badge x",
    );
  });

  it("finds what extra patterns match at every place of a long text, whole", () => {
    const { redact: mask } = createRedactor({ extra: ["ACME-[0-9]{4,}"] });
    for (let at = 12_000; at < 17_000; at += 7) {
      const text = `${"- ".repeat(at / 2)}ACME-${"7".repeat(3_000)} ${". ".repeat(15_000)}`;
      expect(mask(text)).toBe(text.replace(/ACME-7+/, "[masked: custom]"));
    }
  });

  it("takes no place within a long text for its beginning or its end", () => {
    const text = "12 ".repeat(20_000);
    expect(createRedactor({ extra: ["^1", "2 $"] }).redact(text)).toBe(
      `[masked: custom]${text.slice(1, -2)}[masked: custom]`,
    );
  });

  it("keeps the flags of a pattern, and uses it for every match", () => {
    expect(createRedactor({ extra: [/acme\w+/iy] }).redact("ACMEone acmetwo")).toBe(
      "[masked: custom] [masked: custom]",
    );
  });

  it("takes no harm from a pattern that matches nothing at every place", () => {
    expect(createRedactor({ extra: [/x*/] }).redact("abc")).toBe("abc");
  });

  it("refuses a pattern that is none, and names it", () => {
    expect(() => createRedactor({ extra: ["("] })).toThrow('Cannot mask by the pattern "("');
  });

  it("never touches a mask that is there already", () => {
    expect(createRedactor({ extra: [/masked|token/] }).redact("token=[masked: token]")).toBe(
      "[masked: custom]=[masked: token]",
    );
  });
});

describe("the kinds of keys", () => {
  it("are named alike, and every pattern has an anchor that it begins with", () => {
    for (const kind of tokenKinds) {
      expect(kind.kind).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
      expect(kind.anchors.length, kind.kind).toBeGreaterThan(0);
      expect(kind.pattern.sticky, kind.kind).toBe(true);
    }
  });

  it("all have a sample, so that the figures speak of them", () => {
    const sampled = new Set(Object.values(keyShapes).map((shape) => shape.kind));
    expect([...new Set(tokenKinds.map((kind) => kind.kind))].filter((kind) => !sampled.has(kind))).toEqual(
      [],
    );
  });

  it("all stand in the table of docs/MASKING.md", () => {
    const page = readFileSync(new URL("../../docs/MASKING.md", import.meta.url), "utf8");
    const kinds = new Set([...tokenKinds.map((kind) => kind.kind), ...labelledKinds()]);
    expect([...kinds].filter((kind) => !page.includes(`| \`${kind}\` |`))).toEqual([]);
  });

  it("are told apart", () => {
    for (const [shape, { kind }] of Object.entries(keyShapes)) {
      expect(
        createRedactor()
          .find(key(shape))
          .map((finding) => finding.kind),
        shape,
      ).toEqual([kind]);
    }
  });
});
