import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { bundle } from "../support/run-bundle.ts";

const docs = fileURLToPath(new URL("../../docs/", import.meta.url));
const demo = fileURLToPath(new URL("../../fixtures/demo/", import.meta.url));
const library = pathToFileURL(join(dirname(bundle), "index.js")).href;

/** Runs a program that imports the library, in a home with the example history. */
function runProgram(
  text: string,
  args: readonly string[],
): { code: number | null; out: string; err: string } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sessions-program-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const home = join(root, "home");
  mkdirSync(home);
  cpSync(demo, home, { recursive: true });
  const program = join(root, "program.mjs");
  writeFileSync(program, text.replace('"agent-sessions"', JSON.stringify(library)));
  const runtime = process.versions.deno === undefined ? [] : ["run", "-A", "--quiet"];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...runtime, program, ...args.map((arg) => (arg === "HOME" ? home : arg))],
    { env: { PATH: process.env.PATH, HOME: home }, encoding: "utf8" },
  );
  return { code: status, out: stdout, err: stderr };
}

describe("docs/LIBRARY.md", () => {
  const text = readFileSync(join(docs, "LIBRARY.md"), "utf8");
  const [opening = "", ...examples] = [...text.matchAll(/```js\n([\s\S]*?)```/g)].map(
    ([, code]) => code ?? "",
  );

  test("has examples", () => {
    expect(examples.length).toBeGreaterThan(5);
  });

  test.each(examples)("has an example that runs and prints: %s", (example) => {
    const { code, out, err } = runProgram(opening + example, []);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/\S/);
  });
});

test("docs/examples/keep-and-restore.mjs finds, archives, deletes and restores a session", () => {
  const program = readFileSync(join(docs, "examples", "keep-and-restore.mjs"), "utf8");
  const { code, out, err } = runProgram(program, ["HOME", "token", "refresh"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/^found {5}87f01b2f\S+ {2}Fix token refresh race/);
  expect(out).toContain("restored  restored: the same bytes\n");
});
