import { createSeededRandom } from "./seeded-random.ts";

type Json = Record<string, unknown>;

/** A log of Pi as nobody would write it and Pi would still load it: any tree, any order, every kind of entry. */
export function randomPiLog(seed: number): string {
  const { int: below } = createSeededRandom(seed);
  const random = (): number => below(1_000_000) / 1_000_000;
  const pick = <T>(items: readonly T[]): T | undefined => items[below(items.length)];
  const chance = (share: number): boolean => random() < share;
  const words = (max: number): string => "word ".repeat(1 + below(max)).trim();
  const version = pick([1, 2, 3, 3, 3, 3]) ?? 3;
  const header: Json = { type: "session", id: `s${seed}`, timestamp: time(0), cwd: "/work/shop" };
  if (version > 1) header.version = version;
  const lines: string[] = [JSON.stringify(header)];
  const ids: string[] = [];
  let readable = 1;
  let calls = 0;
  let openCall: string | undefined;

  const content = (): unknown =>
    chance(0.3)
      ? words(40)
      : [
          { type: "text", text: words(60) },
          ...(chance(0.1) ? [{ type: "image", data: "aGk=", mimeType: "image/png" }] : []),
        ];

  const assistant = (): Json => {
    const blocks: Json[] = [];
    if (chance(0.3)) blocks.push({ type: "thinking", thinking: words(30) });
    if (chance(0.7)) blocks.push({ type: "text", text: words(40) });
    openCall = undefined;
    if (chance(0.6)) {
      openCall = `call${calls++}`;
      const name = pick(["read", "write", "edit", "bash"]) ?? "read";
      const args = name === "bash" ? { command: words(5) } : { path: `src/${below(6)}.ts` };
      blocks.push({ type: "toolCall", id: openCall, name, arguments: args });
    }
    const input = below(3) * 900;
    const message: Json = { role: "assistant", content: blocks, provider: "p", model: "m", timestamp: 1 };
    message.stopReason = pick(["stop", "toolUse", "error", "aborted"]) ?? "stop";
    if (chance(0.7)) {
      const totalTokens = chance(0.5) ? { totalTokens: input + 5 } : {};
      message.usage = { input, output: input === 0 ? 0 : 5, cacheRead: 0, cacheWrite: 0, ...totalTokens };
    }
    return message;
  };

  const result = (): Json => ({
    role: "toolResult",
    toolCallId: openCall ?? "none",
    toolName: "read",
    content: [{ type: "text", text: words(300) }],
    isError: chance(0.1),
    timestamp: 1,
    ...(chance(0.1)
      ? { nestedCalls: { calls: [{ id: "n", name: "edit", arguments: { path: "src/n.ts" }, status: "ok" }] } }
      : {}),
  });

  const system = (): Json => ({
    role: "system",
    content: chance(0.2) ? "" : words(20),
    timestamp: 1,
    ...(chance(0.5) ? { sections: { [`part${below(2)}`]: chance(0.3) ? null : words(9) } } : {}),
    ...(chance(0.4) ? { toolsAdded: [{ name: `tool${below(3)}`, description: words(3) }] } : {}),
    ...(chance(0.2) ? { toolsRemoved: [{ name: `tool${below(3)}` }] } : {}),
  });

  const message = (): Json => {
    const roll = random();
    if (roll < 0.3) return { role: "user", content: content(), timestamp: 1 };
    if (roll < 0.6) return assistant();
    if (roll < 0.85) return result();
    if (roll < 0.9)
      return { role: "bashExecution", command: words(3), output: words(50), exitCode: 0, timestamp: 1 };
    if (roll < 0.95)
      return {
        role: version < 3 ? "hookMessage" : "custom",
        customType: "x",
        content: content(),
        display: true,
      };
    return version === 3 ? system() : { role: "user", content: content(), timestamp: 1 };
  };

  const entry = (): Json => {
    const roll = random();
    if (roll < 0.75) return { type: "message", message: message() };
    if (roll < 0.79) return { type: "custom_message", customType: "x", content: content(), display: true };
    if (roll < 0.82)
      return { type: "branch_summary", fromId: pick(ids) ?? "root", summary: chance(0.2) ? "" : words(30) };
    if (roll < 0.87) {
      const details = { readFiles: ["old/a.ts", "src/1.ts"], modifiedFiles: ["old/b.ts"] };
      const extra = { ...(chance(0.5) ? { details } : {}), ...(chance(0.2) ? { fromHook: true } : {}) };
      const kept =
        version === 1
          ? { firstKeptEntryIndex: below(readable + 1) }
          : { firstKeptEntryId: chance(0.15) ? "gone" : (pick(ids) ?? "gone") };
      const carried = version === 3 && chance(0.3) ? { systemMessage: system() } : {};
      return {
        type: "compaction",
        summary: `Summary. ${words(20)}`,
        tokensBefore: 9,
        ...kept,
        ...extra,
        ...carried,
      };
    }
    if (roll < 0.92 && version === 3) {
      const replacement = chance(0.4)
        ? null
        : { content: chance(0.5) ? words(9) : [{ type: "text", text: words(9) }] };
      return { type: "context_edit", targetId: pick(ids) ?? "gone", replacement };
    }
    return (
      pick<Json>([
        { type: "model_change", provider: "p", modelId: "m" },
        { type: "thinking_level_change", thinkingLevel: "high" },
        { type: "label", targetId: pick(ids) ?? "gone", label: "here" },
        { type: "session_info", name: "A name" },
        { type: "custom", customType: "x", data: {} },
      ]) ?? { type: "custom" }
    );
  };

  const count = 1 + below(40);
  for (let at = 1; at <= count; at++) {
    if (chance(0.02)) lines.push(pick(['{"type":"mess', "", "null", '{"a":1}{"b":2}']) ?? "");
    const id = `e${at}`;
    const parentId = chance(0.12) ? (pick([null, "gone", ...ids]) ?? null) : (ids.at(-1) ?? null);
    const made = entry();
    lines.push(JSON.stringify({ ...made, ...(version === 1 ? {} : { id, parentId }), timestamp: time(at) }));
    ids.push(id);
    readable++;
  }
  return `${lines.join("\n")}${chance(0.8) ? "\n" : ""}`;
}

function time(at: number): string {
  return new Date(Date.UTC(2026, 5, 1) + at * 1000).toISOString();
}
