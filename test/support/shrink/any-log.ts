import fc from "../fc.ts";

/** A JSON value in any spelling: spaces, escapes, numbers that a round trip would change, keys that stand twice. */
function spelled(value: unknown, next: () => number): string {
  const space = (): string => ["", "", "", " ", "\t", "\r", "  "][next() % 7] ?? "";
  if (typeof value === "string") {
    // Words by which lines are told apart are spelled plainly, as a rule: else nothing would be found in them.
    if (/^\w+$/.test(value) && next() % 20 !== 0) return JSON.stringify(value);
    const letters = [...value].map((letter) => {
      const plain = JSON.stringify(letter).slice(1, -1);
      if (next() % 5 !== 0) return plain;
      return [...letter].length === 1 && letter.length === 1
        ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`
        : plain;
    });
    return `"${letters.join("")}"`;
  }
  if (typeof value === "number")
    return [String(value), `${value}.0`, `${value}e0`, "12345678901234567890"][next() % 4] ?? "0";
  if (Array.isArray(value))
    return `[${space()}${value.map((each) => spelled(each, next)).join(`${space()},${space()}`)}${space()}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(
      ([key, each]) => `"${key}"${space()}:${space()}${spelled(each, next)}`,
    );
    return `{${space()}${members.join(`${space()},${space()}`)}${space()}}`;
  }
  return JSON.stringify(value) ?? "null";
}

const text = fc.oneof(
  fc.string({
    unit: fc.constantFrom("a", "\u00e9", '"', "\\", "\n", "\u2028", "\u{1f600}", "\0"),
    maxLength: 12,
  }),
  fc.constantFrom("line\n", 'caf\u00e9 "x" ', "\u0000\u{1f600}").map((word) => word.repeat(200)),
  fc.constantFrom(
    "",
    "[FLATTENED id=x tool=y | text 1 B, 1 lines | sessions retrieve s x]",
    "[compacted]",
    "\u2028\ud800",
  ),
);

const image = fc.record({
  type: fc.constant("image"),
  source: fc.record({
    type: fc.constant("base64"),
    media_type: fc.constant("image/png"),
    data: fc.constantFrom("iVBO", "A".repeat(1_200)),
  }),
});

const content = fc.oneof(
  text,
  fc.array(
    fc.oneof(
      text.map((each) => ({ type: "text", text: each })),
      image,
      text,
    ),
    { maxLength: 3 },
  ),
  fc.constantFrom(null, 7, {}),
);

/** Few, so that some stand twice. */
const callId = fc.constantFrom("toolu_1", "toolu_2", "toolu_3", 'odd "id" |]\n');
const tool = fc.constantFrom("Read", "Grep", "Bash", "mcp__a", 'Task" >\n<parameter');

const claudeLine = fc.oneof(
  fc.record({
    type: fc.constant("assistant"),
    uuid: fc.uuid(),
    parentUuid: fc.option(fc.uuid()),
    isSidechain: fc.boolean(),
    message: fc.record({
      role: fc.constant("assistant"),
      content: fc.array(
        fc.record({
          type: fc.constant("tool_use"),
          id: callId,
          name: tool,
          input: fc.oneof(fc.record({ file_path: text }), fc.record({ command: text }), text),
        }),
        { maxLength: 2 },
      ),
    }),
  }),
  fc.record(
    {
      type: fc.constant("user"),
      uuid: fc.uuid(),
      parentUuid: fc.option(fc.uuid()),
      message: fc.record({
        role: fc.constant("user"),
        content: fc.array(fc.record({ type: fc.constant("tool_result"), tool_use_id: callId, content }), {
          minLength: 1,
          maxLength: 3,
        }),
      }),
      toolUseResult: fc.oneof(
        text,
        content,
        fc.record({ stdout: text, filenames: fc.array(text, { maxLength: 4 }), n: fc.nat() }),
      ),
      sessionId: fc.constant("s"),
    },
    { requiredKeys: ["type", "message"] },
  ),
  fc.record({ type: fc.constantFrom("summary", "mode", "tag"), text }),
);

const piLine = fc.record({
  type: fc.constant("message"),
  id: fc.uuid(),
  parentId: fc.option(fc.uuid()),
  message: fc.oneof(
    fc.record({
      role: fc.constant("toolResult"),
      toolCallId: callId,
      toolName: tool,
      content,
      details: fc.record({ a: text, b: content }),
    }),
    fc.record({
      role: fc.constant("assistant"),
      content: fc.array(
        fc.record({
          type: fc.constant("toolCall"),
          id: callId,
          name: tool,
          arguments: fc.record({ path: text }),
        }),
        { maxLength: 2 },
      ),
    }),
    fc.record({ role: fc.constant("bashExecution"), command: text, output: text }),
  ),
});

/** Bytes of a line: JSON in some spelling, two glued together, one torn, or no JSON at all. */
function lineBytes(line: fc.Arbitrary<unknown>): fc.Arbitrary<Buffer> {
  const json = fc
    .tuple(line, fc.array(fc.nat({ max: 1000 }), { minLength: 8, maxLength: 8 }))
    .map(([value, seeds]) => {
      let at = 0;
      return Buffer.from(spelled(value, () => ((seeds[at++ % 8] ?? 0) + at * 7) >>> 0));
    });
  return fc.oneof(
    { weight: 8, arbitrary: json },
    { weight: 1, arbitrary: fc.tuple(json, json).map((two) => Buffer.concat(two)) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(json, fc.nat({ max: 99 }))
        .map(([bytes, share]) => bytes.subarray(0, (bytes.length * share) / 100)),
    },
    { weight: 1, arbitrary: fc.tuple(json, fc.nat()).map(([bytes, at]) => notUtf8(bytes, at)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)) },
  );
}

/** With a byte that is no UTF-8 inside. */
function notUtf8(bytes: Buffer, at: number): Buffer {
  const cut = bytes.length === 0 ? 0 : at % bytes.length;
  return Buffer.concat([bytes.subarray(0, cut), Buffer.from([0xff, 0xc3]), bytes.subarray(cut)]);
}

/** Any log at all: line ends of both kinds, blank lines, a BOM, a last line without an end. */
export function anyLog(agent: "claude" | "pi"): fc.Arbitrary<Buffer> {
  const ended = fc
    .tuple(lineBytes(agent === "claude" ? claudeLine : piLine), fc.constantFrom("\n", "\n", "\r\n", "\n\n"))
    .map(([bytes, end]) => Buffer.concat([bytes, Buffer.from(end)]));
  return fc
    .tuple(fc.constantFrom("", "", "\ufeff"), fc.array(ended, { maxLength: 8 }), fc.boolean())
    .map(([bom, lines, isTorn]) => {
      const all = Buffer.concat([Buffer.from(bom), ...lines]);
      return isTorn ? all.subarray(0, Math.max(0, all.length - 1)) : all;
    });
}
