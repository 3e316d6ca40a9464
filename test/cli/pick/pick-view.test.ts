import { describe, expect, test } from "vitest";
import { createStyle } from "../../../src/cli/output/style.ts";
import { displayWidth } from "../../../src/cli/output/text-width.ts";
import { createScreenWriter } from "../../../src/cli/pick/draw-screen.ts";
import { keyName, keyTable } from "../../../src/cli/pick/pick-keys.ts";
import type { PickRow, PickState } from "../../../src/cli/pick/pick-state.ts";
import { update } from "../../../src/cli/pick/pick-state.ts";
import { render } from "../../../src/cli/pick/pick-view.ts";
import fc from "../../support/fc.ts";
import { makeRow, makeState, onMachine, withRows } from "./pick-rows.ts";

const clock = { now: () => 100_000, offsetMinutesAt: () => 0 };
const draw = (state: PickState, hasColor = false) =>
  render(state, { style: createStyle(hasColor), clock, home: "/home/ana" });

/** The lines as a terminal shows them: each piece in its column. */
function linesOf(state: PickState): readonly string[] {
  return draw(state).lines.map((pieces) => {
    let line = "";
    for (const { column, text } of pieces)
      line += " ".repeat(Math.max(0, column - displayWidth(line))) + text;
    return line.trimEnd();
  });
}

const found: PickRow = {
  ...makeRow("87f01b2f", "Refresh the token"),
  matchingTurns: 4,
  snippets: [
    {
      turn: 3,
      role: "reply",
      at: 40_000,
      context: "compacted",
      text: "the token is stale",
      highlights: [[4, 9]],
    },
    { turn: 2, role: "request", at: null, context: "subagent", text: "fix the token", highlights: [[8, 13]] },
  ],
};

describe("render()", () => {
  test("shows the list beside the preview, with matches marked and their context", () => {
    const state = withRows(makeState({ query: "token" }), [found, makeRow("other")]);
    expect(linesOf(state)).toMatchInlineSnapshot(`
      [
        "> token",
        "2 sessions · in shop",
        "▌1 min ago Refresh the token                  │ Refresh the token",
        " 1 min ago Session other                      │ claude · ~/shop · main",
        "                                              │ 1 min ago · 3 turns",
        "                                              │",
        "                                              │ turn 3 · reply · compacted · 1 min ago",
        "                                              │ the token is stale",
        "                                              │",
        "                                              │ turn 2 · request · subagent",
        "                                              │ fix the token",
        "                                              │ … 2 more lines: ^F",
        "",
        "Enter resume  Tab project/all  ^L browser  ^Y copy command  ^T copy id  ^X export  F1 keys",
      ]
    `);
    const painted = draw(state, true)
      .lines.flat()
      .map(({ text }) => text);
    expect(painted).toContain("the \x1b[1;33mtoken\x1b[22;39m is stale");
    expect(painted.some((text) => text.startsWith("\x1b[7m▌"))).toBe(true);
  });

  test("shows the list alone on a narrow terminal, and the preview on a key", () => {
    const state = withRows(makeState({ query: "token", size: { columns: 50, rows: 14 } }), [found]);
    expect(linesOf(state).join("\n")).not.toContain("stale");
    expect(linesOf(state).at(-1)).toContain("^O preview");
    const previewing = update(state, { kind: "key", key: { kind: "named", name: "ctrl-o" } }).state;
    expect(linesOf(previewing).join("\n")).toContain("the token is stale");
  });

  test("has every key of the table in its help, and only those that fit in the last line", () => {
    const tall = { ...makeState({ size: { columns: 80, rows: 60 } }), isHelping: true };
    const help = linesOf(tall).join("\n");
    for (const { keys, label } of keyTable) {
      expect(help).toContain(label);
      for (const key of keys) expect(help).toContain(keyName(key));
    }
    const last = linesOf(withRows(makeState({ size: { columns: 30, rows: 14 } }), [found])).at(-1);
    expect(last).toMatch(/^Enter resume.*F1 keys$/);
  });

  test("shows the key that restores only for a session whose log is gone", () => {
    const last = (row: PickRow) => linesOf(withRows(makeState(), [row])).at(-1);
    expect(last(found)).not.toContain("^R");
    expect(last(makeRow("a", "A", "kept"))).toContain("^R restore ◇");
    expect(last(onMachine(makeRow("a", "A", "kept"), "vm"))).toContain("^R bring here");
  });

  test("names the machine of a session that was pulled from another one, as `list` does", () => {
    const row = onMachine(makeRow("a", "Cart", "kept"), "vm");
    const everywhere = linesOf(withRows(makeState({ scope: "everywhere" }), [row])).join("\n");
    expect(everywhere).toContain("1 min ago vm:shop Cart");
    expect(everywhere).toContain("on vm: ^R brings it here");
    expect(everywhere).not.toMatch(/◇|log is gone/);
    const here = linesOf(withRows(makeState(), [row])).join("\n");
    expect(here).toContain("1 min ago vm: Cart");
  });

  test("gives dates and projects the columns that the visible ones need, and titles the rest", () => {
    const worktree = makeRow("w", "In a worktree");
    const digest = {
      ...worktree.row.digest,
      repository: "/home/ana/oh-my-posh",
      worktree: "heuristic-robinson",
    };
    const rows = [{ ...worktree, row: { ...worktree.row, digest } }, makeRow("gone", "Gone", "kept")];
    const state = withRows(makeState({ scope: "everywhere", size: { columns: 120, rows: 10 } }), rows);
    expect(
      linesOf(state)
        .slice(2, 4)
        .map((line) => line.replace(/ *│.*/, "")),
    ).toEqual(["▌1 min ago oh-…/heur… In a worktree", " 1 min ago shop       ◇ Gone"]);
    const other = { ...digest, worktree: null, endedAt: Date.UTC(1969, 5, 18) };
    const older = [{ ...worktree, row: { ...worktree.row, digest: other } }];
    const [first] = linesOf(withRows(makeState({ scope: "everywhere" }), older)).slice(2);
    expect(first).toMatch(/^▌Jun 1969 shop In a worktree/);
    expect(linesOf({ ...state, isHelping: true, size: { columns: 80, rows: 60 } }).join("\n")).toMatch(
      /◇ +its log is gone/,
    );
  });

  test("has a short preview below the list on a narrow terminal of at least 20 lines", () => {
    const heights = [19, 20, 22, 24, 50].map((rows) => {
      const size = { columns: 80, rows };
      const lines = linesOf(withRows(makeState({ query: "token", size }), [found, makeRow("other")]));
      expect(lines).toHaveLength(rows);
      const bar = lines.findIndex((line) => line.startsWith("──"));
      return bar < 0 ? 0 : rows - bar - 3;
    });
    expect(heights).toEqual([0, 6, 7, 8, 8]);
    const short = withRows(makeState({ query: "token", size: { columns: 80, rows: 20 } }), [found]);
    expect(linesOf(short).slice(11, 18)).toMatchInlineSnapshot(`
      [
        "────────────────────────────────────────────────────────────────────────────────",
        "claude · ~/shop · main · 1 min ago · 3 turns",
        "turn 3 · reply · compacted · 1 min ago",
        "the token is stale",
        "",
        "turn 2 · request · subagent",
        "… 3 more lines: ^F",
      ]
    `);
  });

  test("says what restoring would do before it is done", () => {
    const lines = ["~/.claude/a.jsonl", "its project /Users/ana/shop is not on this machine"];
    const state = withRows(makeState(), [makeRow("gone", "Gone", "kept")]);
    const asked = update(state, { kind: "planned", key: "claude:gone", lines }).state;
    const shown = linesOf(asked);
    expect(shown.slice(2, 5)).toEqual(["Gone", ...lines]);
    expect(shown.at(-2)).toBe("Put its log there? y: yes. Any other key: no");
  });

  test("says that it shows the example history, where it searches, and that nothing was found", () => {
    expect(linesOf(makeState({ isDemo: true, scope: "everywhere" }))[1]).toMatch(/example history/);
    const nothing = linesOf(withRows(makeState({ query: "zzz" }), []));
    expect(nothing[1]).toBe("no sessions · in shop");
    expect(nothing.slice(2, 4).map((line) => line.replace(/ *│$/, ""))).toEqual([
      "No session matches.",
      "Tab searches everywhere",
    ]);
  });

  test("keeps the cursor visible in a query that is longer than the line", () => {
    const { lines, cursor } = draw(
      makeState({ query: "日本語 ".repeat(30), size: { columns: 40, rows: 10 } }),
    );
    expect(cursor.row).toBe(0);
    expect(cursor.column).toBeLessThan(40);
    expect(displayWidth(lines[0]?.[0]?.text ?? "")).toBeLessThanOrEqual(40);
  });

  test("never draws more than the terminal has, nor what a terminal would obey", () => {
    const hostile = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "\x1b]0;title\x07",
        "\x1b[2J",
        "a\r\nb",
        "日本語のタイトル".repeat(9),
        "👩‍👩‍👧".repeat(30),
        "\u202eabc",
      ),
    );
    fc.assert(
      fc.property(
        hostile,
        hostile,
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 1, max: 60 }),
        fc.boolean(),
        fc.boolean(),
        (title, text, columns, rows, isPreviewing, isHelping) => {
          const snippets = [{ ...found.snippets[0], text, highlights: [] }] as unknown as PickRow["snippets"];
          const row = { ...makeRow("x", title), snippets };
          const size = { columns, rows };
          const state = { ...withRows(makeState({ query: text, size }), [row]), isPreviewing, isHelping };
          const { lines, cursor } = draw(state);
          expect(lines.length).toBeLessThanOrEqual(rows);
          expect(cursor.column).toBeLessThan(columns);
          const obeyed = /[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;
          const isWrong = (piece: { column: number; text: string }): boolean =>
            obeyed.test(piece.text) || (columns >= 20 && piece.column + displayWidth(piece.text) > columns);
          expect(lines.flat().filter(isWrong)).toEqual([]);
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe("createScreenWriter()", () => {
  test("draws only lines that changed, and everything after a change of size", () => {
    const written: string[] = [];
    const writer = createScreenWriter({ write: (text) => void written.push(text) });
    const first = withRows(makeState(), [makeRow("a"), makeRow("b")]);
    writer.draw(draw(first));
    expect(written[0]).toContain("Session b");
    const typed = update(first, { kind: "key", key: { kind: "text", text: "x" } }).state;
    writer.draw(draw(typed));
    expect(written[1]).toContain("> x");
    expect(written[1]).not.toContain("Session b");
    writer.clear();
    writer.draw(draw(typed));
    expect(written[2]).toContain("Session b");
  });

  test("lets no sequence of a text through", () => {
    const written: string[] = [];
    const writer = createScreenWriter({ write: (text) => void written.push(text) });
    writer.draw({
      lines: [[{ column: 0, text: "a\x1b]52;c;eA==\x07b\x1b[2Jc" }]],
      cursor: { row: 0, column: 0 },
    });
    expect(written[0]).not.toContain("]52");
    expect(written[0]?.match(/\x1b\[2J/g)).toHaveLength(1);
  });
});
