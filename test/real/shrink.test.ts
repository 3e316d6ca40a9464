import { createHash } from "node:crypto";
import { cpSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rawLines } from "../../src/formats/raw-lines.ts";
import { createLibrary } from "../../src/operations/create-library.ts";
import type { Library } from "../../src/operations/library.ts";
import { type SessionPointer, sessionPointers } from "../../src/operations/session-pointers.ts";
import { compactSession } from "../../src/operations/shrink/compact-session.ts";
import { flattenSession } from "../../src/operations/shrink/flatten-session.ts";
import { unflattenSession } from "../../src/operations/shrink/unflatten-session.ts";
import { nodeProcesses } from "../../src/store/node-processes.ts";
import { quickDisk } from "../crash/quick-disk.ts";
import { realHome, temporaryFolder } from "./support/real-home.ts";

const folder = temporaryFolder();
const home = join(folder.path, "home");
const store = join(folder.path, "store");
const locking = { processes: nodeProcesses, wait: async () => {} };

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
      ...[type, uuid, parentUuid, message?.id],
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

describe("every real session", () => {
  test("is flattened and comes back with the same bytes and mode, and nothing is left over", async () => {
    const sessions = sessionsOf(["claude", "pi"]);
    expect(sessions.length).toBeGreaterThan(100);
    const total = { blocks: 0, before: 0, saved: 0, tokens: 0, tokensSaved: 0 };
    for (const session of sessions) {
      const path = pathOf(session);
      const before = stateOf(path);
      const flat = await flattenSession(library, session, {
        wish: { minBytes: 1024, copies: true },
        locking,
      });
      total.blocks += flat.blocks;
      total.before += statSync(path).size + flat.diskBytesSaved;
      total.saved += flat.diskBytesSaved;
      total.tokens += flat.contextTokensTotal;
      total.tokensSaved += flat.contextTokensSaved;
      const again = await flattenSession(library, session, {
        wish: { minBytes: 1024, copies: true },
        locking,
      });
      expect([path, again.blocks, again.diskBytesSaved]).toEqual([path, 0, 0]);
      const { isExact, blocks } = await unflattenSession(library, session, { locking });
      expect([path, stateOf(path), isExact, blocks]).toEqual([path, before, true, flat.blocks]);
    }
    const left = readdirSync(join(store, "flat"), { recursive: true, encoding: "utf8" });
    expect(left.filter((name) => name.includes("."))).toEqual([]);
    process.stdout.write(`${sessions.length} sessions: ${JSON.stringify(total)}\n`);
    expect(total.blocks).toBeGreaterThan(1_000);
  });

  test("is compacted: every line is there, in order, others untouched; twice is once", async () => {
    const total = { sessions: 0, parts: 0, before: 0, after: 0, bytesBefore: 0, bytesAfter: 0 };
    const wish = { auto: false, aggressive: false };
    for (const session of sessionsOf(["claude"])) {
      const path = pathOf(session);
      const before = [...rawLines([readFileSync(path)])];
      const done = await compactSession(library, session, { wish, locking });
      if (done.nothing !== null) continue;
      total.sessions++;
      total.parts += done.shrunk.length;
      total.before += done.before.total;
      total.after += done.after.total;
      total.bytesBefore += done.bytesBefore;
      total.bytesAfter += done.bytesAfter;
      const once = readFileSync(path);
      const after = [...rawLines([once])];
      expect([path, after.length]).toEqual([path, before.length]);
      for (const [at, { bytes }] of after.entries()) {
        const was = before[at]?.bytes ?? Buffer.alloc(0);
        if (!bytes.equals(was)) expect(skeleton(bytes)).toBe(skeleton(was));
      }
      expect((await compactSession(library, session, { wish, locking })).nothing).not.toBeNull();
      expect(readFileSync(path).equals(once)).toBe(true);
    }
    process.stdout.write(`${JSON.stringify(total)}\n`);
    expect(total.parts).toBeGreaterThan(1_000);
  });
});
