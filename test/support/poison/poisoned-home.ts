import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import fc from "../fc.ts";
import { heavyJson, hostileJson, hostileKeys, hostileNames, hostileUses } from "./hostile-values.ts";
import {
  type FixtureAgent,
  type Poison,
  placesIn,
  poisonLog,
  soundLogs,
  type ValuePlace,
} from "./poison-log.ts";

/** Something in a home, by its path from there. */
export type HomeEntry =
  | { readonly kind: "file"; readonly path: string; readonly text: string; readonly mtimeMs?: number }
  | { readonly kind: "link"; readonly path: string; readonly to: string }
  | { readonly kind: "folder" | "pipe"; readonly path: string };

export const agents: readonly FixtureAgent[] = ["claude", "pi", "claw", "codex", "gemini", "qwen", "copilot"];

const OLD_MS = Date.UTC(2026, 9, 20, 8);

/** Makes what can be made: some names are too long, and some folders are files already. */
export function makeEntries(home: string, entries: readonly HomeEntry[]): void {
  for (const entry of entries) {
    try {
      makeEntry(home, entry);
    } catch (error) {
      if (!(error instanceof Error) || !("code" in error)) throw error;
    }
  }
}

function makeEntry(home: string, entry: HomeEntry): void {
  const path = join(home, entry.path);
  mkdirSync(dirname(path), { recursive: true });
  switch (entry.kind) {
    case "file": {
      writeFileSync(path, entry.text);
      const seconds = (entry.mtimeMs ?? OLD_MS) / 1000;
      utimesSync(path, seconds, seconds);
      return;
    }
    case "link":
      symlinkSync(entry.to, path);
      return;
    case "folder":
      mkdirSync(path);
      return;
    case "pipe":
      spawnSync("mkfifo", [path]);
  }
}

/** A session of every agent that nothing is wrong with, and a word that only it has. */
export const healthy: readonly {
  readonly agent: FixtureAgent;
  readonly id: string;
  readonly word: string;
}[] = [
  { agent: "claude", id: "11111111-0000-4000-8000-00000000000a", word: "walrus" },
  { agent: "pi", id: "22222222-0000-4000-8000-00000000000b", word: "narwhal" },
  { agent: "claw", id: "session-1790000000000-7", word: "manatee" },
  { agent: "codex", id: "44444444-0000-4000-8000-00000000000d", word: "dugong" },
  { agent: "gemini", id: "55555555-0000-4000-8000-00000000000e", word: "porpoise" },
  { agent: "qwen", id: "66666666-0000-4000-8000-00000000000f", word: "beluga" },
  { agent: "copilot", id: "77777777-0000-4000-8000-00000000001a", word: "orca" },
];

const HEALTHY_AT = "2026-10-15T08:00:00.000Z";

export function healthyEntries(): readonly HomeEntry[] {
  return healthy.map(({ agent, id, word }) => ({
    kind: "file",
    path: logPath(agent, id, "-home-ana-well"),
    text: healthyLog(agent, id, `Where does the ${word} swim?`),
  }));
}

function healthyLog(agent: FixtureAgent, id: string, text: string): string {
  const cwd = "/home/ana/well";
  const lines: Readonly<Record<FixtureAgent, readonly object[]>> = {
    claude: [
      {
        type: "user",
        uuid: "h1",
        parentUuid: null,
        sessionId: id,
        cwd,
        timestamp: HEALTHY_AT,
        message: { role: "user", content: text },
      },
    ],
    pi: [
      { type: "session", version: 3, id, timestamp: HEALTHY_AT, cwd },
      {
        type: "message",
        id: "h1",
        parentId: null,
        timestamp: HEALTHY_AT,
        message: { role: "user", content: [{ type: "text", text }] },
      },
    ],
    claw: [
      {
        type: "session_meta",
        version: 1,
        session_id: id,
        created_at_ms: Date.parse(HEALTHY_AT),
        updated_at_ms: Date.parse(HEALTHY_AT),
      },
      { type: "message", message: { role: "user", blocks: [{ type: "text", text }] } },
    ],
    codex: [
      { timestamp: HEALTHY_AT, type: "session_meta", payload: { id, timestamp: HEALTHY_AT, cwd } },
      { timestamp: HEALTHY_AT, type: "event_msg", payload: { type: "user_message", message: text } },
      {
        timestamp: HEALTHY_AT,
        type: "response_item",
        payload: { type: "message", role: "user", content: [{ type: "input_text", text }] },
      },
    ],
    gemini: [
      { sessionId: id, projectHash: "64ab", startTime: HEALTHY_AT, lastUpdated: HEALTHY_AT, kind: "main" },
      { id: "h1", timestamp: HEALTHY_AT, type: "user", content: [{ text }] },
    ],
    qwen: [
      {
        uuid: "h1",
        parentUuid: null,
        sessionId: id,
        timestamp: HEALTHY_AT,
        type: "user",
        cwd,
        version: "0.24.4",
        message: { role: "user", parts: [{ text }] },
      },
    ],
    copilot: [
      {
        type: "session.start",
        data: { sessionId: id, version: 1, startTime: HEALTHY_AT, context: { cwd } },
        id: "h1",
        timestamp: HEALTHY_AT,
        parentId: null,
      },
      {
        type: "user.message",
        data: { content: text, messageId: "m1" },
        id: "h2",
        timestamp: HEALTHY_AT,
        parentId: "h1",
      },
    ],
  };
  return lines[agent].map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** Where an agent would keep a log of that name. */
export function logPath(agent: FixtureAgent, name: string, folder: string): string {
  switch (agent) {
    case "claude":
      return join(".claude/projects", folder, `${name}.jsonl`);
    case "pi":
      return join(".pi/agent/sessions", `-${folder}--`, `2026-10-15T08-00-00-000Z_${name}.jsonl`);
    case "claw":
      return join(".claw/sessions", folder, `${name}.jsonl`);
    case "codex":
      return join(".codex/sessions/2026/10/15", `rollout-2026-10-15T08-00-00-${name}.jsonl`);
    case "gemini":
      return join(".gemini/tmp", folder, "chats", `session-2026-10-15T08-00-${name}.jsonl`);
    case "qwen":
      return join(".qwen/projects", folder, "chats", `${name}.jsonl`);
    case "copilot":
      return join(".copilot/session-state", name, "events.jsonl");
  }
}

const ID_IN_LOG: Readonly<Record<FixtureAgent, RegExp>> = {
  claude: /"sessionId":"([^"]+)"/,
  pi: /"type":"session"[^}]*?"id":"([^"]+)"/,
  claw: /"session_id":"([^"]+)"/,
  codex: /"id":"([^"]+)"/,
  gemini: /"sessionId": ?"([^"]+)"/,
  qwen: /"sessionId":"([^"]+)"/,
  copilot: /"sessionId":"([^"]+)"/,
};

/** The same log as that of a session of its own. */
export function renameLog(agent: FixtureAgent, log: string, id: string): string {
  const old = ID_IN_LOG[agent].exec(log)?.[1];
  return old === undefined ? log : log.replaceAll(old, id);
}

export function idNumber(number: number): string {
  return `bad00000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

const json: fc.Arbitrary<string> = fc.oneof(
  { weight: 60, arbitrary: fc.constantFrom(...hostileJson) },
  { weight: 1, arbitrary: fc.constantFrom(...heavyJson) },
  { weight: 6, arbitrary: fc.json({ maxDepth: 3 }) },
  { weight: 6, arbitrary: fc.string({ unit: "binary", maxLength: 60 }).map((text) => JSON.stringify(text)) },
  { weight: 4, arbitrary: fc.double().map((number) => String(number).replace(/[NI].*/, "1e999")) },
);

const key = fc.option(fc.constantFrom(...hostileKeys), { nil: undefined, freq: 5 });

interface Change {
  /** Which of the uses; past the last one: any value anywhere. */
  readonly use: number;
  readonly key: number;
  readonly value: number;
  readonly any: string;
  /** Everywhere in the log, not in one place: of several values the first or the last may count. */
  readonly everywhere: boolean;
  readonly beside: string | undefined;
}

const change: fc.Arbitrary<Change> = fc.record({
  use: fc.nat({ max: hostileUses.length }),
  key: fc.nat(),
  value: fc.nat(),
  any: json,
  everywhere: fc.boolean(),
  beside: key,
});

/** A log of an agent with hostile values in its places. */
export function poisonedLog(agent: FixtureAgent, number: number): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...soundLogs(agent)), fc.array(change, { minLength: 1, maxLength: 6 }))
    .map(([sound, changes]) => {
      const log = renameLog(agent, sound, idNumber(number));
      const places = placesIn(log);
      return poisonLog(
        log,
        changes.flatMap((each) => poisonsOf(each, places)),
      );
    });
}

function poisonsOf(
  { use, key: chosen, value, any, everywhere, beside }: Change,
  places: readonly ValuePlace[],
): readonly Poison[] {
  const one = hostileUses[use];
  if (one === undefined) {
    const place = places[chosen % places.length];
    return place === undefined
      ? []
      : [{ place, json: any, ...(beside === undefined ? {} : { key: beside }) }];
  }
  const nameOf = ({ keys }: ValuePlace): string =>
    `${keys.findLast((each) => typeof each === "string") ?? ""}`;
  const names = [...new Set(places.map(nameOf))].filter((name) => name !== "" && one.keys.test(name));
  const name = names[chosen % names.length];
  const found = places.filter((place) => nameOf(place) === name);
  const wanted = everywhere ? found : found.slice(0, 1);
  const with_ = one.json[value % one.json.length] ?? "null";
  return wanted.map((place) => ({ place, json: with_ }));
}

const mtimeMs = fc.option(fc.constantFrom(0, -86_400_000, Date.UTC(2090, 0), Date.UTC(2026, 10, 16, 12)), {
  nil: OLD_MS,
  freq: 5,
});

/** Files of one poisoned session: its log, and for Claude Code what may lie beside it. */
export function poisonedSession(number: number): fc.Arbitrary<readonly HomeEntry[]> {
  const name = fc.option(fc.constantFrom(...hostileNames), { nil: idNumber(number), freq: 4 });
  const folder = fc.option(fc.constantFrom(...hostileNames), { nil: "-home-ana-bad", freq: 5 });
  const log = fc
    .constantFrom(...agents)
    .chain((agent) =>
      fc.record({ agent: fc.constant(agent), text: poisonedLog(agent, number), name, folder, mtimeMs }),
    );
  return fc
    .tuple(
      log,
      fc.subarray([...besides(number)], { maxLength: 4 }),
      fc.array(json, { minLength: 9, maxLength: 9 }),
    )
    .map(
      ([{ agent, text, name: file, folder: where, mtimeMs: at }, beside, values]): readonly HomeEntry[] => [
        { kind: "file", path: logPath(agent, file, where), text, mtimeMs: at },
        ...beside.map((make, index) => make(values.slice(index))),
      ],
    );
}

type Beside = (values: readonly string[]) => HomeEntry;

/** What else is read beside logs, with hostile values in it. */
function besides(number: number): readonly Beside[] {
  const id = idNumber(number);
  const folder = `.claude/projects/-home-ana-bad/${id}`;
  const file = (path: string, text: string): HomeEntry => ({ kind: "file", path, text });
  return [
    ([a = ""]) => file(`${folder}/custom-title.json`, `{"customTitle":${a}}`),
    ([a = "", b = "", c = ""]) =>
      file(
        `${folder}/subagents/agent-x${number}.meta.json`,
        `{"agentType":${a},"description":${b},"toolUseId":${c}}`,
      ),
    ([a = "", b = "", c = "", d = ""]) =>
      file(
        `${folder}/subagents/agent-x${number}.jsonl`,
        `{"type":"user","isSidechain":true,"agentId":${a},"uuid":${b},"parentUuid":null,"sessionId":"${id}","cwd":${c},"timestamp":${d},"message":{"role":"user","content":"look"}}\n`,
      ),
    ([a = ""]) => file(`${folder}/tool-results/toolu_1.txt`, a),
    ([a = "", b = ""]) =>
      file(`.claude/todos/${id}-agent-${id}.json`, `[{"content":${a},"status":${b}}, ${a}]`),
    ([a = "", b = "", c = ""]) =>
      file(`.claude/tasks/${id}/1.json`, `{"id":${a},"subject":${b},"status":${c},"blockedBy":${a}}`),
    ([a = "", b = "", c = "", d = "", e = ""]) =>
      file(
        ".claude/history.jsonl",
        `{"display":"typed long ago","pastedContents":${a},"timestamp":${b},"project":${c},"sessionId":"dead0000-0000-4000-8000-000000000000"}\n{"display":${d},"pastedContents":${e},"timestamp":${b},"project":${a},"sessionId":${c}}\n`,
      ),
    ([a = "", b = "", c = ""]) =>
      file(
        `.claude/sessions/${number}.json`,
        `{"pid":${a},"sessionId":${b},"cwd":${c},"startedAt":${a},"procStart":${b}}`,
      ),
    ([a = ""]) => file(".claude/.last-cleanup", a),
    ([a = "", b = ""]) =>
      file(
        ".claude/projects/-home-ana-bad/sessions-index.json",
        `{"version":1,"originalPath":${a},"entries":${b}}`,
      ),
  ];
}

/** Links, folders and pipes where logs are looked for. */
const oddEntry: fc.Arbitrary<HomeEntry> = fc
  .tuple(fc.constantFrom(...agents), fc.nat({ max: 99 }), fc.constantFrom("log", "folder"))
  .chain(([agent, number, as]) => {
    const path = logPath(agent, idNumber(1_000 + number), "-home-ana-odd");
    const at = as === "log" ? path : dirname(path).concat(`-${number}`);
    return fc.oneof(
      fc
        .constantFrom(
          ".",
          "..",
          "/",
          "/dev/null",
          "nowhere",
          at.split("/").at(-1) ?? "",
          "../../..",
          "\u{1f4a3}",
          "x".repeat(300),
        )
        .map((to): HomeEntry => ({ kind: "link", path: at, to })),
      fc.constantFrom("folder" as const, "pipe" as const).map((kind): HomeEntry => ({ kind, path: at })),
      fc
        .constantFrom(
          "",
          "\0\0\0",
          "\n",
          "{}",
          "[]",
          "null",
          "not a log\n",
          '{"type":"user"}',
          `${"x".repeat(70_000)}\n`,
        )
        .map((text): HomeEntry => ({ kind: "file", path: at.endsWith(".jsonl") ? at : `${at}.jsonl`, text })),
    );
  });

/** A home in which everything that can be hostile may be: so many sessions, and odd entries among them. */
export function poisonedHome(sessions: number): fc.Arbitrary<readonly HomeEntry[]> {
  return fc
    .tuple(
      fc.tuple(...Array.from({ length: sessions }, (_, number) => poisonedSession(number))),
      fc.array(oddEntry, { maxLength: 6 }),
    )
    .map(([made, odd]) => [...made.flat(), ...odd]);
}
