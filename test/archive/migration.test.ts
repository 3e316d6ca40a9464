import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type History, openHistory } from "../../src/index.ts";
import { quickDisk } from "../crash/quick-disk.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { OLD_IDS, OLD_STORE_NOW_MS, oldLogs, putOldStore } from "../support/archive/old-store.ts";

const open = (home: string): Promise<History> =>
  openHistory({ home, env: {}, now: () => OLD_STORE_NOW_MS, disk: quickDisk });

/** A home with a store of version 1, and the bytes of its logs. */
function oldHome(): { readonly home: string; readonly read: (id: string) => readonly string[] } {
  const home = temporaryFolder();
  putOldStore(home);
  return {
    home,
    read: (id) => Object.values(oldLogs(home, id)).map((path) => fs.readFileSync(path, "utf8")),
  };
}

function removeLogs(home: string): void {
  fs.rmSync(join(home, ".claude"), { recursive: true });
}

describe("a store of version 1, with two logs of one id in a record", () => {
  it("is migrated before a restore, which brings back both logs", async () => {
    const { home, read } = oldHome();
    const before = read(OLD_IDS.rewritten);
    const { shop, copy } = oldLogs(home, OLD_IDS.rewritten);
    removeLogs(home);
    const history = await open(home);
    await history.restore(copy);
    expect([fs.existsSync(shop), fs.existsSync(copy)]).toEqual([false, true]);
    await history.restore(OLD_IDS.rewritten, { allCopies: true });
    expect(read(OLD_IDS.rewritten)).toEqual(before);
    await history.restore(copy, { generation: 1, force: true });
    expect(read(OLD_IDS.rewritten)[1]).toContain("both of the copy");
    expect(read(OLD_IDS.rewritten)[0]).toBe(before[0]);
  });

  it("is split also for a session that version 1 had forgotten, when that is undone", async () => {
    const { home, read } = oldHome();
    const before = read(OLD_IDS.forgotten);
    const history = await open(home);
    await history.archive();
    expect(await history.undoForget(OLD_IDS.forgotten)).toMatchObject({ broughtBack: true });
    removeLogs(home);
    for (const path of Object.values(oldLogs(home, OLD_IDS.forgotten)))
      expect((await history.restore(path)).sessions).toMatchObject([{ outcome: "restored" }]);
    expect(read(OLD_IDS.forgotten)).toEqual(before);
  });

  it("still has what was moved out of a log", async () => {
    const { home, read } = oldHome();
    const { shop } = oldLogs(home, OLD_IDS.flattened);
    const history = await open(home);
    expect(await history.unflatten(shop)).toMatchObject({ isExact: true, markersLeft: 0, sidecar: null });
    const flattened = read(OLD_IDS.flattened);
    removeLogs(home);
    await history.restore(shop, { generation: 1 });
    expect(fs.readFileSync(shop, "utf8")).toBe(flattened[0]);
  });
});
