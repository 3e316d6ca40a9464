import { Buffer } from "node:buffer";
import { cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { makeWorld } from "../support/make-world.ts";
import { bundle, runBundle } from "../support/run-bundle.ts";

const demoLog = fileURLToPath(
  new URL(
    "../../fixtures/demo/.claude/projects/-home-ana-shop/87f01b2f-1b5d-461b-8db4-95cd4ce864a4.jsonl",
    import.meta.url,
  ),
);
const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

describe("the bundled program", () => {
  test("has the signs beyond ASCII that its sources have: masking, letters", async () => {
    const { home } = makeWorld();
    const folder = join(home, ".claude/projects/-x");
    mkdirSync(folder, { recursive: true });
    const id = "0b8ec0de-0000-4000-8000-000000000000";
    const base64 = (seed: number): string =>
      Buffer.from(
        Array.from({ length: 48 }, (_, i) => (i * 37 + seed * 101 + ((i * i * seed) % 251)) % 256),
      ).toString("base64");
    const key = ["BEGIN", "END"].map((word) => `-----${word} OPENSSH PRIVATE KEY-----`);
    const lines = [key[0], base64(1), base64(2), base64(3), key[1]];
    const said = [`Новый κόσμος`, lines.map((line, i) => `     ${i + 1}→${line}`).join("\n")];
    const place = { sessionId: id, cwd: "/x", timestamp: "2026-11-16T08:00:00.000Z" };
    const log = said.map((content, i) =>
      JSON.stringify({
        type: "user",
        uuid: `u${i}`,
        parentUuid: i === 0 ? null : "u0",
        ...place,
        message: { role: "user", content },
      }),
    );
    writeFileSync(join(folder, `${id}.jsonl`), `${log.join("\n")}\n`);
    const masked = await runBundle(["grep", "-F", "OPENSSH", "-C9"], { home });
    const shown = await runBundle(["search", "новый", "--json"], { home });
    for (const line of lines.slice(1, 4)) expect(`${masked.out}${shown.out}`).not.toContain(line);
    expect(JSON.parse(shown.out)).toMatchObject({ match: "all", total: 1 });
    expect((await runBundle(["search", "ΚΌΣΜΟΣ", "--json"], { home })).out).toContain('"match":"all"');
    expect((await runBundle(["search", "новыи", "--json"], { home })).out).not.toContain('"match":"all"');
    expect(masked.out).toContain("[masked: ssh-private-key]");
  });

  test("can be started by its name", () => {
    expect(readFileSync(bundle, "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(statSync(bundle).mode & 0o111).not.toBe(0);
  });

  test("prints its version", async () => {
    const { home } = makeWorld();
    const { out, ...rest } = await runBundle(["--version"], { home });
    expect(rest).toEqual({ code: 0, signal: null, err: "" });
    expect(manifest).toMatchObject({ version: out.trimEnd() });
  });

  test.each([
    [["--help"], 0],
    [["help", "--json"], 0],
    [["version", "--help"], 0],
    [["help", "version"], 0],
  ])("answers %j on stdout alone, without colours in a pipe", async (args, code) => {
    const { home } = makeWorld();
    const run = await runBundle(args, { home });
    expect(run).toMatchObject({ code, err: "" });
    expect(run.out).toMatch(/^[\n\P{Control}]+$/u);
  });

  test("colours where it is forced to", async () => {
    const { home } = makeWorld();
    const { out } = await runBundle(["--help"], { home, variables: { FORCE_COLOR: "1" } });
    expect(out).toContain("\x1b[1mUsage:\x1b[22m");
  });

  test("finds the same where no WebAssembly runs", async () => {
    const { home } = makeWorld();
    cpSync(demoLog, join(home, ".claude", "projects", "-home-ana-shop", basename(demoLog)));
    const search = async (variables: Readonly<Record<string, string>>): Promise<string> => {
      const input = "refresh\nrefrsh tokne\nthe tests -nothing\n";
      const { out, code } = await runBundle(["search", "--batch"], { home, input, variables });
      expect(code).toBe(0);
      return out.replace(/"tookMs":\d+/g, "").replace(/"score":[\d.]+/g, "");
    };
    const found = await search({});
    expect(found).toMatch(/"match":"fuzzy"/);
    expect(await search({ NODE_OPTIONS: "--jitless" })).toBe(found);
  });

  test("refuses on stderr, without a stack", async () => {
    const { home } = makeWorld();
    expect(await runBundle(["version", "--nonsense"], { home })).toEqual({
      code: 2,
      signal: null,
      out: "",
      err: "sessions: Unknown flag --nonsense\nhint: run `sessions version --help`\n",
    });
  });

  test.each([[["--help"]], [["help", "--json"]], [["version", "--help"]]])(
    "takes a closed pipe for no error (%j)",
    async (args) => {
      const { home } = makeWorld();
      const run = await runBundle(args, { home, closeOutput: true });
      expect(run).toEqual({ code: 0, signal: null, out: "", err: "" });
    },
  );
});
