import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { findPlaces } from "../../src/fs/places.ts";
import { readHookFailures } from "../../src/retention/hook-log.ts";
import { makeLogHome } from "../support/archive/log-home.ts";
import { type MakeWorldOptions, makeWorld } from "../support/make-world.ts";

const NOW = Date.UTC(2026, 10, 16, 12);

/** A world in which programs can be started in the background, as on a real machine. */
function ground(options: MakeWorldOptions & { readonly empty?: boolean } = {}) {
  let now = NOW;
  const made = makeWorld({ nowMs: NOW, ...options });
  const logs = options.empty === true ? undefined : makeLogHome(made.home, { project: "/work/shop" });
  const started: (readonly string[])[] = [];
  const ask = async (...argv: readonly string[]): Promise<number> => {
    const works: (() => Promise<void>)[] = [];
    const code = await run(argv, {
      ...made,
      now: () => now,
      afterwards: (work) => works.push(work),
      startDetached: async (args) => started.push(args) > 0,
    });
    for (const work of works) await work();
    return code;
  };
  return {
    world: made,
    log: logs?.files[0]?.path ?? "",
    started,
    ask,
    later: (ms: number) => {
      now += ms;
    },
  };
}

describe("any command", () => {
  test.each([["search", "shop"], ["list"], ["pending"], ["overview"], ["archive"]])(
    "starts the guard behind its answer (%s), at most once a minute",
    async (...argv) => {
      const { ask, started, later } = ground();
      await ask(...argv);
      expect(started).toEqual([["guard"]]);
      await ask(...argv);
      later(59_000);
      await ask(...argv);
      expect(started).toHaveLength(1);
      later(1_000);
      await ask(...argv);
      expect(started).toHaveLength(2);
    },
  );

  test("starts nothing where nothing needs it, until logs have changed", async () => {
    const { ask, started, later, log } = ground();
    await ask("guard");
    later(120_000);
    await ask("list");
    await ask("search", "shop");
    await ask("archive");
    expect(started).toEqual([]);
    fs.appendFileSync(log, "\n");
    await ask("list");
    expect(started).toEqual([["guard"]]);
  });

  test.each([["help"], ["version"], ["hook", "pre-compact"], ["guard"]])(
    "starts nothing by itself: %s",
    async (...argv) => {
      const { ask, started } = ground();
      await ask(...argv);
      expect(started).toEqual([]);
    },
  );

  test("starts nothing for the example history, nor where it is switched off", async () => {
    const demo = ground({ empty: true });
    await demo.ask("list");
    await demo.ask("archive");
    expect(demo.started).toEqual([]);
    expect(fs.existsSync(join(demo.world.home, ".sessions", "logs"))).toBe(false);
    const off = ground();
    const variables = { ...off.world.variables, SESSIONS_GUARD: "off" };
    await run(["list"], {
      ...off.world,
      variables,
      afterwards: () => expect.fail("nothing is to be done afterwards"),
      startDetached: () => expect.fail("nothing is to be started"),
    });
  });

  test("answers as ever where the store can't be written", async () => {
    const { ask, started, world } = ground();
    fs.writeFileSync(join(world.home, ".sessions"), "no folder");
    expect(await ask("list")).toBe(0);
    expect(started).toEqual([]);
  });
});

describe("guard", () => {
  test("archives, says how much, and notes what went wrong", async () => {
    const { ask, world } = ground();
    expect(await ask("guard", "--json")).toBe(0);
    expect(JSON.parse(world.out())).toEqual({ schemaVersion: 1, archived: 4, problems: [], synced: [] });
    const places = findPlaces(world);
    fs.writeFileSync(places.version, '{"version":999}');
    expect(await ask("guard")).toBe(5);
    expect(readHookFailures({ disk: world.disk, places })).toEqual([
      { at: NOW, event: "guard", what: expect.stringContaining("version is 999") },
    ]);
  });

  test("archives the bytes alone if the settings are broken, and notes where", async () => {
    const { ask, world } = ground();
    const places = findPlaces(world);
    fs.mkdirSync(places.home);
    fs.writeFileSync(places.config, "{");
    expect(await ask("guard")).toBe(3);
    expect(world.out()).toBe("4 sessions archived.\n");
    expect(world.err()).toContain("config.json:1:2");
    expect(readHookFailures({ disk: world.disk, places })).toEqual([
      { at: NOW, event: "guard", what: expect.stringContaining("config.json:1:2") },
    ]);
    expect(fs.existsSync(places.raw)).toBe(true);
    expect(fs.existsSync(places.archive)).toBe(false);
    expect(fs.existsSync(places.index)).toBe(false);
  });
});
