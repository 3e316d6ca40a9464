import { Buffer } from "node:buffer";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { outputsSince } from "../../src/operations/outputs-since.ts";
import { createMemoryDisk } from "../../src/store/memory-disk.ts";

const START = Date.UTC(2026, 0, 2);
const at = (second: number): string => new Date(START + second * 1000).toISOString();

const user = (second: number, content: unknown): object => ({
  type: "user",
  uuid: `u${second}`,
  timestamp: at(second),
  message: { role: "user", content },
});
const result = (second: number, id: string, content: string): object =>
  user(second, [{ type: "tool_result", tool_use_id: id, content }]);
const call = (second: number, id: string, name: string, input: object): object => ({
  type: "assistant",
  uuid: `a${second}`,
  timestamp: at(second),
  message: { id: `m${second}`, role: "assistant", content: [{ type: "tool_use", id, name, input }] },
});

const outputs = (lines: readonly (object | string)[], second = 0): readonly string[] =>
  outputsOf(
    lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""),
    START + second * 1000,
  );

function outputsOf(log: string, since: number, maxBytes = 512 * 1024): readonly string[] {
  const disk = createMemoryDisk(() => 0);
  const path = "/log.jsonl";
  const handle = disk.open(path, "create");
  disk.write(handle, Buffer.from(log));
  disk.close(handle);
  return [...outputsSince(disk, { agent: "claude", path, since, maxBytes })];
}

describe("outputsSince()", () => {
  const run = (second: number, id: string, command: string): object => call(second, id, "Bash", { command });

  test("has the output of calls from the moment on, until the next request", () => {
    const lines = [
      user(0, "Look."),
      run(1, "c1", "ls"),
      result(2, "c1", "one"),
      { type: "progress", uuid: "p", timestamp: at(2), data: { output: "nobody's" } },
      run(3, "c2", "ls"),
      result(4, "c2", "two"),
      user(5, "Again."),
      result(6, "c3", "three"),
    ];
    expect(outputs(lines)).toEqual(["one", "two"]);
    expect(outputs(lines, 3)).toEqual(["two"]);
    expect(outputs(lines, 5)).toEqual(["three"]);
  });

  test.each<[string, object]>([
    ["a command", run(1, "c1", "sessions search berth")],
    ["the server", call(1, "c1", "mcp__sessions__search", { query: "berth" })],
    ["the skill", call(1, "c1", "Read", { file_path: "/skills/session-finder/SKILL.md" })],
  ])("leaves out what this program itself said, asked by %s", (_, own) => {
    const lines = [user(0, "Look."), own, result(2, "c1", "ours"), result(3, "c2", "theirs")];
    expect(outputs(lines)).toEqual(["theirs"]);
    const slashed = JSON.stringify(own).replaceAll("/", "\\/");
    expect(outputs([user(0, "Look."), slashed, ...lines.slice(2)])).toEqual(["theirs"]);
    const escaped = JSON.stringify(own).replaceAll("session", "\\u0073ession");
    expect(outputs([user(0, "Look."), escaped, ...lines.slice(2)])).toEqual(["theirs"]);
  });

  test("ends with a prompt that was handed over in the middle of a turn", () => {
    const attachment = { type: "queued_command", prompt: "And the other one?" };
    const handed = { type: "attachment", uuid: "q", timestamp: at(2), attachment };
    expect(outputs([result(1, "c1", "one"), handed, result(3, "c2", "two")])).toEqual(["one"]);
  });

  test("has what commands of the agent's program said", () => {
    const content = "<local-command-stdout>seven berths</local-command-stdout>";
    const said = { type: "system", subtype: "local_command", uuid: "s", timestamp: at(1), content };
    expect(outputs([said, user(2, content)])).toEqual(["seven berths", "seven berths"]);
  });

  test("sees a line whose type is escaped, and one behind another on the same line", () => {
    const escaped = JSON.stringify(result(1, "c1", "one")).replaceAll('"user"', '"\\u0075ser"');
    const glued = JSON.stringify(run(2, "c2", "ls")) + JSON.stringify(result(3, "c2", "two"));
    expect(outputs([escaped, glued])).toEqual(["one", "two"]);
  });

  test.each([1_000, 100_000, 131_072, 300_000, 1_000_000])("reads on over lines of %s bytes", (length) => {
    const long = (second: number): object => result(second, `c${second}`, `${second} ${"x".repeat(length)}`);
    const lines = [
      long(0),
      { type: "progress", data: "y".repeat(length) },
      result(1, "c1", "short"),
      long(2),
    ];
    const wanted = [/^0 x+$/, /^short$/, /^2 x+$/].map((each) => expect.stringMatching(each));
    const log = lines.map((line) => JSON.stringify(line)).join("\n");
    expect(outputsOf(log, START, 10_000_000)).toEqual(wanted);
    expect(outputsOf(`${log}\n`, START, 10_000_000)).toEqual(wanted);
    expect(outputsOf(log, START + 1_000)).toEqual(wanted.slice(1));
  });

  test("ends with the line that fills the window, whatever is in it", () => {
    const lines = [
      result(0, "c0", "zero"),
      call(1, "c1", "Read", {}),
      result(2, "c1", "one"),
      result(3, "c2", "two"),
    ];
    const log = lines.map((line) => `${JSON.stringify(line)}\n`);
    const behind = (count: number): number => log.slice(0, count).join("").length;
    expect(outputsOf(log.join(""), START, 1)).toEqual(["zero"]);
    expect(outputsOf(log.join(""), START, behind(2))).toEqual(["zero"]);
    expect(outputsOf(log.join(""), START, behind(2) + 1)).toEqual(["zero", "one"]);
    expect(outputsOf(log.join(""), START + 1_000, behind(3) - behind(1))).toEqual(["one"]);
  });

  const fixtures = fileURLToPath(new URL("../../fixtures/claude/ok", import.meta.url));
  const logs = readdirSync(fixtures).filter((name) => name.endsWith(".jsonl"));

  test("is the same as where every line is parsed, at every moment of every fixture", () => {
    let count = 0;
    for (const name of logs) {
      const log = readFileSync(join(fixtures, name), "utf8");
      // An escaped letter in a key that nobody knows: it may be anything.
      const parsed = log.replaceAll(/\}\s*$/gm, ',"other":"\\u0061"}');
      const moments = [...log.matchAll(/"timestamp":"([^"]+)"/g)].map(([, time]) => Date.parse(time ?? ""));
      for (const since of new Set(moments)) {
        const found = outputsOf(log, since);
        expect(found).toEqual(outputsOf(parsed, since));
        count += found.length;
      }
    }
    expect(count).toBeGreaterThan(100);
  });
});
