import fs from "node:fs";
import { describe, expect, test } from "vitest";
import type { Disk } from "../../../src/fs/disk.ts";
import type { Lock } from "../../../src/fs/lock.ts";
import type { IndexedSession, SearchWriter } from "../../../src/search/engine.ts";
import { openIndexReader } from "../../../src/search/paged/embedded-engine.ts";
import { createIndexWriter } from "../../../src/search/paged/index-writer.ts";
import type { MergePolicy } from "../../../src/search/paged/merge-policy.ts";
import type { ReusePolicy } from "../../../src/search/paged/reuse-turns.ts";
import { everyDeath } from "../../crash/every-death.ts";
import { smallSchema } from "../../support/index/small-schema.ts";
import { keysOf, planFor, session, words } from "../../support/index/tiny-history.ts";

/** A process that dies in a test is not gone, so a real lock would stay held: the lock has its own tests. */
const lock: Lock = { path: "", isOurs: () => true, release: () => {} };

const mergeAll: MergePolicy = (segments) => (segments.length > 1 ? segments.map((_, i) => i) : []);

const keepAll: ReusePolicy = (sizes) => sizes.length;

function write(disk: Disk, folder: string, plan?: MergePolicy): SearchWriter {
  const plans = { reuse: keepAll, ...(plan === undefined ? {} : { merge: plan }) };
  return createIndexWriter(disk, folder, smallSchema, lock, plans);
}

async function put(writer: SearchWriter, sessions: readonly IndexedSession[]): Promise<void> {
  for (const entry of sessions) await writer.put(entry);
  expect(await writer.commit({ tidy: "all" })).toEqual({ kind: "committed" });
  await writer.close();
}

/** What the index says: each session's turn, and what a search finds. Or that there is none. */
async function contents(disk: Disk, folder: string): Promise<string> {
  const opened = openIndexReader(disk, folder, smallSchema);
  if (opened.kind !== "open") return opened.kind;
  const stored = await opened.reader.rows({ limit: 1_000 });
  if (stored.kind !== "rows") return stored.what;
  const rows = [...stored.rows].map(({ key, row }) => `${key} ${row}`).sort();
  const answer = await opened.reader.search(planFor(words("deploy")));
  if (answer.kind !== "answer") return answer.what;
  await opened.reader.close();
  return JSON.stringify([rows, stored.sessions, answer.total, keysOf(answer).sort()]);
}

const first = [session("a", "one", ["deploy it"]), session("b", "two", ["deploy that"])];
const second = [session("b", "two, again", ["nothing here"]), session("c", "three", ["deploy there"])];
/** The first of them has grown: its first turn stays where it is. */
const third = [
  session("a", "one, longer", ["deploy it", "deploy it again"]),
  session("c", "three", ["deploy"]),
];

async function expectNoLitter(disk: Disk, folder: string): Promise<void> {
  await put(write(disk, folder), [session("z", "last", ["x"])]);
  const segments = fs.readdirSync(folder).filter((name) => name.endsWith(".seg"));
  const manifest = fs.readFileSync(`${folder}/manifest`, "utf8");
  expect(segments.filter((name) => !manifest.includes(name))).toEqual([]);
}

describe("a process that dies at any call to the disk", () => {
  test("while it makes the index leaves none or all of it", async () => {
    const { count } = await everyDeath(
      () => undefined,
      (disk, folder) => put(write(disk, folder), first),
      async (disk, folder, _, ending) => {
        const found = await contents(disk, folder);
        if (found === "absent") expect(ending.diedAt).toBeDefined();
        else expect(found).toContain('2,["a","b"]');
        await expectNoLitter(disk, folder);
      },
    );
    expect(count).toBeGreaterThan(5);
  });

  const ways = [
    { name: "adds to it", sessions: second, after: '3,2,["a","c"]' },
    { name: "adds to it and merges", sessions: second, after: '3,2,["a","c"]', plan: mergeAll },
    { name: "adds to a session that has grown", sessions: third, after: '3,3,["a","b","c"]' },
    {
      name: "adds to a session that has grown, and merges",
      sessions: third,
      after: '3,3,["a","b","c"]',
      plan: mergeAll,
    },
  ];
  for (const { name, sessions, after, plan } of ways) {
    test(`while it ${name} leaves what was or what shall be`, async () => {
      const { count } = await everyDeath(
        async (disk, folder) => {
          await put(write(disk, folder), first);
          return contents(disk, folder);
        },
        (disk, folder) => put(write(disk, folder, plan), sessions),
        async (disk, folder, before, ending) => {
          const found = await contents(disk, folder);
          if (found === before) expect(ending.diedAt).toBeDefined();
          else expect(found).toContain(after);
          await expectNoLitter(disk, folder);
        },
      );
      expect(count).toBeGreaterThan(5);
    });
  }
});
