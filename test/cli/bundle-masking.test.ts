import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { redact } from "../../src/redact/redact.ts";
import { loadFreshSet } from "../support/fresh-samples.ts";
import { makeWorld } from "../support/make-world.ts";
import { runBundle } from "../support/run-bundle.ts";

const ID = "0b8ec0de-0000-4000-8000-00000000000b";

/** One message for each text; texts stay apart, as in a session. */
const logOf = (texts: readonly string[]): string =>
  texts
    .map((content, index) => {
      const entry = {
        type: "user",
        uuid: `u${index}`,
        parentUuid: index === 0 ? null : `u${index - 1}`,
        sessionId: ID,
        cwd: "/home/ana/shop",
        timestamp: new Date(Date.UTC(2026, 10, 16, 8, 0, index)).toISOString(),
        message: { role: "user", content },
      };
      return `${JSON.stringify(entry)}\n`;
    })
    .join("");

function textsIn(value: unknown, texts: Set<string>): Set<string> {
  if (typeof value === "string") texts.add(value);
  else if (typeof value === "object" && value !== null)
    for (const item of Object.values(value)) textsIn(item, texts);
  return texts;
}

test("the bundle masks every fresh text as the sources do", async () => {
  const { home } = makeWorld();
  const { secrets, lookAlikes } = loadFreshSet("dev");
  const samples = [...secrets, ...lookAlikes];
  const log = join(home, ".claude/projects/-home-ana-shop", `${ID}.jsonl`);
  mkdirSync(dirname(log), { recursive: true });
  writeFileSync(log, logOf(samples.map(({ text }) => text)));
  const { code, out, err } = await runBundle(["export", ID, "--format", "json"], { home });
  expect(err).toBe("");
  expect(code).toBe(0);
  const printed = textsIn(JSON.parse(out), new Set());
  const different = samples.filter(({ text }) => !printed.has(redact(text).trim()));
  expect(different.map(({ id }) => id)).toEqual([]);
});
