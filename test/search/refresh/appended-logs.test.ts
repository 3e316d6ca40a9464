import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { constants, inflateRawSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { forgetSession } from "../../../src/forget.ts";
import type { Disk } from "../../../src/fs/disk.ts";
import type { Library } from "../../../src/fs/library.ts";
import { nodeDisk } from "../../../src/fs/node-disk.ts";
import type { SearchEngine } from "../../../src/search/engine.ts";
import { type Refreshed, refreshIndex } from "../../../src/search/refresh/refresh-index.ts";
import { writeLog } from "../../bench/support/write-logs.ts";
import { locking } from "../../support/archive/archiving.ts";
import fc from "../../support/fc.ts";
import { dumpIndex, dumpRebuilt, keepingEngine, keptTurns } from "../../support/index-dump.ts";
import { makeLibrary } from "../../support/make-library.ts";

const demo = fileURLToPath(new URL("../../../fixtures/demo", import.meta.url));
const PROJECT = ".claude/projects/-home-ana-garden";
const ID = "0a1b2c3d-0000-4000-8000-00000000abcd";
const LOG = `${PROJECT}/${ID}.jsonl`;
/** Logs of the other agents, made long of all their fixtures. */
const OTHERS = {
  pi: ".pi/agent/sessions/--home-ana-notas--/2026-10-27T19-40-12-000Z_01a17ee0-9d60-76bf-b01b-20d551fd9794.jsonl",
  codex: ".codex/sessions/2026/11/03/rollout-2026-11-03T08-14-22-01a1a079-3b30-73be-ad06-3260d34b0157.jsonl",
  claw: ".claw/sessions/6961c56184d611a1/session-1791983100000-0.jsonl",
} as const;
const SUBAGENT = `${PROJECT}/${ID}/subagents/agent-a0b1c2d3e4f5a6b7c.jsonl`;

/** Remembers how far every log was read, however short it is. */
const EVERY_TAIL = { leastBytes: 0, mostBehind: 0, sinceMs: 0, room: 10_000_000 };

function follow(library: Library, engine: SearchEngine): Promise<Refreshed> {
  return refreshIndex(library, { engine, checkpoints: EVERY_TAIL });
}

/** So much of a log of another agent that its beginning never changes. */
const OTHER_BYTES = 60_000;

function lengthen(home: string, agent: keyof typeof OTHERS): void {
  const folder = fileURLToPath(new URL(`../../../fixtures/${agent}/ok/`, import.meta.url));
  const lines = readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .sort()
    .map((name) => readFileSync(join(folder, name), "utf8"));
  const log = join(home, OTHERS[agent]);
  while (statSync(log).size < OTHER_BYTES) for (const text of lines) appendFileSync(log, text);
}

/** The example history of all agents, and a session of each that is long enough to have a beginning. */
function homeWithLogs(library: Library): string {
  const { home } = library.environment;
  cpSync(demo, home, { recursive: true });
  for (const agent of ["pi", "codex", "claw"] as const) lengthen(home, agent);
  const log = join(home, LOG);
  writeLog(log, 100_000, 3, "/home/ana/garden", Date.UTC(2026, 9, 1));
  for (let turn = 0; turn < 30; turn++) {
    appendFileSync(
      log,
      asks(`q${turn}`, lastIn(log), `What about bed ${turn} of the garden, and its error?`),
    );
    appendFileSync(
      log,
      says(`a${turn}`, `q${turn}`, `Bed ${turn} has a test, a token and a file. `.repeat(20)),
    );
  }
  return home;
}

function line(
  type: "user" | "assistant" | "system",
  uuid: string,
  parentUuid: string | null,
  rest: object,
): string {
  const place = { sessionId: ID, cwd: "/home/ana/garden", timestamp: "2026-11-10T10:00:00Z" };
  return `${JSON.stringify({ type, uuid, parentUuid, ...place, ...rest })}\n`;
}

const asks = (uuid: string, parent: string | null, text: string): string =>
  line("user", uuid, parent, { message: { role: "user", content: text } });

const says = (uuid: string, parent: string | null, text: string): string =>
  line("assistant", uuid, parent, { message: { id: `m-${uuid}`, content: [{ type: "text", text }] } });

/** Names of the entries of a log, in their order. */
const uuidsIn = (path: string): string[] =>
  [...readFileSync(path, "utf8").matchAll(/"uuid":"([^"]+)"/g)].flatMap(([, uuid = ""]) => uuid);
const lastIn = (path: string): string => uuidsIn(path).at(-1) ?? "";

const rewrite = (path: string, change: (text: string) => string): void =>
  writeFileSync(path, change(readFileSync(path, "utf8")));

/** What may happen to a log between two searches. Each entry is one step after the other. */
const events: Readonly<Record<string, readonly ((log: string, home: string) => void)[]>> = {
  "a line is appended": [(log) => appendFileSync(log, says("x1", lastIn(log), "Done with zanzibar."))],
  "several lines are appended, again and again": [
    (log) => appendFileSync(log, asks("x1", lastIn(log), "And now?") + says("x2", "x1", "Now the test.")),
    (log) => appendFileSync(log, says("x3", "x2", "The token is fresh.")),
    (log) => appendFileSync(log, asks("x4", "x3", "Thanks.") + says("x5", "x4", "Any time.")),
  ],
  "half a line is appended, and completed later": [
    (log) => appendFileSync(log, says("x1", lastIn(log), "Cut in the middle of the file.").slice(0, 90)),
    (log) => {
      const whole = says("x1", uuidsIn(log).at(-2) ?? "", "Cut in the middle of the file.");
      appendFileSync(log, whole.slice(90));
    },
    (log) => appendFileSync(log, asks("x2", "x1", "Is it whole?")),
  ],
  "it is rewritten with the same size": [
    (log) => appendFileSync(log, says("x1", lastIn(log), "Call it zanzibar.")),
    (log) => rewrite(log, (text) => text.replace("zanzibar", "timbuktu")),
    (log) => rewrite(log, (text) => text.replace(/"text":"(\w)/, '"text":"Q')),
  ],
  "it shrinks": [(log) => truncateSync(log, Math.floor(statSync(log).size / 2))],
  "another file takes its place": [
    (log) => {
      writeFileSync(`${log}.new`, readFileSync(log, "utf8").replaceAll("error", "ERROR"));
      renameSync(`${log}.new`, log);
    },
  ],
  "it is truncated, and grows again": [
    (log) => truncateSync(log, Math.floor(statSync(log).size / 3)),
    (log) => appendFileSync(log, `\n${asks("x1", lastIn(log), "What is left of the file?")}`),
    (log) => {
      const { size } = statSync(log);
      truncateSync(log, Math.floor(size / 2));
      appendFileSync(log, `\n${asks("x2", null, "Another beginning ".repeat(size / 18))}`);
    },
  ],
  "its time is set back": [
    (log) => {
      appendFileSync(log, says("x1", lastIn(log), "Written in the past."));
      utimesSync(log, 1_700_000_000, 1_700_000_000);
    },
  ],
  "a sub-agent's log comes, and grows": [
    (_, home) => {
      mkdirSync(dirname(join(home, SUBAGENT)), { recursive: true });
      writeFileSync(join(home, SUBAGENT), asks("s1", null, "Find the test.") + says("s2", "s1", "Found it."));
    },
    (_, home) => appendFileSync(join(home, SUBAGENT), says("s3", "s2", "It has an error.")),
    (log) => appendFileSync(log, says("x1", lastIn(log), "The sub-agent is done.")),
  ],
  "it is compacted": [
    (log) => {
      const logicalParentUuid = lastIn(log);
      const compactMetadata = { trigger: "manual", preTokens: 1000 };
      const boundary = { subtype: "compact_boundary", logicalParentUuid, compactMetadata };
      appendFileSync(log, line("system", "c1", null, { ...boundary, content: "Conversation compacted" }));
      const content = "This session is being continued from a previous conversation. All about the file.";
      appendFileSync(
        log,
        line("user", "c2", "c1", { isCompactSummary: true, message: { role: "user", content } }),
      );
    },
    (log) => appendFileSync(log, asks("x1", "c2", "Go on.") + says("x2", "x1", "I go on.")),
  ],
  "it goes back to an earlier line": [
    (log) => {
      const uuids = uuidsIn(log);
      appendFileSync(log, asks("x1", uuids[Math.floor(uuids.length / 2)] ?? null, "Another way, please."));
    },
    (log) => appendFileSync(log, says("x2", "x1", "This way, then.")),
  ],
  "an earlier line is written again": [
    (log) => {
      const lines = readFileSync(log, "utf8").split("\n");
      appendFileSync(log, `${lines[Math.floor(lines.length / 2)]}\n`);
    },
  ],
  "it goes, and comes back": [
    (log) => renameSync(log, `${log}.away`),
    (log) => {
      renameSync(`${log}.away`, log);
      appendFileSync(log, says("x1", lastIn(log), "Back again."));
    },
  ],
};

const tailsOf = ({ places }: Library): readonly string[] => {
  const folder = join(places.index, "tails");
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((name) => join(folder, name));
};

/** What may happen to a file of ours. */
const harms: Readonly<Record<string, (bytes: Buffer) => Uint8Array>> = {
  "cut in half": (bytes) => bytes.subarray(0, bytes.length >> 1),
  "cut by a byte": (bytes) => bytes.subarray(0, -1),
  emptied: () => Buffer.alloc(0),
  zeroed: (bytes) => Buffer.alloc(bytes.length),
  "one bit at its beginning": (bytes) => flip(bytes, 3),
  "one bit of how far it was read": (bytes) => flip(bytes, bytes.indexOf('"lines":') + 8),
  "one bit in its middle": (bytes) => flip(bytes, bytes.length >> 1),
  "one bit at its end": (bytes) => flip(bytes, bytes.length - 1),
  "of another version": (bytes) =>
    Buffer.from(bytes.toString("latin1").replace(/"kind":"\d+/, '"kind":"0'), "latin1"),
};

function flip(bytes: Buffer, at: number): Buffer {
  return Buffer.from(bytes.map((byte, i) => (i === at ? byte ^ 1 : byte)));
}

function unpacked(bytes: Buffer): string {
  try {
    return inflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }).toString("latin1");
  } catch {
    return "";
  }
}

describe("an index that follows logs", () => {
  test.each(Object.keys(events))("is the one that is built from nothing after %s", async (event) => {
    const library = makeLibrary();
    const home = homeWithLogs(library);
    const engine = keepingEngine(library);
    await follow(library, engine);
    for (const step of events[event] ?? []) {
      step(join(home, LOG), home);
      await follow(library, engine);
      // What is gone from the disk stays in the index, and is not in one that is built from nothing.
      if (readdirSync(join(home, PROJECT)).includes(`${ID}.jsonl`))
        expect(await dumpIndex(engine)).toEqual(await dumpRebuilt(library));
    }
  });

  test("does not put again what it has", async () => {
    const library = makeLibrary();
    const log = join(homeWithLogs(library), LOG);
    const engine = keepingEngine(library);
    await follow(library, engine);
    expect(keptTurns(library)).toBe(0);
    appendFileSync(log, says("x1", lastIn(log), "Done with zanzibar."));
    await follow(library, engine);
    expect(keptTurns(library)).toBeGreaterThanOrEqual(30);
  });

  test("does not hand a long session that has grown to threads, which would put all of it again", async () => {
    const library = makeLibrary();
    const log = join(homeWithLogs(library), LOG);
    // A machine that crashes leaves zeros: they are a line that can't be read, and make the log long.
    truncateSync(log, 30 * 1024 * 1024);
    appendFileSync(log, "\n");
    const engine = keepingEngine(library);
    await follow(library, engine);
    appendFileSync(log, says("x1", "a29", "Done with zanzibar."));
    const handed: string[] = [];
    const read = await refreshIndex(library, {
      engine,
      checkpoints: EVERY_TAIL,
      workers: {
        minBytes: 24 * 1024 * 1024,
        read: async (sessions) => {
          handed.push(...sessions.map(({ key }) => key));
          return [];
        },
      },
    });
    expect(read).toMatchObject({ read: 1 });
    expect(handed).toEqual([]);
    expect(keptTurns(library)).toBeGreaterThanOrEqual(30);
  });

  test("reads a log that has grown from where it was read to", async () => {
    const read: string[] = [];
    const made = makeLibrary();
    const disk: Disk = {
      ...nodeDisk,
      readChunks: (path, options) => {
        if (options?.to === undefined) read.push(`${path} ${(options?.from ?? 0) > 0}`);
        return nodeDisk.readChunks(path, options);
      },
    };
    const library = { ...made, disk };
    const log = join(homeWithLogs(library), LOG);
    const engine = keepingEngine(library);
    const grow = async (uuid: string): Promise<readonly string[]> => {
      appendFileSync(log, says(uuid, lastIn(log), "Done with zanzibar."));
      read.length = 0;
      await follow(library, engine);
      return [...read];
    };
    await follow(library, engine);
    expect(await grow("x1")).toEqual([`${log} false`]);
    expect(await grow("x2")).toEqual([`${log} true`]);
    expect(await grow("x3")).toEqual([`${log} true`]);
    for (const [name, harm] of Object.entries(harms)) {
      const [tail = ""] = tailsOf(library);
      writeFileSync(tail, harm(readFileSync(tail)));
      expect(await grow(name), name).toEqual([`${log} false`]);
      expect(await dumpIndex(engine)).toEqual(await dumpRebuilt(library));
      expect(await grow(`${name} again`), name).toEqual([`${log} true`]);
    }
  });

  test.each(Object.entries(OTHERS))("reads a log of %s from where it was read to", async (_, path) => {
    const read: string[] = [];
    const made = makeLibrary();
    const disk: Disk = {
      ...nodeDisk,
      readChunks: (from, options) => {
        if (options?.to === undefined) read.push(`${from} ${(options?.from ?? 0) > 0}`);
        return nodeDisk.readChunks(from, options);
      },
    };
    const library = { ...made, disk };
    const log = join(homeWithLogs(library), path);
    const bytes = readFileSync(log);
    const engine = keepingEngine(library);
    truncateSync(log, Math.floor(bytes.length / 2));
    await follow(library, engine);
    for (const [share, isTail] of [
      [0.6, false],
      [0.7, true],
      [0.71, true],
      [1, true],
    ] as const) {
      const { size } = statSync(log);
      appendFileSync(log, bytes.subarray(size, Math.floor(bytes.length * share)));
      read.length = 0;
      await follow(library, engine);
      expect(read).toEqual([`${log} ${isTail}`]);
      expect(await dumpIndex(engine)).toEqual(await dumpRebuilt(library));
    }
  });

  test("does not take the tail of another log for its own", async () => {
    const library = makeLibrary();
    const log = join(homeWithLogs(library), LOG);
    const other = join(dirname(log), "1a1b2c3d-0000-4000-8000-00000000abcd.jsonl");
    writeFileSync(other, readFileSync(log, "utf8").replaceAll("garden", "meadow"));
    const engine = keepingEngine(library);
    const growBoth = async (uuid: string): Promise<void> => {
      for (const path of [log, other]) appendFileSync(path, says(uuid, lastIn(path), "Done with the file."));
      await follow(library, engine);
    };
    await follow(library, engine);
    await growBoth("x1");
    const [first = "", second = ""] = tailsOf(library);
    copyFileSync(first, second);
    await growBoth("x2");
    expect(await dumpIndex(engine)).toEqual(await dumpRebuilt(library));
  });

  test("has a line that came while its log was read, at the next look at the latest", async () => {
    const made = makeLibrary();
    let late: (() => void) | undefined;
    const disk: Disk = {
      ...nodeDisk,
      *readChunks(path, options) {
        yield* nodeDisk.readChunks(path, options);
        if (path !== log || options?.to !== undefined || late === undefined) return;
        late();
        late = undefined;
        // Half of it is there when the end is read again.
        yield* nodeDisk.readChunks(path, { ...options, from: sizeBefore });
      },
    };
    const library = { ...made, disk };
    const log = join(homeWithLogs(library), LOG);
    const engine = keepingEngine(library);
    await follow(library, engine);
    let sizeBefore = 0;
    for (const uuid of ["x1", "x2", "x3"]) {
      appendFileSync(log, says(uuid, lastIn(log), "Done with it."));
      sizeBefore = statSync(log).size;
      const last = lastIn(log);
      late = () => appendFileSync(log, says(`${uuid}-late`, last, "And one more file.").slice(0, 100));
      await follow(library, engine);
      appendFileSync(log, says(`${uuid}-late`, last, "And one more file.").slice(100));
      await follow(library, engine);
      expect(await dumpIndex(engine)).toEqual(await dumpRebuilt(library));
    }
  });

  test("keeps nothing of what it read that says anything without the log", async () => {
    const library = makeLibrary();
    const log = join(homeWithLogs(library), LOG);
    const engine = keepingEngine(library);
    await follow(library, engine);
    appendFileSync(log, says("x1", lastIn(log), "The password is hunter2-zanzibar-81."));
    await follow(library, engine);
    const tails = tailsOf(library);
    expect(tails).toHaveLength(1);
    const bytes = readFileSync(tails[0] ?? "");
    for (const word of ["hunter2", "zanzibar", "garden", "error", ID])
      expect(bytes.includes(word)).toBe(false);
    // The texts are packed before they are sealed: what is not sealed must not unpack to them.
    for (let at = 0; at < Math.min(bytes.length, 2_000); at++)
      expect(unpacked(bytes.subarray(at))).not.toContain("garden");
  });

  test("forgets how far a log was read along with its session", async () => {
    const library = makeLibrary();
    const log = join(homeWithLogs(library), LOG);
    const engine = keepingEngine(library);
    await follow(library, engine);
    appendFileSync(log, says("x1", lastIn(log), "Done."));
    await follow(library, engine);
    expect(tailsOf(library)).toHaveLength(1);
    await forgetSession(library, { agent: "claude", id: ID, copy: null }, { locking });
    expect(tailsOf(library)).toEqual([]);
  });

  test("takes tails away that are old, or too long for the logs there are", async () => {
    const library = makeLibrary();
    const log = join(homeWithLogs(library), LOG);
    const engine = keepingEngine(library);
    const grow = async (uuid: string, tails: object): Promise<readonly string[]> => {
      appendFileSync(log, says(uuid, lastIn(log), "Done."));
      await refreshIndex(library, { engine, checkpoints: { ...EVERY_TAIL, ...tails } });
      return tailsOf(library);
    };
    await follow(library, engine);
    expect(await grow("x1", { room: 1_000 })).toEqual([]);
    expect(await grow("x2", {})).toHaveLength(1);
    expect(await grow("x3", { sinceMs: Date.now() + 60_000 })).toEqual([]);
    expect(await grow("x4", { leastBytes: 10_000_000 })).toEqual([]);
    expect(await grow("x5", {})).toHaveLength(1);
    await refreshIndex(library, { engine, rebuild: true });
    expect(tailsOf(library)).toEqual([]);
  });

  test("is the one that is built from nothing, whatever pieces come", async () => {
    const source = makeLibrary();
    const from = homeWithLogs(source);
    const logs = readdirSync(from, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".jsonl"))
      .sort();
    /** What happens between two refreshes: so much more of some logs is there. */
    const arbitraryStep = fc.array(
      fc.record({ log: fc.nat(logs.length - 1), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
      { minLength: 1, maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryStep, { minLength: 2, maxLength: 5 }), async (steps) => {
        const library = makeLibrary();
        const { home } = library.environment;
        cpSync(from, home, { recursive: true });
        const rest = logs.map((log) => {
          const path = join(home, log);
          const bytes = readFileSync(path);
          // A third is there from the beginning, cut anywhere.
          const at = Math.floor(bytes.length / 3);
          writeFileSync(path, bytes.subarray(0, at));
          return { path, bytes, at };
        });
        const engine = keepingEngine(library);
        await follow(library, engine);
        for (const step of [...steps, logs.map((_, log) => ({ log, share: 1 }))]) {
          for (const { log, share } of step) {
            const file = rest[log];
            if (file === undefined) continue;
            const end = file.at + Math.ceil((file.bytes.length - file.at) * share);
            appendFileSync(file.path, file.bytes.subarray(file.at, end));
            file.at = end;
          }
          await follow(library, engine);
          expect(await dumpIndex(engine)).toEqual(await dumpRebuilt(library));
        }
        rmSync(home, { recursive: true });
      }),
      { numRuns: 8 },
    );
  });
});
