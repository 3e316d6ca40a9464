import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { IndexDamage } from "../../../src/fs/damage.ts";
import type { SearchEngine } from "../../../src/search/engine.ts";
import { applyChanges, engineIn, mustWrite, withIndexFolder } from "../../support/index/index-folder.ts";
import { openAll, planFor, session, word, words } from "../../support/index/tiny-history.ts";

/** Random bytes in the texts, so that they stay long when compressed: more than one page of everything. */
const history = Array.from({ length: 40 }, (_, i) =>
  session(
    `session-${i}`,
    `title number ${i} ${noise(i)}`,
    Array.from({ length: 4 }, (_, k) => ({
      request: `deploy ${noise(i * 7 + k)}`,
      reply: noise(i + k * 100),
      output: noise(i + k * 1000),
    })),
    i,
  ),
);

function noise(seed: number): string {
  let state = seed + 1;
  return Array.from({ length: 30 }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return `w${(state >>> 8).toString(36)}`;
  }).join(" ");
}

/** Everything that an index can be asked, as one text; "damaged" as soon as it says so. */
async function readEverything(engine: SearchEngine): Promise<string> {
  const opened = await engine.read();
  if (opened.kind !== "open") return opened.kind;
  const { reader } = opened;
  try {
    const parts: unknown[] = [];
    for (const wanted of [
      words("deploy"),
      words("tittle numbre"),
      [word("w1", { prefix: true })],
      words("number 7"),
    ]) {
      const answer = await reader.search(planFor(wanted, { limit: 50, filter: { since: 0 } }));
      if (answer.kind !== "answer") return answer.kind;
      parts.push(await openAll(answer));
      const plain = await reader.search(planFor(wanted, { limit: 50, turnsPerHit: 9 }));
      if (plain.kind !== "answer") return plain.kind;
      parts.push(await openAll(plain));
    }
    const all = await reader.rows({ limit: 1_000 });
    if (all.kind !== "rows") return all.kind;
    parts.push(all.sessions, all.turns, reader.state, all.rows);
    for (const { key } of history) {
      const stored = await reader.session(key);
      if (stored !== undefined && stored.kind !== "session") return stored.kind;
      parts.push(stored, await stored?.documents());
    }
    return JSON.stringify(parts);
  } catch (error) {
    // What is opened late throws what the rest gives back.
    if (error instanceof IndexDamage) return "damaged";
    throw error;
  } finally {
    await reader.close();
  }
}

async function buildIndex(folder: string): Promise<string> {
  const engine = engineIn(folder);
  await applyChanges(engine, [
    ...history.slice(0, 30).map((entry) => ({ kind: "put", session: entry }) as const),
    { kind: "commit" },
    ...history.slice(20).map((entry) => ({ kind: "put", session: entry }) as const),
    { kind: "remove", key: "session-3" },
  ]);
  const whole = await readEverything(engine);
  expect(whole.length).toBeGreaterThan(10_000);
  return whole;
}

function flipBit(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
  return changed;
}

const damages: Readonly<Record<string, (bytes: Buffer, at: number) => Buffer>> = {
  "a flipped bit": flipBit,
  "a cut": (bytes, at) => bytes.subarray(0, at),
  "zeros up to the end": (bytes, at) =>
    Buffer.concat([bytes.subarray(0, at), Buffer.alloc(bytes.length - at)]),
  "a page of zeros": (bytes, at) => {
    const changed = Buffer.from(bytes);
    changed.fill(0, at, Math.min(changed.length, at + 4096));
    return changed;
  },
  "bytes put in": (bytes, at) => Buffer.concat([bytes.subarray(0, at), Buffer.from("x"), bytes.subarray(at)]),
};

describe("an index with damage", () => {
  for (const [name, damage] of Object.entries(damages)) {
    test(`(${name}) says so or answers the same, wherever it is`, async () => {
      await withIndexFolder(async (folder) => {
        const whole = await buildIndex(folder);
        let noticed = 0;
        for (const file of fs.readdirSync(folder)) {
          const path = join(folder, file);
          const bytes = fs.readFileSync(path);
          for (let i = 0; i < 60; i++) {
            const changed = damage(bytes, Math.floor((bytes.length * i) / 60));
            if (changed.equals(bytes)) continue;
            fs.writeFileSync(path, changed);
            const found = await readEverything(engineIn(folder));
            if (found !== whole) {
              expect(["damaged", "version"], `${name} at ${i}/60 of ${file}`).toContain(found.slice(0, 20));
              noticed++;
            }
          }
          fs.writeFileSync(path, bytes);
        }
        expect(noticed).toBeGreaterThan(100);
        expect(await readEverything(engineIn(folder))).toBe(whole);
      });
    });
  }

  test("that lost a segment says so", async () => {
    await withIndexFolder(async (folder) => {
      await buildIndex(folder);
      const [segment = ""] = fs.readdirSync(folder).filter((name) => name.endsWith(".seg"));
      fs.rmSync(join(folder, segment));
      expect(await readEverything(engineIn(folder))).toBe("damaged");
    });
  });

  test.each([
    ["manifest", /^manifest$/],
    ["segment", /\.seg$/],
  ])("(all zeros in the %s) tells the writer, who can then start again", async (name, pattern) => {
    await withIndexFolder(async (folder) => {
      const whole = await buildIndex(folder);
      const path = join(folder, fs.readdirSync(folder).find((file) => pattern.test(file)) ?? "");
      fs.writeFileSync(path, Buffer.alloc(fs.statSync(path).size));

      const writer = await mustWrite(engineIn(folder));
      if (name === "segment") {
        await writer.put(session("session-1", "another version", ["y"]));
        expect(await writer.commit({ tidy: "little" })).toMatchObject({ kind: "damaged" });
        writer.clear();
      }
      for (const entry of history) if (entry.key !== "session-3") await writer.put(entry);
      expect(await writer.commit({ tidy: "all" })).toEqual({ kind: "committed" });
      await writer.close();

      const rebuilt: unknown[] = JSON.parse(await readEverything(engineIn(folder)));
      const before: unknown[] = JSON.parse(whole);
      // Answers and stored sessions are the same; rows come in another order.
      expect(rebuilt.slice(0, 11)).toEqual(before.slice(0, 11));
      expect(rebuilt.slice(12)).toEqual(before.slice(12));
    });
  });
});
