import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { redact } from "../../src/redact/redact.ts";
import { freshSets, loadFreshSet } from "../support/fresh-samples.ts";
import { makeWorld, type TestWorld } from "../support/make-world.ts";

/*
 * Every secret of the fresh texts as the input of a tool, as an object and as a list of arguments: what is masked if the input is
 * read as a whole must not be printed by any command, also not by those that read its strings one by one.
 */

const ID = "0b8ec0de-0000-4000-8000-000000000001";
const CODEX_ID = "0b8ec0de-0000-4000-8000-000000000002";

interface Sample {
  readonly text: string;
  readonly secrets: readonly string[];
}

const fresh: readonly Sample[] = freshSets.flatMap((name) => loadFreshSet(name).secrets);
/** Put together here, so that no scanner takes this file for a leak. */
const word = (...parts: readonly string[]): string => parts.join("");
const byHand: readonly (readonly [input: object, secret: string])[] = [
  [{ user: "bob", password: word("Kr4ken", "-sea") }, word("Kr4ken", "-sea")],
  [{ smtp: { pass: word("Blu3b", "3rry99") } }, word("Blu3b", "3rry99")],
  [{ variables: [{ name: "DB_PASSWORD", value: word("Z3bra", "-Cross") }] }, word("Z3bra", "-Cross")],
  [{ command: ["mysql", "-u", "root", word("-p", "p0lar", "Bear7")] }, word("p0lar", "Bear7")],
  [{ args: ["redis-cli", "-a", word("p1nk", "Panda8")] }, word("p1nk", "Panda8")],
  [{ args: ["tool", "--password", word("gr4y", "Goose9")] }, word("gr4y", "Goose9")],
  [{ command: ["curl", "-u", word("bob:", "Cr3mson", "99z")] }, word("Cr3mson", "99z")],
  [{ env: { DB_PASSWORD: word("m4roon", "Moose3") } }, word("m4roon", "Moose3")],
];

/** The forms in which a text may be the input of a tool. */
function inputsOf(text: string): readonly object[] {
  const json = parse(text);
  const settings = [...text.matchAll(/^(?:export )?([\w.-]{2,40})\s*[:=]\s*["']?(.{4,200}?)["']?$/gm)];
  return [
    ...(typeof json === "object" && json !== null ? [json] : []),
    ...settings.map(([, name = "", value = ""]) => ({ env: { [name]: value } })),
    ...settings.map(([, name = "", value = ""]) => ({ variables: [{ name, value }] })),
    ...(text.includes("\n") ? [{ command: ["bash", "-lc", text] }] : [{ command: argumentsOf(text) }]),
  ];
}

/** A command of one line as a shell would part it: quotes are not in the arguments, also inside of one. */
function argumentsOf(line: string): readonly string[] {
  const parts = line.match(/(?:"[^"]*"|'[^']*'|[^\s"']|["'])+/g) ?? [];
  return parts.map((part) => part.replace(/"([^"]*)"|'([^']*)'/g, "$1$2"));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const samples = fresh.flatMap(({ text, secrets }) => inputsOf(text).map((input) => ({ input, secrets })));
const inputs = [...samples, ...byHand.map(([input, secret]) => ({ input, secrets: [secret] }))];
/** Other commands show a list of arguments as a line. */
const lines = inputs.map(({ input }) =>
  "command" in input && Array.isArray(input.command) ? input.command.join(" ") : "",
);
const visible = [...inputs.map(({ input }) => JSON.stringify(input)), ...lines].map(redact).join("\n");
/** A secret that is left in any of the inputs, or in another form of it, cannot be told from a leak. */
const masked = new Set(
  inputs
    .flatMap(({ secrets }) => secrets)
    .filter((secret) => secret.length >= 6 && !/["\\\n]/.test(secret) && !visible.includes(secret)),
);

const at = (number: number): string => new Date(Date.UTC(2026, 10, 16, 8) + number * 1_000).toISOString();

function claudeLog(): readonly object[] {
  return inputs
    .filter((_, at) => at % 2 === 0 || at >= samples.length)
    .map(({ input }, number) => ({
      type: "assistant",
      uuid: `u${number}`,
      parentUuid: number === 0 ? null : `u${number - 1}`,
      sessionId: ID,
      cwd: "/home/ana/shop",
      timestamp: at(number),
      message: {
        id: `m${number}`,
        role: "assistant",
        content: [{ type: "tool_use", id: `toolu_${number}`, name: "Run", input }],
      },
    }));
}

function codexLog(): readonly object[] {
  const facts = { id: CODEX_ID, timestamp: at(0), cwd: "/home/ana/shop", originator: "codex_cli_rs" };
  const calls = inputs
    .filter((_, at) => at % 2 === 1 || at >= samples.length)
    .map(({ input }, number) => ({
      timestamp: at(number + 1),
      type: "response_item",
      payload: {
        type: "function_call",
        name: "shell",
        call_id: `call_${number}`,
        arguments: JSON.stringify(input),
      },
    }));
  return [{ timestamp: at(0), type: "session_meta", payload: facts }, ...calls];
}

function home(): TestWorld {
  const world = makeWorld({ nowMs: Date.UTC(2026, 10, 17, 12) });
  for (const [path, lines] of [
    [`.claude/projects/-home-ana-shop/${ID}.jsonl`, claudeLog()],
    [`.codex/sessions/2026/11/16/rollout-2026-11-16T08-00-00-${CODEX_ID}.jsonl`, codexLog()],
  ] as const) {
    const log = join(world.home, path);
    mkdirSync(dirname(log), { recursive: true });
    writeFileSync(log, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  }
  return world;
}

test("no command prints a secret of a tool's input that its environment give away", {
  timeout: 240_000,
}, async () => {
  expect(masked.size).toBeGreaterThan(300);
  for (const [, secret] of byHand) expect(masked).toContain(secret);
  const leaks: string[] = [];
  const world = home();
  for (const args of [
    ["grep", "."],
    ["grep", ".", "--json"],
    ["grep", ".", "--all-lines"],
    ["show", ID],
    ["show", CODEX_ID, "--json"],
    ["export", ID],
    ["export", CODEX_ID, "--format", "html"],
    ["search", "mysql"],
    ["search", "password", "--json"],
  ]) {
    const before = world.out().length;
    const code = await run(args, world);
    expect(code, `${args.join(" ")}: ${world.err()}`).toBe(0);
    const printed = world.out().slice(before);
    for (const secret of masked) {
      const from = printed.indexOf(secret);
      if (from !== -1) leaks.push(`${args.join(" ")}: ${printed.slice(Math.max(0, from - 80), from + 40)}`);
    }
  }
  expect(leaks).toEqual([]);
});
