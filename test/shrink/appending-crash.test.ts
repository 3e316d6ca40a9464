import fs from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { nodeDisk } from "../../src/fs/node-disk.ts";
import { selectSession } from "../../src/search/select-sessions.ts";
import type { SessionPointer } from "../../src/search/session-pointers.ts";
import { compactSession } from "../../src/shrink/compact-session.ts";
import { flattenSession } from "../../src/shrink/flatten-session.ts";
import { unflattenSession } from "../../src/shrink/unflatten-session.ts";
import { bundleScript } from "../crash/spawn-script.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { locking, quickLibrary } from "../support/archive/archiving.ts";
import { numbersIn, startAppending, swapFirstLine, upTo } from "../support/shrink/appending.ts";
import { callOf, putToolLog, TOOL_SESSION, toolLog } from "../support/shrink/tool-log.ts";

const appender = bundleScript("scripts/append-numbers.ts");
afterAll(() => appender.remove());

it("swapFile() loses no line of a process that appends every 5 ms: 200 rounds", async () => {
  const folder = temporaryFolder();
  const paths = ["a", "b", "c", "d"].map((name) => join(folder, `${name}.jsonl`));
  for (const path of paths) fs.writeFileSync(path, "first\n", { mode: 0o640 });
  const appending = await startAppending(appender.path, paths);
  let carried = 0;
  await Promise.all(
    paths.map(async (path) => {
      for (let round = 0; round < 50; ) {
        const done = await swapFirstLine(nodeDisk, path, join(folder, "rewrites"), `first ${round}`, locking);
        // Between the look and the open it may have grown twice: then it is not what was planned.
        if (done.kind !== "done") continue;
        carried += done.carried;
        round++;
      }
    }),
  );
  const count = await appending.end();
  expect(count).toBeGreaterThan(100);
  for (const path of paths) {
    expect(numbersIn(path)).toEqual(upTo(count));
    expect(fs.readFileSync(path, "utf8").split("\n")[0]).toBe("first 49");
    expect(fs.statSync(path).mode & 0o7777).toBe(0o640);
  }
  expect(carried).toBeGreaterThan(0);
  expect(
    fs
      .readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.tmp|\.json$/.test(name)),
  ).toEqual([]);
});

it("flatten, unflatten and compact lose no line of a process that appends every 5 ms: 200 rounds", async () => {
  const library = { ...quickLibrary(), disk: nodeDisk };
  const log = toolLog([callOf("Read", 5_000), callOf("Bash", 100)]);
  const path = putToolLog(library.environment.home, log);
  const appending = await startAppending(appender.path, [path]);
  const session = (): SessionPointer => selectSession(library, [TOOL_SESSION]);
  const how = { force: true, locking };
  const flat = { minBytes: 1024, copies: true };
  const small = { auto: false, aggressive: true, keep: 0 };
  let refused = 0;
  const refuse = (): number => refused++;
  for (let round = 0; round < 67; round++) {
    await flattenSession(library, session(), { ...how, rule: flat }).catch(refuse);
    await unflattenSession(library, session(), how).catch(refuse);
    await compactSession(library, session(), { ...how, rule: small }).catch(refuse);
  }
  const count = await appending.end();
  expect(numbersIn(path)).toEqual(upTo(count));
  // One that finds the log moving again and again gives up, and says so.
  expect(refused).toBeLessThan(50);
  expect(fs.readdirSync(dirname(path))).toHaveLength(1);
});
