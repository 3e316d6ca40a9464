import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agents } from "../../src/agents/agents.ts";
import { archiveSessions } from "../../src/archive/archive-sessions.ts";
import type { Library } from "../../src/fs/library.ts";
import { selectSession } from "../../src/search/select-sessions.ts";
import type { ToolCall } from "../../src/session/session.ts";
import { type Retrieved, retrieveBlock } from "../../src/shrink/retrieve-block.ts";
import { archiving, quickLibrary } from "../support/archive/archiving.ts";
import { readFixture } from "../support/read-fixture.ts";

const fixtures = join(import.meta.dirname, "../../fixtures");

interface Log {
  readonly library: Library;
  readonly path: string;
}

function putLog(agent: string, name: string, text: string): Log {
  const library = quickLibrary();
  const folder = join(library.environment.home, "logs");
  const path = join(folder, name);
  fs.mkdirSync(folder);
  fs.writeFileSync(path, text);
  return { library: { ...library, config: { ...library.config, sources: { [agent]: [folder] } } }, path };
}

function callsIn(agent: string, path: string): readonly ToolCall[] {
  const { session } = readFixture(agent, path);
  return session.turns.flatMap(({ steps }) =>
    steps.flatMap((step) => (step.kind === "tool" ? step.call : [])),
  );
}

const textOf = ({ blocks }: Retrieved): string =>
  blocks.map(({ text }) => [...(text?.() ?? [])].join("")).join("\n");

const LONG = " and more of it".repeat(1_000);

/** The logs of an agent that have calls, each with one result made longer than what is shown of it. */
function logsWithCalls(
  agent: string,
): readonly (Log & { readonly long: ToolCall; readonly whole: string })[] {
  const folder = join(fixtures, agent, "ok");
  const names = fs
    .readdirSync(folder)
    .filter((name) => !name.includes(".expected.") && /\.jsonl?$/.test(name));
  return names.flatMap((name) => {
    const text = fs.readFileSync(join(folder, name), "utf8");
    const long = callsIn(agent, join(folder, name)).find(
      ({ result }) => /^\w[\w .]* [\w .]*$/.test(result?.text ?? "") && text.includes(`"${result?.text}"`),
    );
    if (long?.result === undefined) return [];
    const whole = long.result.text + LONG;
    return [
      {
        ...putLog(agent, name, text.replaceAll(`"${long.result.text}"`, JSON.stringify(whole))),
        long,
        whole,
      },
    ];
  });
}

describe.each(agents.map(({ name }) => name))("retrieveBlock(), %s", (agent) => {
  test("returns the whole result of every call, from the log and from the archive", async () => {
    const logs = logsWithCalls(agent);
    expect(logs.length).toBeGreaterThan(0);
    for (const log of logs) {
      const { library, path, long, whole } = log;
      const answered = callsIn(agent, path).filter(({ id, result }) => id !== "" && result !== undefined);
      const pointer = selectSession(library, [path]);
      expect(answered.find(({ id }) => id === long.id)?.result?.text.length).toBeLessThan(whole.length);
      const found = retrieveBlock(library, pointer, long.id);
      expect(found).toMatchObject({ from: "log", blocks: [{ toolUseId: long.id, tool: long.name }] });
      expect(textOf(found)).toBe(whole);
      for (const { id, result } of answered) {
        expect(textOf(retrieveBlock(library, pointer, id)).startsWith(result?.text ?? "")).toBe(true);
      }
      expect(() => retrieveBlock(library, pointer, "none")).toThrow("no result of that call");

      await archiveSessions(library, archiving);
      fs.rmSync(path);
      const kept = retrieveBlock(library, selectSession(library, [pointer.id]), long.id);
      expect(kept).toMatchObject({ from: "archive", generation: 1 });
      expect(textOf(kept)).toBe(whole);
    }
  });
});
