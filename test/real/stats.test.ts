import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { claudeProjects, isRow, type Row, rowsOf } from "./support/claude-files.ts";
import { realHome, temporaryFolder } from "./support/real-home.ts";
import { askSessions } from "./support/run-sessions.ts";

const TOKENS = {
  inputTokens: "input_tokens",
  outputTokens: "output_tokens",
  cacheReadTokens: "cache_read_input_tokens",
  cacheWriteTokens: "cache_creation_input_tokens",
} as const;

/** Every message of every log once, by its id, with its last usage; every call once, with its first result. */
function recount(projects: string) {
  const { sessions, orphans } = claudeProjects(projects);
  const messages = new Map<string, { model: string | null; usage: Row; file: string }>();
  const calls = new Set<string>();
  const results = new Map<string, boolean>();
  for (const file of [...sessions.flatMap(({ main, agents }) => [main, ...agents]), ...orphans])
    for (const row of rowsOf(file)) {
      const { message } = row;
      if (!isRow(message)) continue;
      const blocks = Array.isArray(message.content) ? message.content.filter(isRow) : [];
      if (row.type === "assistant") {
        const id = String(message.id ?? row.uuid);
        const known = messages.get(id);
        // In another file it is a copy.
        if (isRow(message.usage) && (known === undefined || known.file === file))
          messages.set(id, { model: modelIn(message), usage: message.usage, file });
        for (const { type, id: call } of blocks)
          if (type === "tool_use" || type === "server_tool_use") calls.add(String(call));
      } else if (row.type === "user")
        for (const { type, tool_use_id: call, is_error: isError } of blocks)
          if (type === "tool_result" && !results.has(String(call)))
            results.set(String(call), isError === true);
    }
  return {
    messages: [...messages.values()],
    calls,
    failures: [...results].filter(([id, is]) => is && calls.has(id)),
  };
}

function modelIn({ model }: Row): string | null {
  return typeof model === "string" && model !== "<synthetic>" ? model : null;
}

const sum = (rows: readonly Row[], key: string): number =>
  rows.reduce((total, row) => total + (typeof row[key] === "number" ? row[key] : 0), 0);

describe("statistics of every Claude Code session of the real logs", () => {
  const store = temporaryFolder();
  let answer: Row = {};
  let counted: ReturnType<typeof recount>;

  beforeAll(async () => {
    const home = realHome();
    answer = await askSessions({ home, store: store.path }, ["stats", "--agent", "claude"]);
    counted = recount(join(home, ".claude", "projects"));
  });

  afterAll(() => store.remove());

  test("are those of a recount", () => {
    const usages = counted.messages.map(({ usage }) => usage);
    expect(usages.length).toBeGreaterThan(15_000);
    expect(answer.total).toMatchObject({
      toolCalls: counted.calls.size,
      failures: counted.failures.length,
      ...Object.fromEntries(Object.entries(TOKENS).map(([ours, theirs]) => [ours, sum(usages, theirs)])),
    });
  });

  test("are those of a recount for each model", () => {
    const models = Array.isArray(answer.models) ? answer.models.filter(isRow) : [];
    const ours = new Map(models.map(({ model, outputTokens }) => [model, outputTokens]));
    const names = new Set(counted.messages.flatMap(({ model }) => model ?? []));
    expect(names.size).toBeGreaterThan(5);
    for (const name of names) {
      const usages = counted.messages.filter(({ model }) => model === name).map(({ usage }) => usage);
      expect(ours.get(name) ?? 0, name).toBe(sum(usages, "output_tokens"));
    }
  });
});
