import { expect, test } from "vitest";
import { codex } from "../../../src/agents/codex/codex.ts";
import { parseBytes } from "../../support/parse-logs.ts";

const at = "2026-01-02T03:04:05.678Z";
const said = (role: string, text: string): object => ({
  timestamp: at,
  type: "response_item",
  payload: { type: "message", role, content: [{ type: `${role === "user" ? "in" : "out"}put_text`, text }] },
});
const compacted = {
  timestamp: at,
  type: "compacted",
  payload: { message: "so far", replacement_history: [said("user", "earlier"), { type: "x", of: {} }] },
};

test("a line right after a compaction without a LF is read as if it had a line of its own", () => {
  const lines = [said("user", "begin"), compacted, said("assistant", "what came then")].map((line) =>
    JSON.stringify(line),
  );
  const texts = (log: string): string => {
    const { entries } = parseBytes(codex, log);
    return JSON.stringify(entries.map((entry) => ({ ...entry, line: 0 })));
  };
  const glued = texts(`${lines[0]}\n${lines[1]}${lines[2]}\n`);
  expect(glued).toContain("what came then");
  expect(glued).toBe(texts(`${lines.join("\n")}\n`));
});
