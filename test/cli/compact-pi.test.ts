import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { makeWorld, type TestWorld } from "../support/make-world.ts";
import { loadPi } from "../support/pi-loader.ts";

const NOW = Date.UTC(2026, 10, 16, 12);

/** A log of Pi with a request, a call and its result in each of some turns; every text has 400 characters. */
function piLog(version: 1 | 2 | 3, turns: number): string {
  const lines: object[] = [
    {
      type: "session",
      ...(version === 1 ? {} : { version }),
      id: "pi-session",
      timestamp: time(0),
      cwd: "/work/shop",
    },
  ];
  const add = (message: object): void => {
    const at = lines.length;
    const names = version === 1 ? {} : { id: `entry${at}`, parentId: at === 1 ? null : `entry${at - 1}` };
    lines.push({ type: "message", ...names, timestamp: time(at), message });
  };
  for (let turn = 1; turn <= turns; turn++) {
    add({ role: "user", content: text(`Request ${turn}.`), timestamp: 1 });
    const call = {
      type: "toolCall",
      id: `call${turn}`,
      name: turn % 2 === 0 ? "edit" : "read",
      arguments: { path: `src/${turn}.ts` },
    };
    add({
      role: "assistant",
      content: [{ type: "text", text: text(`Reply ${turn}.`) }, call],
      stopReason: "toolUse",
    });
    add({
      role: "toolResult",
      toolCallId: `call${turn}`,
      toolName: "read",
      content: [{ type: "text", text: text(`Result ${turn}.`) }],
      isError: false,
    });
    add({ role: "assistant", content: [{ type: "text", text: text(`Done ${turn}.`) }], stopReason: "stop" });
  }
  return `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
}

function text(beginning: string): string {
  return beginning.padEnd(400, " word");
}

function time(at: number): string {
  return new Date(Date.UTC(2026, 5, 1) + at * 1000).toISOString();
}

function ground(log: string): {
  world: TestWorld;
  path: string;
  ask: (...argv: readonly string[]) => Promise<Asked>;
} {
  const world = makeWorld({ nowMs: NOW });
  const folder = join(world.home, ".pi/agent/sessions/--work-shop--");
  fs.mkdirSync(folder, { recursive: true });
  const path = join(folder, "2026-06-01T00-00-00-000Z_pi-session.jsonl");
  fs.writeFileSync(path, log);
  fs.utimesSync(path, NOW / 1000 - 3_600, NOW / 1000 - 3_600);
  return {
    world,
    path,
    async ask(...argv) {
      const from = world.out().length;
      const code = await run(["compact", "pi-session", ...argv], world);
      const out = world.out().slice(from);
      return { code, out, err: world.err(), json: argv.includes("--json") ? JSON.parse(out) : undefined };
    },
  };
}

interface Asked {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into by path, as a script would.
  readonly json: any;
}

describe("sessions compact, Pi", () => {
  test.each([1, 2, 3] as const)(
    "appends a compaction to a log of version %i and removes nothing",
    async (version) => {
      const log = piLog(version, 8);
      const { path, ask, world } = ground(log);
      const { code, json } = await ask("--keep-recent", "500", "--json");
      expect(code).toBe(0);
      const after = fs.readFileSync(path, "utf8");
      expect(after.startsWith(log)).toBe(true);
      expect(after.slice(log.length).trim().split("\n")).toHaveLength(1);
      // The last turn has 400 tokens and a call: the cut goes through the one before it, at its last reply.
      expect(loadPi(after).context).toEqual([33, 28, 29, 30, 31, 32]);
      const entry = JSON.parse(after.slice(log.length));
      expect(entry.summary).toContain("## Goal\nRequest 1.");
      expect(entry.summary).toContain("**Turn Context (split turn):**\n\n## Original Request\nRequest 7.");
      expect(entry.details).toEqual({
        readFiles: ["src/1.ts", "src/3.ts", "src/5.ts", "src/7.ts"],
        modifiedFiles: ["src/2.ts", "src/4.ts", "src/6.ts"],
      });
      expect(entry.summary).toMatch(
        /<modified-files>\nsrc\/2\.ts\nsrc\/4\.ts\nsrc\/6\.ts\n<\/modified-files>$/,
      );
      if (version === 3)
        await expect(
          `${JSON.stringify(json, undefined, 2).replaceAll(world.root, "/root")}\n`,
        ).toMatchFileSnapshot("./golden/compact-pi.json");
      expect(json.after.total).toBeLessThan(json.before.total);
    },
  );

  test("says that nothing has to be restored, and twice is once", async () => {
    const { path, ask } = ground(piLog(3, 8));
    const { out } = await ask("--keep-recent", "500");
    expect(out).toContain("Everything is still in the log: the compaction was appended to it.");
    expect(out).not.toContain("sessions restore");
    const once = fs.readFileSync(path);
    expect((await ask("--keep-recent", "500")).out).toBe(
      "Nothing to do: nothing was said since its last compaction.\n",
    );
    expect(fs.readFileSync(path)).toEqual(once);
  });

  test.each([50, 80])("fits a terminal of %i columns", async (columns) => {
    const { world } = ground(piLog(3, 8));
    const stdout = { ...world.stdout, isTerminal: true, columns };
    const argv = ["compact", "pi-session", "--dry-run", "--keep-recent", "500"];
    expect(await run(argv, { ...world, stdout })).toBe(0);
    const lines = world.out().split("\n");
    expect(lines).toContainEqual(expect.stringMatching(/^The log keeps everything:/));
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
  });

  test("merges the summary of the compaction before", async () => {
    const { path, ask } = ground(piLog(3, 8));
    await ask("--keep-recent", "500", "--force");
    const first = JSON.parse(fs.readFileSync(path, "utf8").trim().split("\n").at(-1) ?? "");
    const next = {
      type: "message",
      id: "later",
      parentId: first.id,
      message: { role: "user", content: text("Later.") },
    };
    const reply = {
      type: "message",
      id: "end",
      parentId: "later",
      message: { role: "assistant", content: text("Fine.") },
    };
    fs.appendFileSync(path, `${JSON.stringify(next)}\n${JSON.stringify(reply)}\n`);
    expect((await ask("--keep-recent", "50", "--force")).code).toBe(0);
    const second = JSON.parse(fs.readFileSync(path, "utf8").trim().split("\n").at(-1) ?? "");
    expect(second.summary).toContain("## Goal\nRequest 1.");
    expect(second.details.modifiedFiles).toEqual(["src/2.ts", "src/4.ts", "src/6.ts", "src/8.ts"]);
    expect(second.firstKeptEntryId).toBe("end");
  });

  test("ends a last line that has no end, and leaves a torn one as it is", async () => {
    const log = `${piLog(3, 8)}{"type":"message","id":"torn`;
    const { path, ask } = ground(log);
    expect((await ask("--keep-recent", "500")).code).toBe(0);
    const after = fs.readFileSync(path, "utf8");
    expect(after.startsWith(`${log}\n{"type":"compaction"`)).toBe(true);
    expect(loadPi(after).context[0]).toBe(33);
  });

  test("--auto waits until the context is beyond the window without the reserve", async () => {
    const { path, ask } = ground(piLog(3, 8));
    const before = fs.readFileSync(path);
    const flags = ["--auto", "--keep-recent", "500", "--context-window", "4000"];
    const { code, out } = await ask(...flags, "--reserve", "500");
    expect(code).toBe(0);
    expect(out).toMatch(/^Nothing to do: its context of \d+ tokens is not beyond 3500\.\n$/);
    expect(fs.readFileSync(path)).toEqual(before);
    await ask(...flags, "--reserve", "1000");
    expect(fs.readFileSync(path).length).toBeGreaterThan(before.length);
  });

  test("--dry tells the same and changes nothing", async () => {
    const { path, ask } = ground(piLog(3, 8));
    const before = fs.readFileSync(path);
    const dry = await ask("--keep-recent", "500", "--dry", "--json");
    expect(fs.readFileSync(path)).toEqual(before);
    const real = await ask("--keep-recent", "500", "--json");
    expect(dry.json.after).toEqual(real.json.after);
    expect(dry.json.bytesAfter).toBe(real.json.bytesAfter);
  });

  test("--fork leaves the log as it is and writes a compacted one that Pi loads", async () => {
    const { path, ask } = ground(piLog(3, 8));
    const before = fs.readFileSync(path);
    const { json } = await ask("--keep-recent", "500", "--fork", "--json");
    expect(fs.readFileSync(path)).toEqual(before);
    const fork = fs.readFileSync(json.fork.source, "utf8");
    expect(loadPi(fork).context).toEqual([33, 28, 29, 30, 31, 32]);
    expect(JSON.parse(fork.split("\n")[0] ?? "")).toMatchObject({
      type: "session",
      id: json.fork.sessionId,
      parentSession: path,
    });
  });

  test("masks secrets in what it hands to the agent", async () => {
    const secret = `ghp_${"aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gH6"}`;
    const log = piLog(3, 8).replace("Request 1.", `Use the token ${secret} for it.`);
    const { path, ask } = ground(log);
    await ask("--keep-recent", "500");
    const added = fs.readFileSync(path, "utf8").slice(log.length);
    expect(added).toContain("Use the token");
    expect(added).not.toContain(secret);
  });

  test("refuses a log that Pi itself would not load", async () => {
    const { path, ask } = ground(piLog(3, 8).split("\n").slice(1).join("\n"));
    const before = fs.readFileSync(path);
    const { code, err } = await ask("--keep-recent", "500");
    expect(code).toBe(4);
    expect(err).toContain("no header");
    expect(fs.readFileSync(path)).toEqual(before);
  });
});
