import {
  appendFileSync,
  cpSync,
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
import { describe, expect, test } from "vitest";
import { refreshIndex } from "../../src/operations/indexing/refresh-index.ts";
import type { Library } from "../../src/operations/library.ts";
import { writeLog } from "../bench/support/write-logs.ts";
import fc from "../support/fc.ts";
import { dumpIndex, dumpRebuilt, keepingEngine, keptTurns } from "../support/index-dump.ts";
import { makeLibrary } from "../support/make-library.ts";

const demo = fileURLToPath(new URL("../../fixtures/demo", import.meta.url));
const PROJECT = ".claude/projects/-home-ana-garden";
const ID = "0a1b2c3d-0000-4000-8000-00000000abcd";
const LOG = `${PROJECT}/${ID}.jsonl`;
const SUBAGENT = `${PROJECT}/${ID}/subagents/agent-a0b1c2d3e4f5a6b7c.jsonl`;

/** The example history of all agents, and a session that is long enough to have a beginning. */
function homeWithLogs(library: Library): string {
  const { home } = library.surroundings;
  cpSync(demo, home, { recursive: true });
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

describe("an index that follows logs", () => {
  test.each(Object.keys(events))("is the one that is built from nothing after %s", async (event) => {
    const library = makeLibrary();
    const home = homeWithLogs(library);
    const engine = keepingEngine(library);
    await refreshIndex(library, { engine });
    for (const step of events[event] ?? []) {
      step(join(home, LOG), home);
      await refreshIndex(library, { engine });
      // What is gone from the disk stays in the index, and is not in one that is built from nothing.
      if (readdirSync(join(home, PROJECT)).includes(`${ID}.jsonl`))
        expect(await dumpIndex(engine)).toEqual(await dumpRebuilt(library));
    }
  });

  test("does not put again what it has", async () => {
    const library = makeLibrary();
    const log = join(homeWithLogs(library), LOG);
    const engine = keepingEngine(library);
    await refreshIndex(library, { engine });
    expect(keptTurns(library)).toBe(0);
    appendFileSync(log, says("x1", lastIn(log), "Done with zanzibar."));
    await refreshIndex(library, { engine });
    expect(keptTurns(library)).toBeGreaterThanOrEqual(30);
  });

  test("does not hand a long session that has grown to threads, which would put all of it again", async () => {
    const library = makeLibrary();
    const log = join(homeWithLogs(library), LOG);
    // A machine that crashes leaves zeros: they are a line that can't be read, and make the log long.
    truncateSync(log, 30 * 1024 * 1024);
    appendFileSync(log, "\n");
    const engine = keepingEngine(library);
    await refreshIndex(library, { engine });
    appendFileSync(log, says("x1", "a29", "Done with zanzibar."));
    const handed: string[] = [];
    const read = await refreshIndex(library, {
      engine,
      readInWorkers: async (sessions) => {
        handed.push(...sessions.map(({ key }) => key));
        return [];
      },
    });
    expect(read).toMatchObject({ read: 1 });
    expect(handed).toEqual([]);
    expect(keptTurns(library)).toBeGreaterThanOrEqual(30);
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
        const { home } = library.surroundings;
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
        await refreshIndex(library, { engine });
        for (const step of [...steps, logs.map((_, log) => ({ log, share: 1 }))]) {
          for (const { log, share } of step) {
            const file = rest[log];
            if (file === undefined) continue;
            const end = file.at + Math.ceil((file.bytes.length - file.at) * share);
            appendFileSync(file.path, file.bytes.subarray(file.at, end));
            file.at = end;
          }
          await refreshIndex(library, { engine });
          expect(await dumpIndex(engine)).toEqual(await dumpRebuilt(library));
        }
        rmSync(home, { recursive: true });
      }),
      { numRuns: 8 },
    );
  }, 120_000);
});
