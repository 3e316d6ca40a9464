import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, test } from "vitest";
import type { SummaryBy } from "../../../src/agents/agent-actions.ts";
import { piExtension } from "../../../src/agents/pi/extension.ts";
import { readPiExtensionEvent } from "../../../src/agents/pi/extension-events.ts";
import { makeLogHome } from "../../support/archive/log-home.ts";
import fc from "../../support/fc.ts";
import { makeWorld } from "../../support/make-world.ts";
import { loadExtension, type PiHost } from "../../support/pi-host.ts";
import { bundle, runBundle } from "../../support/run-bundle.ts";

interface Ground {
  readonly host: PiHost;
  readonly home: string;
  readonly log: string;
  readonly id: string;
  /** Every file of the store. */
  stored(): readonly string[];
}

const runtime = [process.execPath, ...(process.versions.deno === undefined ? [] : ["run", "-A", "--quiet"])];

/** Our extension in a stand-in for Pi, and the bundled program behind it, in a home of its own. */
async function ground(
  summaryBy: SummaryBy,
  program: readonly string[] = [...runtime, bundle],
): Promise<Ground> {
  const { home } = makeWorld();
  const { files, ids } = makeLogHome(home);
  const log = files.find(({ path }) => path.includes(".pi"))?.path ?? "";
  const store = join(home, ".sessions");
  // Nothing of this machine's own environment reaches the program.
  const variables = [
    `PATH=${process.env.PATH}`,
    `HOME=${home}`,
    `SESSIONS_HOME=${store}`,
    "SESSIONS_GUARD=off",
  ];
  const text = piExtension.text(["/usr/bin/env", "-i", ...variables, ...program], summaryBy);
  return {
    host: await loadExtension(text, { log, sessionId: "here", folder: home }),
    home,
    log,
    id: ids.pi,
    stored: () => (existsSync(store) ? readdirSync(store, { recursive: true, encoding: "utf8" }) : []),
  };
}

const user = (text: string): object => ({ role: "user", content: [{ type: "text", text }] });
const wrote = {
  role: "assistant",
  content: [{ type: "toolCall", id: "c", name: "write", arguments: { path: "a.ts", content: "x" } }],
};

function preparation(more: object = {}): object {
  return {
    firstKeptEntryId: "kept",
    tokensBefore: 99,
    messagesToSummarize: [user("Build the bridge. Never use wood."), wrote],
    turnPrefixMessages: [],
    isSplitTurn: false,
    fileOps: { read: new Set(["b.ts", "a.ts"]), written: new Set(["a.ts"]), edited: new Set() },
    ...more,
  };
}

describe("the Pi extension", () => {
  test("answers a compaction with our summary, after the session was archived", async () => {
    const { host, home, log, id } = await ground("sessions");
    const answer = await host.fire("session_before_compact", {
      preparation: preparation({
        previousSummary: "## Goal\nFirst find a river\n\n<read-files>\nold.ts\n</read-files>",
      }),
    });
    expect(answer).toMatchObject({
      compaction: {
        firstKeptEntryId: "kept",
        tokensBefore: 99,
        details: { readFiles: ["b.ts", "old.ts"], modifiedFiles: ["a.ts"] },
        summary: expect.stringMatching(/^## Goal\nFirst find a river\n- Build the bridge/),
      },
    });
    const to = join(home, "restored");
    await runBundle(["restore", id, "--to", to], {
      home,
      variables: { SESSIONS_HOME: join(home, ".sessions") },
    });
    const [restored] = readdirSync(to, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".jsonl"),
    );
    expect(readFileSync(join(to, restored ?? "")).equals(readFileSync(log))).toBe(true);
    expect(host.notices).toEqual([]);
  });

  test("sums up both parts of a split turn, and masks what is secret", async () => {
    const { host } = await ground("sessions");
    const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
    const answer = await host.fire("session_before_compact", {
      preparation: preparation({ turnPrefixMessages: [user(`And the road, with the key ${secret}`)] }),
    });
    const { summary } = Object(answer).compaction;
    expect(summary).toContain(
      "**Turn Context (split turn):**\n\n## Original Request\nAnd the road, with the key [masked",
    );
    expect(summary).not.toContain(secret);
  });

  test("leaves images out of what it sends", async () => {
    const { host } = await ground("sessions");
    const image = { type: "image", mimeType: "image/png", data: "A".repeat(70 * 1024 * 1024) };
    const answer = await host.fire("session_before_compact", {
      preparation: preparation({
        messagesToSummarize: [
          { role: "user", content: [{ type: "text", text: "Look at this bridge" }, image] },
        ],
      }),
    });
    expect(Object(answer).compaction.summary).toContain("Look at this bridge");
  });

  test.each([
    ["Pi's own summary was chosen", "agent", {}],
    ["the user says what the summary should look at", "sessions", { customInstructions: "only the tests" }],
  ] as const)("leaves the summary to Pi if %s, and archives all the same", async (_case, by, more) => {
    const { host, stored } = await ground(by);
    expect(
      await host.fire("session_before_compact", { preparation: preparation(), ...more }),
    ).toBeUndefined();
    expect(stored().some((name) => name.endsWith(".md"))).toBe(true);
  });

  test("answers a branch that is left with a summary, if the user wants one", async () => {
    const { host, stored } = await ground("sessions");
    const entriesToSummarize = [
      { type: "message", id: "1", parentId: null, message: user("Try it with ropes") },
      { type: "message", id: "2", parentId: "1", message: wrote },
    ];
    const fire = (more: object): Promise<unknown> =>
      host.fire("session_before_tree", {
        preparation: { entriesToSummarize, userWantsSummary: true, ...more },
      });
    expect(await fire({})).toMatchObject({
      summary: {
        summary: expect.stringContaining("## Goal\nTry it with ropes"),
        details: { readFiles: [], modifiedFiles: ["a.ts"] },
      },
    });
    expect(await fire({ userWantsSummary: false })).toBeUndefined();
    expect(await fire({ entriesToSummarize: [] })).toBeUndefined();
    expect(stored().some((name) => name.endsWith(".md"))).toBe(true);
  });

  test("archives the session when it ends", async () => {
    const { host, stored } = await ground("agent");
    expect(await host.fire("session_shutdown", { reason: "quit" })).toBeUndefined();
    expect(stored().some((name) => name.endsWith(".md"))).toBe(true);
  });

  test.each([
    ["is not there", [...runtime, "/nowhere/sessions.cjs"], /^sessions could not be run.*not archived/],
    ["can't be started", ["/nowhere/node"], /^sessions could not be run.*not archived/],
  ])("does nothing if the program %s, and says so once", async (_case, program, notice) => {
    const { host } = await ground("sessions", program);
    for (let at = 0; at < 2; at++)
      expect(await host.fire("session_before_compact", { preparation: preparation() })).toBeUndefined();
    expect(host.notices).toEqual([expect.stringMatching(notice)]);
    await expect(host.tool("sessions_search", { query: "x" })).rejects.toThrow();
  });

  test("does not wait for the program when the user stops the compaction", async () => {
    const { home } = makeWorld();
    const script = join(home, "forever.cjs");
    writeFileSync(script, "setInterval(() => {}, 1000)");
    const { host } = await ground("sessions", [...runtime, script]);
    const stop = new AbortController();
    const answer = host.fire("session_before_compact", { preparation: preparation(), signal: stop.signal });
    stop.abort();
    expect(await answer).toBeUndefined();
    expect(host.notices).toEqual([]);
  });

  test("has tools with plain JSON Schema, which find and read sessions as quoted text", async () => {
    const { host, id } = await ground("agent");
    for (const { parameters } of host.tools.values()) {
      expect(JSON.parse(JSON.stringify(parameters))).toEqual(parameters);
      expect(parameters).toMatchObject({ type: "object" });
    }
    expect([...host.tools.keys()]).toEqual(["sessions_search", "sessions_read"]);
    const found = await host.tool("sessions_search", { query: "agent:pi", limit: 3 });
    expect(found).toMatch(/^\[sessions\] Quoted from old sessions/);
    expect(found).toContain(id);
    expect(await host.tool("sessions_read", { session: id, turns: "1" })).toMatch(/^\[sessions\] Quoted/);
    expect(await host.tool("sessions_search", { query: "nothinglikethis" })).toMatch(
      /^not found in conversations or tool output: nothinglikethis\nNo match in 4 sessions/,
    );
    // A query is never a flag; it still has its own language.
    expect(await host.tool("sessions_search", { query: "--help" })).toMatch(/^\[sessions\]|^No |^not found/);
    expect(await host.tool("sessions_search", { query: "--help" })).not.toContain("Usage");
    await expect(host.tool("sessions_read", { session: "nope" })).rejects.toThrow(/nope/);
  });

  test("/sessions lets the user choose a session, and brings it in", async () => {
    const { host, id } = await ground("agent");
    await host.command("sessions", "agent:pi");
    expect(host.offered).toHaveLength(1);
    expect(host.offered[0]?.[0]).toMatch(/^1\. .* \(pi, \d{4}-\d\d-\d\d\)$/);
    expect(host.sent).toMatchObject([
      { customType: "sessions", display: true, content: expect.stringMatching(/^\[sessions\] Quoted/) },
    ]);
    expect(host.sent[0]?.content).not.toContain("\u001b");
    await host.command("sessions", "nothinglikethis");
    expect(host.notices).toEqual(["No earlier session was found."]);
    expect(id).not.toBe("");
  });

  test("says who writes summaries, so that a new installation can keep it", () => {
    for (const by of ["agent", "sessions"] as const)
      expect(piExtension.summaryBy(piExtension.text(["node"], by))).toBe(by);
    expect(piExtension.summaryBy("export default () => {}")).toBeUndefined();
  });

  test("imports nothing but Node's own modules, whatever the program is called", () => {
    const text = piExtension.text(['C:\\Program Files\\node "1".exe', "a$`b"], "agent");
    expect([...text.matchAll(/^import .* from "(.*)";$/gm)].map(([, name]) => name)).toEqual([
      "node:child_process",
    ]);
    expect(text).toContain(JSON.stringify(['C:\\Program Files\\node "1".exe', "a$`b"]));
  });
});

describe("readPiExtensionEvent()", () => {
  test.each([
    ["", "before-compact", "stdin is not a JSON object"],
    ["[]", "shutdown", "stdin is not a JSON object"],
    ['{"summarize":true}', "before-compact", "messagesToSummarize is not a list"],
    ['{"summarize":true,"entriesToSummarize":{}}', "before-tree", "entriesToSummarize is not a list"],
  ])("refuses %j of %s", (text, name, what) => {
    expect(readPiExtensionEvent(text, name)).toEqual({ kind: "bad", what });
  });

  test("makes a summary of any messages", () => {
    const role = fc.constantFrom(
      "user",
      "assistant",
      "toolResult",
      "bashExecution",
      "compactionSummary",
      "other",
    );
    const message = fc.record({
      role,
      content: fc.jsonValue(),
      summary: fc.jsonValue(),
      command: fc.jsonValue(),
    });
    fc.assert(
      fc.property(fc.array(fc.oneof(message, fc.jsonValue())), fc.jsonValue(), (messages, other) => {
        const sent = {
          summarize: true,
          messagesToSummarize: messages,
          turnPrefixMessages: other,
          fileOps: other,
        };
        const read = readPiExtensionEvent(JSON.stringify(sent), "before-compact");
        if (read.kind !== "good") throw new Error(read.what);
        expect(read.event.answer?.((value) => value)).toMatchObject({ summary: expect.any(String) });
      }),
    );
  });
});
