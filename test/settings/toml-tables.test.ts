import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { findTomlError, removeTable, setTable, tableAt } from "../../src/settings/toml-tables.ts";
import fc from "../support/fc.ts";

const path = ["mcp_servers", "sessions"];
const server = {
  command: "/usr/bin/node",
  args: ['/a "b"/sessions.cjs', "mcp"],
  env: { SESSIONS_HOME: "/s" },
};
const written =
  '[mcp_servers.sessions]\ncommand = "/usr/bin/node"\nargs = ["/a \\"b\\"/sessions.cjs", "mcp"]\nenv = { SESSIONS_HOME = "/s" }\n';

/** Settings that a careless editor would break. */
const settings = {
  "an empty file": "",
  "comments and a table of others":
    '# mine\nmodel = "x" # the large one\n\n[mcp_servers.other]\ncommand = "o"\n',
  "a header in a string": 'note = """\n[mcp_servers.sessions]\ncommand = "no"\n"""\n',
  "a header in a literal string": "note = '''\n[mcp_servers.sessions]\n'''\n[a]\nb = 1\n",
  "lists over several lines": 'a = [\n  ["[mcp_servers.sessions]"], # [x]\n  [ "b" ],\n]\n',
  "quoted keys": '[projects."/home/me/a.b"]\ntrust_level = "trusted"\n["mcp_servers".\'x\']\ncommand = "y"\n',
  "lists of tables": "[[a]]\nb = 1\n[[a]]\nb = 2\n",
  "no line end": "a = 1",
  "other line ends": "a = 1\r\n\r\n[b]\r\nc = 2\r\n",
  "dates and large numbers": "a = 1979-05-27T07:32:00Z\nb = 9223372036854775807\n",
};

describe("a table", () => {
  test.each(Object.entries(settings))("is added to %s, and taken out again", (_, before) => {
    const after = setTable(before, path, server);
    expect(after.startsWith(before)).toBe(true);
    expect(after.replaceAll("\r\n", "\n").endsWith(written)).toBe(true);
    expect(tableAt(after, path)).toEqual(server);
    const without = removeTable(after, path);
    expect(without.trimEnd()).toBe(before.trimEnd());
    expect(parse(without, { integersAsBigInt: "asNeeded" })).toEqual(
      parse(before, { integersAsBigInt: "asNeeded" }),
    );
  });

  test("is brought up to date in its place, and what others added to it stays", () => {
    const before = `a = 1\n\n[mcp_servers.sessions]\ncommand = "/old" # mine\nstartup_timeout_sec = 5\nargs = [\n  "x",\n]\n\n# about b\n[b]\nc = 2\n`;
    expect(setTable(before, path, { command: "/new", args: ["y", "mcp"] })).toBe(
      `a = 1\n\n[mcp_servers.sessions]\ncommand = "/new" # mine\nstartup_timeout_sec = 5\nargs = ["y", "mcp"]\n\n# about b\n[b]\nc = 2\n`,
    );
  });

  test("goes with the tables in it, and leaves the comments of others", () => {
    const before = `# top\n\n[mcp_servers.sessions] # ours\ncommand = "/n"\n[mcp_servers.sessions.tools.x]\napproval = "auto"\n\n# about b\n[b]\nc = 2\n[mcp_servers.sessions.env]\nA = "1"\n`;
    expect(removeTable(before, path)).toBe("# top\n\n# about b\n[b]\nc = 2\n");
  });

  test.each([
    ["an inline list of servers", 'mcp_servers = { other = { command = "o" } }\n'],
    ["dotted keys", 'mcp_servers.sessions.command = "/x/sessions.cjs"\n'],
  ])("is refused beside %s, which has no place for it", (_, before) => {
    expect(() => setTable(before, path, server)).toThrow(
      "not written as [mcp_servers.sessions] with a line per member",
    );
  });

  test("of any name and values survives being added and removed", () => {
    const text = fc.string({ unit: "binary" });
    const table = fc.record({ command: text, args: fc.array(text) });
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 3 }), table, (names, value) => {
        const after = setTable("a = 1\n", ["servers", ...names], value);
        expect(tableAt(after, ["servers", ...names])).toEqual(value);
        expect(removeTable(after, ["servers", ...names])).toBe("a = 1\n");
      }),
    );
  });
});

test("a broken file is located", () => {
  expect(findTomlError("a = 1\nb = = 2\n")).toMatchObject({ kind: "broken", line: 2 });
  expect(findTomlError("a = 1\n")).toBeUndefined();
});
