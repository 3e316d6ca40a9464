import fs from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { storeUpkeep } from "../../src/forget.ts";
import { findPlaces } from "../../src/fs/places.ts";
import { prepareStore } from "../../src/fs/store.ts";
import { openHistory } from "../../src/index.ts";
import { everyDeath } from "../crash/every-death.ts";
import { quickDisk } from "../crash/quick-disk.ts";
import { OLD_STORE_NOW_MS, putOldStore } from "../support/archive/old-store.ts";
import { filesBelow } from "../support/archive/source-files.ts";

it("a store of version 1 is found, verified and restored whole, wherever its migration was killed", async () => {
  const { count } = await everyDeath(
    (_, folder) => {
      putOldStore(folder);
      const places = findPlaces({ home: folder, variables: {}, folder });
      return { places, raw: filesBelow(places.raw), logs: filesBelow(join(folder, ".claude")) };
    },
    (disk, _, { places }) => prepareStore(disk, places, { current: 2, steps: storeUpkeep.migrations }),
    async (_, folder, { places, raw, logs }) => {
      const history = await openHistory({
        home: folder,
        env: {},
        now: () => OLD_STORE_NOW_MS,
        disk: quickDisk,
      });
      fs.rmSync(join(folder, ".claude"), { recursive: true });
      await history.restore("all");
      expect((await history.verify()).damages).toEqual([]);
      const now = filesBelow(places.raw);
      for (const [name, bytes] of raw) expect([name, now.get(name)?.equals(bytes)]).toEqual([name, true]);
      const restored = filesBelow(join(folder, ".claude"));
      const kept = [...logs].filter(([name]) => !name.includes("2222"));
      // The flattened log is archived as it was before.
      for (const [name, bytes] of kept)
        expect([name, name.includes("shop/3333") || restored.get(name)?.equals(bytes)]).toEqual([name, true]);
    },
  );
  expect(count).toBeGreaterThan(20);
});
