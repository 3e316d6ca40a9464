import { describe, expect, test } from "vitest";
import { editLine } from "../../../src/cli/pick/edit-line.ts";
import {
  needsAnswer,
  needsDigest,
  type PickEffect,
  type PickState,
  requestOf,
  update,
} from "../../../src/cli/pick/pick-state.ts";
import { makeRow, makeState, onMachine, withRows } from "./pick-rows.ts";

/** Presses keys one after the other; a name in angle brackets is a key, anything else is typed. */
function press(state: PickState, ...keys: readonly string[]): { state: PickState; effect?: PickEffect } {
  let last: { state: PickState; effect?: PickEffect } = { state };
  for (const key of keys) {
    const [, name] = /^<(.+)>$/.exec(key) ?? [];
    last = update(last.state, {
      kind: "key",
      key: name === undefined ? { kind: "text", text: key } : { kind: "named", name },
    });
  }
  return last;
}

const ten = Array.from({ length: 10 }, (_, i) => makeRow(`id-${i}`));

describe("update()", () => {
  test("types into the query, and asks for a new list only if it differs", () => {
    const shown = withRows(makeState(), ten);
    expect(needsAnswer(shown)).toBe(false);
    const typed = press(shown, "tok", "en").state;
    expect(requestOf(typed)).toMatchObject({ query: "token", scope: "project", list: "sessions" });
    expect(needsAnswer(typed)).toBe(true);
    expect(needsAnswer(press(typed, "<ctrl-u>").state)).toBe(false);
    expect(needsAnswer(press(shown, " ").state)).toBe(false);
  });

  test("moves the selection within the list, scrolls with it, and starts again with a new answer", () => {
    const few = makeState({ size: { columns: 100, rows: 8 } });
    const shown = withRows(few, ten);
    const moved = press(shown, "<down>", "<down>", "<ctrl-n>", "<down>", "<down>").state;
    expect([moved.selected, moved.top]).toEqual([5, 2]);
    expect(press(moved, "<pageup>", "<pageup>", "<pageup>").state).toMatchObject({ selected: 0, top: 0 });
    expect(press(moved, "<pagedown>", "<pagedown>").state).toMatchObject({ selected: 9, top: 6 });
    expect(withRows(press(moved, "x").state, ten)).toMatchObject({ selected: 0, top: 0 });
  });

  test("asks for more sessions when the selection comes near the end, and keeps it", () => {
    const state = makeState({ size: { columns: 100, rows: 8 } });
    const first = withRows(state, ten.slice(0, requestOf(state).limit), requestOf(state).limit);
    expect(needsAnswer(first)).toBe(false);
    const low = press(first, ...Array.from({ length: 7 }, () => "<down>")).state;
    expect(needsAnswer(low)).toBe(true);
    expect(requestOf(low).limit).toBeGreaterThan(requestOf(state).limit);
    expect(withRows(low, ten).selected).toBe(low.selected);
    expect(needsAnswer(withRows(low, ten))).toBe(false);
  });

  test("changes between the project and everywhere, if the folder has a project", () => {
    expect(press(makeState(), "<tab>").state.scope).toBe("everywhere");
    expect(press(makeState(), "<tab>", "<tab>").state.scope).toBe("project");
    const nowhere = makeState({ project: undefined, scope: "everywhere" });
    expect(press(nowhere, "<tab>").state).toMatchObject({
      scope: "everywhere",
      message: { text: "This folder has no sessions" },
    });
  });

  test.each<[string, string, Partial<PickEffect>]>([
    ["chooses with Enter", "<enter>", { kind: "choose" }],
    ["copies the resume command", "<ctrl-y>", { kind: "copy", what: "command" }],
    ["opens the page", "<ctrl-l>", { kind: "open", turn: null, query: "" }],
    ["copies the id", "<ctrl-t>", { kind: "copy", what: "id" }],
    ["leaves with Esc", "<escape>", { kind: "leave" }],
    ["leaves with Ctrl-C", "<ctrl-c>", { kind: "interrupt" }],
  ])("%s", (_, key, effect) => {
    expect(press(withRows(makeState(), ten), key).effect).toMatchObject(effect);
  });

  test("acts on the selected session", () => {
    const { effect } = press(withRows(makeState(), ten), "<down>", "<down>", "<enter>");
    expect(effect).toEqual({ kind: "choose", row: ten[2]?.row });
  });

  test("asks before it exports or restores; any other key means no", () => {
    const shown = withRows(makeState(), [makeRow("gone", "Gone", "kept")]);
    expect(press(shown, "<ctrl-x>").state.question).toBe("export");
    expect(press(shown, "<ctrl-x>", "h").effect).toMatchObject({ kind: "export", format: "html" });
    const planning = press(shown, "<ctrl-r>");
    expect(planning.effect).toMatchObject({ kind: "plan-restore" });
    expect(planning.state.question).toBeUndefined();
    const planned = { kind: "planned", key: "claude:gone", lines: ["~/a.jsonl"] } as const;
    const asked = update(planning.state, planned).state;
    expect(asked).toMatchObject({ question: "restore", plan: ["~/a.jsonl"] });
    expect(press(asked, "y").effect).toMatchObject({ kind: "restore" });
    const other = update(planning.state, { ...planned, key: "claude:other" }).state;
    expect(other.question).toBeUndefined();
    for (const no of ["n", "x", "<enter>", "<escape>"]) {
      const answered = press(asked, no);
      expect(answered.effect).toBeUndefined();
      expect(answered.state).toMatchObject({ question: undefined, line: { text: "" } });
    }
  });

  test.each([
    ["a session whose log is gone", makeRow("a", "A", "kept"), {}, "<enter>", /gone: \^R restores it/],
    [
      "a session of which only prompts are left",
      makeRow("a", "A", "stub"),
      {},
      "<enter>",
      /cannot be resumed/,
    ],
    ["the example history", makeRow("a"), { isDemo: true }, "<enter>", /example history/],
    ["the example history to a file", makeRow("a"), { isDemo: true }, "<ctrl-x>", /not exported/],
    ["a log that is there", makeRow("a"), {}, "<ctrl-r>", /not gone/],
  ])("says why it does nothing with %s", (_, row, options, key, why) => {
    const { state, effect } = press(withRows(makeState(options), [row]), key);
    expect(effect).toBeUndefined();
    expect(state.message?.text).toMatch(why);
    expect(press(state, "x").state.message).toBeUndefined();
  });

  test("lets any session be chosen if it is only printed", () => {
    const shown = withRows(makeState({ onEnter: "print", isDemo: true }), [makeRow("a", "A", "kept")]);
    expect(press(shown, "<enter>").effect).toMatchObject({ kind: "choose" });
  });

  test("says so if no session is selected", () => {
    for (const key of ["<enter>", "<ctrl-y>", "<ctrl-x>", "<ctrl-r>"]) {
      const { state, effect } = press(withRows(makeState(), []), key);
      expect([effect, state.message?.text]).toEqual([undefined, "No session is selected"]);
    }
  });

  test("lists open work until something is typed", () => {
    const open = press(withRows(makeState(), ten), "<ctrl-g>").state;
    expect(requestOf(open).list).toBe("pending");
    expect(needsAnswer(open)).toBe(true);
    expect(requestOf(press(open, "x").state).list).toBe("sessions");
    expect(requestOf(press(open, "<escape>").state).list).toBe("sessions");
  });

  test("puts the query aside while open work is listed, which nothing filters", () => {
    const typed = withRows(press(makeState(), "token").state, ten);
    const open = press(typed, "<ctrl-g>").state;
    expect(open.line.text).toBe("");
    expect(requestOf(open)).toMatchObject({ list: "pending", query: "" });
    for (const back of ["<ctrl-g>", "<escape>"])
      expect(requestOf(press(open, back).state)).toMatchObject({ list: "sessions", query: "token" });
    expect(requestOf(press(open, "x").state)).toMatchObject({ list: "sessions", query: "x" });
    expect(requestOf(press(open, "<backspace>").state)).toMatchObject({ query: "toke" });
  });

  test("says on which machine a session is that was pulled from another one", () => {
    const { state } = press(withRows(makeState(), [onMachine(makeRow("a", "A", "kept"), "vm")]), "<enter>");
    expect(state.message?.text).toBe("It is on vm: ^R brings it here");
  });

  test("closes with Esc what is open before it leaves", () => {
    const narrow = withRows(makeState({ size: { columns: 50, rows: 14 } }), ten);
    for (const key of ["<f1>", "<ctrl-o>", "<ctrl-g>"]) {
      const opened = press(narrow, key).state;
      expect(opened).not.toEqual(narrow);
      expect(press(opened, "<escape>").effect).toBeUndefined();
      expect(press(opened, "<escape>", "<escape>").effect).toEqual({ kind: "leave" });
    }
  });

  test("wants the digest of the selected session once", () => {
    const shown = withRows(makeState(), ten);
    expect(needsDigest(shown)?.digest.id).toBe("id-0");
    const known = update(shown, { kind: "digest", key: "claude:id-0", digest: undefined }).state;
    expect(needsDigest(known)).toBeUndefined();
    expect(needsDigest(press(known, "<down>").state)?.digest.id).toBe("id-1");
  });

  test("fetches the list again after a change on disk", () => {
    expect(needsAnswer(update(withRows(makeState(), ten), { kind: "changed" }).state)).toBe(true);
  });
});

describe("editLine()", () => {
  const line = (marked: string): { text: string; cursor: number } => ({
    text: marked.replace("|", ""),
    cursor: marked.indexOf("|"),
  });
  test.each([
    ["ab|cd", { kind: "insert", text: "x\ny" }, "abx y|cd"],
    ["ab👩‍👩‍👧|c", { kind: "delete", what: "before" }, "ab|c"],
    ["|ab", { kind: "delete", what: "before" }, "|ab"],
    ["a|é̂b", { kind: "delete", what: "after" }, "a|b"],
    ["one two |x", { kind: "delete", what: "word" }, "one |x"],
    ["one|", { kind: "delete", what: "word" }, "|"],
    ["one two|", { kind: "delete", what: "line" }, "|"],
    ["日本|", { kind: "move", to: "left" }, "日|本"],
    ["|日本", { kind: "move", to: "right" }, "日|本"],
    ["one|", { kind: "move", to: "start" }, "|one"],
    ["|one", { kind: "move", to: "end" }, "one|"],
  ] as const)("%s", (before, action, after) => {
    expect(editLine(line(before), action)).toEqual(line(after));
  });
});
