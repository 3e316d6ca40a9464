import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { killAtRandom } from "../../crash/kill-at-random.ts";
import { bundleScript, type Script, spawnScript } from "../../crash/spawn-script.ts";
import { applyChanges, engineIn, mustRead, withIndexFolder } from "../../support/index/index-folder.ts";
import { planFor, session, words } from "../../support/index/tiny-history.ts";

let script: Script;
beforeAll(() => {
  script = bundleScript("../search/paged/scripts/write-index.ts");
});
afterAll(() => script.remove());

/** Keys of all sessions; each is found by a search too. Undefined where there is no index yet. */
async function keysIn(folder: string): Promise<string[] | undefined> {
  const opened = await engineIn(folder).read();
  if (opened.kind === "absent") return undefined;
  if (opened.kind !== "open") throw new Error(opened.what);
  const { reader } = opened;
  try {
    const stored = await reader.rows({ limit: 1_000 });
    const answer = await reader.search(planFor(words("deploy"), { limit: 1000 }));
    if (stored.kind !== "rows" || answer.kind !== "answer") throw new Error("damaged");
    const keys = [...stored.rows].map(({ key }) => key).sort();
    expect(new Set(keys).size).toBe(keys.length);
    expect(answer.total).toBe(keys.length);
    expect(answer.hits.map(({ key }) => key).sort()).toEqual(keys);
    return keys;
  } finally {
    await reader.close();
  }
}

describe("several processes", () => {
  test("that write at once lose nothing of each other, and a reader sees a whole index all the time", async () => {
    await withIndexFolder(async (folder) => {
      const names = ["one", "two", "three"];
      const commits = 8;
      let running = names.length;
      const ends = names.map(async (name) => {
        const child = spawnScript(script.path, [folder, name, String(commits)]);
        let errors = "";
        child.stderr?.on("data", (part) => {
          errors += String(part);
        });
        const [code] = await once(child, "close");
        running--;
        return `${code} ${errors}`;
      });
      let seen = 0;
      while (running > 0) {
        const keys = await keysIn(folder);
        if (keys !== undefined) {
          expect(keys.length).toBeGreaterThanOrEqual(seen);
          expect(keys).toContain("shared");
          seen = keys.length;
        }
        await pause(5);
      }
      expect(await Promise.all(ends)).toEqual(["0 ", "0 ", "0 "]);
      const wanted = names.flatMap((name) => Array.from({ length: commits }, (_, i) => `${name}-${i}`));
      expect(await keysIn(folder)).toEqual(["shared", ...wanted].sort());
    });
  });

  test("that are killed at any moment leave an index that can be read, and written on", async () => {
    await withIndexFolder(async (folder) => {
      await applyChanges(engineIn(folder), [{ kind: "put", session: session("first", "x", ["deploy"]) }]);
      const committed = new Set(["first"]);
      for (let round = 0; round < 6; round++) {
        const name = `round${round}`;
        const { stdout } = await killAtRandom(script.path, [folder, name, "1000"], {
          seed: round,
          withinMs: 150,
        });
        for (const number of stdout.split("\n").slice(0, -1)) committed.add(`${name}-${number}`);
        const keys = (await keysIn(folder)) ?? [];
        expect(keys, `round ${round}`).toEqual(expect.arrayContaining([...committed]));
        for (const key of keys) committed.add(key);
      }
      await applyChanges(engineIn(folder), [{ kind: "put", session: session("last", "x", ["deploy"]) }]);
      expect(await keysIn(folder)).toEqual([...committed, "last"].sort());
      await (await mustRead(engineIn(folder))).close();
    });
  });
});
