import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { verifyArchive } from "../../src/archive/verify-archive.ts";
import { storeUpkeep } from "../../src/forget.ts";
import type { Disk } from "../../src/fs/disk.ts";
import type { Library } from "../../src/fs/library.ts";
import { selectSession } from "../../src/search/select-sessions.ts";
import { compactSession } from "../../src/shrink/compact-session.ts";
import { everyDeath } from "../crash/every-death.ts";
import { village } from "../crash/village.ts";
import { filesBelow } from "../support/archive/source-files.ts";
import { loadClaw } from "../support/claw-loader.ts";
import { libraryIn } from "../support/library-in.ts";
import { loadPi } from "../support/pi-loader.ts";

const NOW = Date.UTC(2026, 10, 16, 12);
const people = village();

function libraryOn(disk: Disk, folder: string): Library {
  return libraryIn(join(folder, "home"), { disk, now: () => NOW, store: join(folder, "store") });
}

/** A process compacts and is gone, if it was killed or not. */
async function compact(disk: Disk, folder: string, id: string): Promise<void> {
  const processes = people.born();
  const library = libraryOn(disk, folder);
  const rule = { auto: false, aggressive: false, preserve: 1, "max-tokens": 0, "keep-recent": 10 };
  try {
    await compactSession(library, selectSession(library, [id]), {
      rule,
      locking: { processes, ...storeUpkeep, wait: async () => {} },
    });
  } finally {
    people.kill(processes);
  }
}

const text = (words: string): string => JSON.stringify(`${words} ${"word ".repeat(20)}`);
const piMessage = (at: number, role: string): string =>
  `{"type":"message","id":"entry${at}","parentId":${at === 1 ? null : `"entry${at - 1}"`},"timestamp":"2026-06-01T00:00:00.000Z","message":{"role":"${role}","content":${text(role)}}}\n`;
const clawMessage = (role: string): string =>
  `{"message":{"blocks":[{"text":${text(role)},"type":"text"}],"role":"${role}"},"type":"message"}\n`;

const logs = [
  {
    agent: "Pi",
    id: "pi-session",
    path: ".pi/agent/sessions/--work-shop--/2026-06-01T00-00-00-000Z_pi-session.jsonl",
    log: `{"type":"session","version":3,"id":"pi-session","timestamp":"2026-06-01T00:00:00.000Z","cwd":"/work/shop"}\n${piMessage(1, "user")}${piMessage(2, "assistant")}${piMessage(3, "user")}`,
    load: loadPi,
  },
  {
    agent: "claw-code",
    id: "session-1775400000000-0",
    path: ".claw/sessions/session-1775400000000-0.jsonl",
    log: `{"created_at_ms":1,"session_id":"session-1775400000000-0","type":"session_meta","updated_at_ms":1,"version":1}\n${clawMessage("user")}${clawMessage("assistant")}${clawMessage("user")}`,
    load: loadClaw,
  },
] as const;

describe("killed at every call", () => {
  it.each(logs)(
    "compact leaves the old or the new log of $agent, and the next run completes",
    async (each) => {
      let compacted = "";
      const deaths = await everyDeath(
        (_, folder) => {
          const path = join(folder, "home", each.path);
          fs.mkdirSync(join(path, ".."), { recursive: true });
          fs.writeFileSync(path, each.log);
          fs.utimesSync(path, NOW / 1000 - 3_600, NOW / 1000 - 3_600);
          return path;
        },
        (disk, folder) => compact(disk, folder, each.id),
        async (disk, folder, path, { diedAt }) => {
          const left = fs.readFileSync(path, "utf8");
          await compact(disk, folder, each.id);
          const after = fs.readFileSync(path, "utf8");
          compacted ||= after;
          expect(after).toBe(compacted);
          expect(after).not.toBe(each.log);
          expect(diedAt === undefined ? [after] : [each.log, after]).toContain(left);
          expect(() => each.load(after)).not.toThrow();
          expect((await verifyArchive(libraryOn(disk, folder))).damages).toEqual([]);
          const litter = [...filesBelow(folder).keys()].filter((name) =>
            /^home\/.*\.tmp$|rewrites\/(?:open\/|.*\.tmp$)/.test(name),
          );
          expect(litter).toEqual([]);
        },
        // The engine is one for all agents, and other tests kill it in every way.
        { aftermaths: ["names-lost"] },
      );
      expect(deaths.count).toBeGreaterThan(30);
    },
  );
});
