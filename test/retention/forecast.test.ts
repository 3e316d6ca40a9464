import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { retentionStatus } from "../../src/retention/retention-status.ts";
import { claudeLog } from "../support/archive/log-home.ts";
import fc from "../support/fc.ts";
import { makeLibrary } from "../support/make-library.ts";
import { sweep } from "../support/retention/claude-sweep.ts";

const NOW = Date.UTC(2026, 10, 16, 12);

/** What may stand in a settings file. */
const content = fc.constantFrom(
  undefined,
  undefined,
  "{}",
  '{"model":"opus"}',
  '{"cleanupPeriodDays":1}',
  '{"cleanupPeriodDays":7,"other":[1]}',
  '{"cleanupPeriodDays":45}',
  '{"cleanupPeriodDays":99999}',
);
/** One file in three homes is wrong. */
const wrong = fc.constantFrom(
  '{"cleanupPeriodDays":0}',
  '{"cleanupPeriodDays":"30"}',
  '{"cleanupPeriodDays":-1}',
  '{"a":',
);
const layers = fc
  .tuple(fc.array(content, { minLength: 6, maxLength: 6 }), fc.nat({ max: 17 }), wrong)
  .map(([files, at, bad]) => files.map((file, index) => (index === at ? bad : file)));
const ages = fc.uniqueArray(fc.integer({ min: 0, max: 120 * 24 }), { minLength: 1, maxLength: 6 });

test("what the forecast says will go is what the sweep deletes at that time, with settings of every kind", () => {
  const library = makeLibrary({ nowMs: NOW });
  const { home } = library.environment;
  const root = join(home, "..");
  const places = {
    managed: join(root, "managed"),
    project: join(root, "shop"),
    claude: join(home, ".claude"),
  };
  let swept = 0;
  fc.assert(
    fc.property(
      layers,
      ages,
      fc.array(fc.integer({ min: 1, max: 200 * 24 }), { minLength: 1, maxLength: 3 }),
      (files, hours, laters) => {
        for (const folder of [...Object.values(places), join(root, "given")]) {
          fs.rmSync(folder, { recursive: true, force: true });
          fs.mkdirSync(folder, { recursive: true });
        }
        fs.mkdirSync(join(places.project, ".claude"));
        const commandLine = files[1] === undefined ? undefined : join(root, "given", "x.json");
        const paths = [
          join(places.managed, "managed-settings.json"),
          join(root, "given", "x.json"),
          join(places.project, ".claude", "settings.local.json"),
          join(places.project, ".claude", "settings.json"),
          join(places.claude, "settings.local.json"),
          join(places.claude, "settings.json"),
        ];
        for (const [index, path] of paths.entries()) {
          const text = files[index];
          if (text !== undefined) fs.writeFileSync(path, text);
        }
        for (const [index, age] of hours.entries()) {
          const id = `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
          const log = join(places.claude, "projects", "-shop", `${id}.jsonl`);
          fs.mkdirSync(join(log, ".."), { recursive: true });
          fs.writeFileSync(log, claudeLog(id, places.project, "Add a cart"));
          const seconds = (NOW - age * 3_600_000) / 1000;
          fs.utimesSync(log, seconds, seconds);
        }
        const started = { ...library, environment: { ...library.environment, folder: places.project } };
        // The clock only goes forward: what one sweep deleted is gone at the next.
        const gone = new Set<string>();
        const forecasts = laters
          .toSorted((a, b) => a - b)
          .map((later) => {
            const [status] = retentionStatus(started, {
              rows: [],
              managedFolder: places.managed,
              commandLine,
              withinMs: later * 3_600_000,
            });
            return { later, ids: (status?.atRisk ?? []).map(({ id }) => id).toSorted() };
          });
        for (const { later, ids } of forecasts) {
          for (const id of sweep({ ...places, commandLine }, NOW + later * 3_600_000)) gone.add(id);
          expect([...gone].toSorted()).toEqual(ids);
          swept += ids.length;
        }
      },
    ),
    { numRuns: 150 },
  );
  expect(swept).toBeGreaterThan(100);
});
