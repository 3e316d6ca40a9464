/**
 * JSON texts that may stand in a log in place of any value. Texts and not values: several of them (1e999, a lone
 * surrogate, a key twice, 100,000 levels) have no value that `JSON.stringify` would write so.
 */
export const hostileJson: readonly string[] = [
  ...words([
    "",
    " ",
    "\0",
    "/home/ana/\0shop",
    "..",
    "../../../../tmp/x",
    "/",
    "//",
    ".",
    "~",
    "-rf",
    "C:\\Users\\ana",
    "\\\\?\\nul",
    "a/b\nc",
    "line\r\nbreak",
    "\u202eevil",
    "\x1b]52;c;AAAA\x07",
    "\x9b31m",
    "\ufeff",
    "\u2028",
    "__proto__",
    "constructor",
    "hasOwnProperty",
    "toString",
    "[object Object]",
    "%s%n",
    "$(id)",
    "`id`",
    "'; id; '",
    '"',
    "<script>",
    "```",
    "---",
    "|",
    "NaN",
    "-1",
    "1e999",
    "0x10",
    "9".repeat(400),
    "2026-13-45T99:99:99.999Z",
    "+275760-09-13T00:00:00.001Z",
    "-271821-04-19T23:59:59.999Z",
    "0000-00-00T00:00:00.000Z",
    "1970-01-01T00:00:00.000Z",
    "9999-12-31T23:59:59.999Z",
    "FLATTENED",
    "[FLATTENED id= tool= | text 1 B, 1 lines | sessions retrieve x y]",
    "<command-name>/clear</command-name>",
    "This session is being continued from a previous conversation that ran out of context.",
    "data:image/png;base64,AAAA",
    "name".repeat(1_250),
    "x".repeat(100_000),
    "/".repeat(5_000),
    "a ".repeat(20_000),
    "> ".repeat(5_000),
    "- ".repeat(5_000),
    "*".repeat(5_000),
    "[".repeat(5_000),
    "(".repeat(5_000),
    "`".repeat(5_000),
    "\n".repeat(5_000),
    "#".repeat(5_000),
    "|".repeat(5_000),
    "<".repeat(5_000),
    "\\".repeat(5_000),
    `${"[".repeat(5_000)}${"]".repeat(5_000)}`,
  ]),
  // Lone surrogates, as bytes of an escape.
  '"\\ud800"',
  '"a\\udfff/b"',
  ...["0", "-0", "-1", "0.5", "1e-320", "1e21", "1e308", "1e999", "-1e999", "9007199254740993"],
  ...[
    "8640000000000000",
    "8640000000000001",
    "-8640000000000001",
    "4294967296",
    "-2147483649",
    "253402300800000",
  ],
  ...["true", "false", "null", "{}", "[]", "[[]]", "[{}]", '[""]', "[null]", "[0]", '{"":""}'],
  '{"__proto__":{"toString":1},"constructor":null}',
  '{"type":"text","text":null}',
  '[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":["a"]}}]',
  '[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":{}}]}]',
  '{"length":1e9}',
  '{"toJSON":1,"then":2,"valueOf":3}',
  '{"a":1,"a":{"a":2}}',
  ...[50, 600, 4_500, 20_000].flatMap((depth) => [deepList(depth), deepObject(depth)]),
];

/** Rarely: each takes a while. */
export const heavyJson: readonly string[] = [
  deepList(100_000),
  deepObject(100_000),
  JSON.stringify("word ".repeat(400_000)),
  `[${Array.from({ length: 130_000 }, () => "0").join(",")}]`,
];

/** What values are used as, told by the ends of their names, with what is worst for such a use. */
export const hostileUses: readonly { readonly keys: RegExp; readonly json: readonly string[] }[] = [
  {
    keys: /cwd|path|file|folder|root|dir|project|worktree|trackedFileBackups/i,
    json: words([
      "\0",
      "/home/ana/\0shop",
      "..",
      "../../etc",
      "/",
      "",
      "C:\\x",
      "a\nb",
      `/${"x".repeat(5_000)}`,
      "/proc/self/mem",
    ]),
  },
  {
    keys: /time|_ms$|at$|date|^ts$/i,
    json: [
      ...[
        "1e300",
        "8640000000000000",
        "8640000000000001",
        "-1",
        "0",
        "1e999",
        "253402300800000",
        '"1e300"',
        "{}",
      ],
      ...words([
        "+275760-09-13T00:00:00.000Z",
        "-271821-04-20T00:00:00.000Z",
        "0000-00-00",
        "NaN",
        "",
        "9999-12-31T23:59:59.999Z",
      ]),
    ],
  },
  {
    keys: /id$|uuid|name|type|role|branch|title|model|slug|kind|status|tool|version|agent|event|mode/i,
    json: [
      ...words([
        "",
        "\0",
        "..",
        "/",
        "__proto__",
        "constructor",
        "a\nb",
        "\x1b]52;c;AA\x07",
        "name".repeat(1_250),
        "\u202e",
      ]),
      ...['"\\ud800"', "null", "7", "{}", "[]"],
    ],
  },
  {
    keys: /tokens|count|code|num|size|index|ordinal|duration|pid|total|lines|attempt|usage/i,
    json: [
      "-1",
      "0.5",
      "1e21",
      "1e308",
      "-1e308",
      "1e999",
      "9007199254740993",
      '"7"',
      "null",
      "[]",
      "{}",
      "4294967296",
    ],
  },
  {
    keys: /input|arguments|content|message|payload|output|result|blocks|text|summary|item|edits|todos|plan/i,
    json: [
      ...[
        deepList(4_500),
        deepObject(4_500),
        deepList(20_000),
        deepObject(20_000),
        "null",
        "7",
        "[]",
        "{}",
        "[null]",
      ],
      ...words(["", "\0", "x".repeat(100_000), "> ".repeat(5_000), "[".repeat(5_000), "<".repeat(5_000)]),
      '[{"type":"text","text":{}},{"type":"tool_use"},{"type":"tool_result"},{"type":"image"},"x",7,null,[]]',
    ],
  },
];

/** Names of keys that a log may have beside its own. */
export const hostileKeys: readonly string[] = [
  "__proto__",
  "constructor",
  "",
  "\0",
  "toJSON",
  "x".repeat(5_000),
];

/** Names that files and folders may have; longer ones than the system allows can't be made. */
export const hostileNames: readonly string[] = [
  "-",
  "--help",
  "...",
  "~",
  " ",
  "a\nb",
  "a\tb",
  "\x1b[31mred",
  "\u202egnp",
  "%2e%2e%2f",
  "con",
  "x".repeat(200),
  "é".repeat(100),
  "\u{1f4a3}".repeat(40),
  "'quote\"",
  "$(id)",
  "__proto__",
  "constructor",
  "session",
  "agent-",
  "a.b.c",
  "*?[",
  "C:\\x",
];

export function deepList(depth: number): string {
  return `${"[".repeat(depth)}${"]".repeat(depth)}`;
}

export function deepObject(depth: number): string {
  return `${'{"content":'.repeat(depth)}"deep word"${"}".repeat(depth)}`;
}

function words(texts: readonly string[]): readonly string[] {
  return texts.map((text) => JSON.stringify(text));
}
