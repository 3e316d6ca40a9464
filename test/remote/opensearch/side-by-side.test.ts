import { cpSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { qualityQueries } from "../../quality/ask-queries.ts";
import { realHome, temporaryFolder } from "../../real/support/real-home.ts";
import { compareEngines } from "./support/side-by-side.ts";
import { clusterUrls, isWithoutCluster, withAlias } from "./support/test-engine.ts";

/** Every eighth of the labelled queries, over small logs; `npm run bench:remote quality` asks all, over all logs. */
const sample = qualityQueries.filter((_, i) => i % 8 === 0);
const SMALL = 200 * 1024;

test.skipIf(isWithoutCluster || !hasRealLogs())(
  "the cluster finds the same five sessions as the embedded engine for 95 % of labelled queries on real logs",
  { timeout: 600_000 },
  async () => {
    const folder = temporaryFolder();
    const home = join(folder.path, "home");
    const projects = join(".claude", "projects");
    cpSync(join(realHome(), projects), join(home, projects), {
      recursive: true,
      filter: (path) => statSync(path).isDirectory() || statSync(path).size < SMALL,
    });
    try {
      await withAlias(async (alias) => {
        const store = join(folder.path, "store");
        const found = await compareEngines(home, store, { urls: clusterUrls, alias }, sample);
        expect(found.queries).toBeGreaterThan(30);
        expect(found.sessions).toBeGreaterThan(80);
        expect(found.sameFive / found.queries, found.others.join("\n")).toBeGreaterThanOrEqual(0.95);
      });
    } finally {
      folder.remove();
    }
  },
);

function hasRealLogs(): boolean {
  try {
    return realHome() !== "";
  } catch (error) {
    console.warn(`The engines are not compared on real logs: ${String(error)}`);
    return false;
  }
}
