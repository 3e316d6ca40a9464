import { createHash } from "node:crypto";
import { cpSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { actionsOf } from "../../src/agents/actions.ts";
import { NORMAL_RULE, planClaudeCompaction } from "../../src/agents/claude/compact.ts";
import type { LogSnapshot } from "../../src/agents/log-snapshot.ts";
import { storeUpkeep } from "../../src/forget.ts";
import { createLibrary, type Library } from "../../src/fs/library.ts";
import { createMemoryDisk } from "../../src/fs/memory-disk.ts";
import { nodeProcesses } from "../../src/fs/processes.ts";
import { rawLines } from "../../src/jsonl/lines.ts";
import { type RewritePlan, rewrittenBytes } from "../../src/jsonl/rewrite-plan.ts";
import { type SessionPointer, sessionPointers } from "../../src/search/session-pointers.ts";
import { flattenSession } from "../../src/shrink/flatten-session.ts";
import { openSidecar } from "../../src/shrink/open-sidecar.ts";
import { planFlatten } from "../../src/shrink/plan-flatten.ts";
import { planUnflatten } from "../../src/shrink/plan-unflatten.ts";
import { unflattenSession } from "../../src/shrink/unflatten-session.ts";
import { quickDisk } from "../crash/quick-disk.ts";
import { realHome, temporaryFolder } from "./support/real-home.ts";

const folder = temporaryFolder();
const home = join(folder.path, "home");
const store = join(folder.path, "store");
const locking = { processes: nodeProcesses, ...storeUpkeep, wait: async () => {} };

let library: Library;

beforeAll(async () => {
  for (const agent of [".claude", ".pi"])
    cpSync(join(realHome(), agent), join(home, agent), { recursive: true });
  library = await createLibrary({
    disk: { ...quickDisk, stat: (path) => (path.startsWith("/proc/") ? undefined : quickDisk.stat(path)) },
    home,
    variables: { SESSIONS_HOME: store },
    folder: home,
    // They were copied a moment ago.
    now: () => Date.now() + 3_600_000,
    isRunning: () => false,
  });
});

afterAll(() => folder.remove());

const pathOf = ({ files }: SessionPointer): string => files.files[0]?.path ?? "";
const stateOf = (path: string): string =>
  `${createHash("sha256").update(readFileSync(path)).digest("hex")} ${statSync(path).mode.toString(8)}`;
const sessionsOf = (agents: readonly string[]): readonly SessionPointer[] =>
  sessionPointers(library)
    .all()
    .filter(
      ({ agent, files, kept }) =>
        agents.includes(agent) && kept === undefined && files.files[0]?.role === "main",
    );

/** Names, parents and tool pairs of a line that can be read. */
function skeleton(bytes: Buffer): string {
  try {
    const { type, uuid, parentUuid, message } = JSON.parse(bytes.toString("utf8"));
    const blocks = Array.isArray(message?.content) ? message.content : [];
    return JSON.stringify([
      type,
      uuid,
      parentUuid,
      message?.id,
      ...blocks.map((block: Record<string, unknown> | null) => [
        block?.type,
        block?.id,
        block?.tool_use_id,
        block?.name,
      ]),
    ]);
  } catch {
    return bytes.toString("latin1");
  }
}

/** The engine around the plans is the same for all: a part of the sessions is enough for it. */
const EVERY = 8;

const apply = (plan: RewritePlan, bytes: Buffer): Buffer => Buffer.concat([...rewrittenBytes(plan, [bytes])]);

function logOf(bytes: Buffer): Pick<LogSnapshot, "chunks" | "mark" | "range" | "parts"> {
  return {
    mark: { size: bytes.length, mtimeMs: 0, inode: 0 },
    chunks: () => [bytes],
    range: (from, to) => bytes.subarray(from, to),
    parts: (from, to) => [bytes.subarray(from, to)],
  };
}

describe("every real log", () => {
  test("is flattened, and comes back with the same bytes", () => {
    const sessions = sessionsOf(["claude", "pi"]);
    expect(sessions.length).toBeGreaterThan(100);
    const total = { files: 0, blocks: 0, bytes: 0, saved: 0 };
    const rule = { minBytes: 1024, copies: true };
    for (const { agent, id, files } of sessions) {
      for (const { path } of files.files.filter(({ role }) => role === "main" || role === "subagent")) {
        const bytes = readFileSync(path);
        const finder = actionsOf(agent).flattening?.finder ?? (() => () => []);
        const flat = planFlatten(logOf(bytes), id, undefined, finder, rule);
        const disk = createMemoryDisk(() => 0);
        flat.builder.write(disk, "/x.flat", { agent, id, path, ...rule, original: flat.original });
        const sidecar = openSidecar(disk, "/x.flat");
        if (sidecar === undefined) throw new Error("no sidecar");
        const after = apply(flat.plan, bytes);
        const log = logOf(after);
        const back = planUnflatten(agent, log, { sidecar, archived: () => [] });
        expect([path, back.isExact, apply(back.plan, after).equals(bytes)]).toEqual([path, true, true]);
        expect([path, back.left, back.missing]).toEqual([path, [], []]);
        // The same from the archive alone, as if the sidecar were gone.
        const kept = {
          generation: 1,
          path,
          chunks: () => [bytes],
          parts: (from: number, length: number) => [bytes.subarray(from, from + length)],
        };
        const found = planUnflatten(agent, log, { sidecar: undefined, archived: () => [kept] });
        if (flat.blocks > 0) expect([path, apply(found.plan, after).equals(bytes)]).toEqual([path, true]);
        total.files++;
        total.blocks += flat.blocks;
        total.bytes += bytes.length;
        total.saved += bytes.length - after.length;
      }
    }
    process.stdout.write(`flattened ${JSON.stringify(total)}\n`);
    expect(total.blocks).toBeGreaterThan(1_000);
  });

  test("is compacted: every line is there, in order, others untouched; twice is once", () => {
    const total = { files: 0, parts: 0, bytes: 0, saved: 0 };
    const rule = NORMAL_RULE;
    for (const session of sessionsOf(["claude"])) {
      const bytes = readFileSync(pathOf(session));
      const { plan, shrunk } = planClaudeCompaction(() => [bytes], bytes.length, rule);
      const once = apply(plan, bytes);
      const before = [...rawLines([bytes])];
      const after = [...rawLines([once])];
      expect([session.id, after.length]).toEqual([session.id, before.length]);
      for (const [at, line] of after.entries()) {
        const was = before[at]?.bytes ?? Buffer.alloc(0);
        if (!line.bytes.equals(was)) expect(skeleton(line.bytes)).toBe(skeleton(was));
      }
      expect(planClaudeCompaction(() => [once], once.length, rule).shrunk).toEqual([]);
      total.files++;
      total.parts += shrunk.length;
      total.bytes += bytes.length;
      total.saved += bytes.length - once.length;
    }
    process.stdout.write(`compacted ${JSON.stringify(total)}\n`);
    expect(total.parts).toBeGreaterThan(1_000);
  });
});

describe("every eighth real session", () => {
  test("is flattened and comes back with the same bytes and mode, and nothing is left over", async () => {
    const sessions = sessionsOf(["claude", "pi"]).filter((_, at) => at % EVERY === 0);
    expect(sessions.length).toBeGreaterThan(20);
    const total = { blocks: 0, before: 0, saved: 0, tokens: 0, tokensSaved: 0 };
    for (const session of sessions) {
      const path = pathOf(session);
      const before = stateOf(path);
      const flat = await flattenSession(library, session, {
        rule: { minBytes: 1024, copies: true },
        locking,
      });
      total.blocks += flat.blocks;
      total.before += statSync(path).size + flat.diskBytesSaved;
      total.saved += flat.diskBytesSaved;
      total.tokens += flat.contextTokensTotal;
      total.tokensSaved += flat.contextTokensSaved;
      const again = await flattenSession(library, session, {
        rule: { minBytes: 1024, copies: true },
        locking,
      });
      expect([path, again.blocks, again.diskBytesSaved]).toEqual([path, 0, 0]);
      const { isExact, blocks } = await unflattenSession(library, session, { locking });
      expect([path, stateOf(path), isExact, blocks]).toEqual([path, before, true, flat.blocks]);
    }
    const left = readdirSync(join(store, "flat"), { recursive: true, encoding: "utf8" });
    expect(left.filter((name) => name.includes("."))).toEqual([]);
    process.stdout.write(`${sessions.length} sessions: ${JSON.stringify(total)}\n`);
    expect(total.blocks).toBeGreaterThan(100);
  });
});
