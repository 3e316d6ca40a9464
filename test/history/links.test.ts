import fs from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { type History, openHistory } from "../../src/index.ts";
import { quickDisk } from "../crash/quick-disk.ts";
import { claudeFolder } from "../support/archive/log-home.ts";
import { makeWorld } from "../support/make-world.ts";
import { TOOL_SESSION, toolLog } from "../support/shrink/tool-log.ts";
import { CALLS, putOld } from "../support/shrink/two-stores.ts";

const NOW_MS = Date.UTC(2026, 10, 17);
const LOG = toolLog(CALLS);

interface Ground {
  readonly home: string;
  /** The folder of Claude Code, which the home has a link to. */
  readonly folder: string;
  /** The log as the home has it, and with no link on the way. */
  readonly linked: string;
  readonly real: string;
  open(variables?: Readonly<Record<string, string>>): Promise<History>;
}

/** A home whose `.claude` is a link to another folder. */
function ground(): Ground {
  const { home, root, now, variables } = makeWorld({ nowMs: NOW_MS });
  const folder = join(root, "dotfiles", "claude");
  const log = join("projects", claudeFolder("/home/ana/shop"), `${TOOL_SESSION}.jsonl`);
  putOld(join(folder, log), LOG);
  putOld(
    join(folder, "projects", claudeFolder("/home/ana/shop"), TOOL_SESSION, "subagents", "agent-1.jsonl"),
    LOG.replaceAll('"isSidechain":false', '"isSidechain":true,"agentId":"1"'),
  );
  fs.symlinkSync(folder, join(home, ".claude"));
  return {
    home,
    folder,
    linked: join(home, ".claude", log),
    real: join(folder, log),
    open: (more = {}) => openHistory({ home, env: { ...variables, ...more }, now, disk: quickDisk }),
  };
}

const read = (path: string): string => fs.readFileSync(path, "utf8");
const totals = async (history: History): Promise<readonly unknown[]> => {
  const { rows } = await history.list();
  const { total } = await history.archive();
  return [rows.map(({ copies }) => copies), total.sessions];
};

describe("logs in a folder that is a link", () => {
  test("are forgotten and brought back by either path", async () => {
    const { open, linked, real } = ground();
    const history = await open();
    await history.archive();
    for (const [forgotten, undone] of [
      [real, linked],
      [linked, real],
      [real, real],
    ] as const) {
      await history.forget(forgotten);
      expect((await history.list()).total).toBe(0);
      expect(await history.undoForget(undone)).toMatchObject({ broughtBack: true });
      expect(await totals(history)).toEqual([[1], 1]);
    }
  });

  test("are brought back by either path also when they are gone", async () => {
    const { open, linked, real } = ground();
    const history = await open();
    await history.archive();
    await history.forget(real);
    fs.rmSync(real);
    expect(await history.undoForget(real)).toMatchObject({ broughtBack: true });
    for (const path of [real, linked]) {
      fs.rmSync(real, { force: true });
      expect((await history.restore(path)).sessions).toMatchObject([{ outcome: "restored" }]);
      expect(read(real)).toBe(LOG);
    }
  });

  test("are flattened by the one path and unflattened by the other", async () => {
    const { open, home, linked, real } = ground();
    const history = await open();
    fs.symlinkSync(dirname(real), join(home, "shop-logs"));
    const other = join(home, "shop-logs", `${TOOL_SESSION}.jsonl`);
    const { sidecar } = await history.flatten(real);
    expect((await history.flatten(other)).sidecar).toBe(sidecar);
    expect(await history.unflatten(linked)).toMatchObject({ isExact: true, sidecar: null });
    expect(read(real)).toBe(LOG);
    expect(await totals(history)).toEqual([[1], 1]);
  });

  test("are found once, whichever of two links to the folder is a source", async () => {
    const { open, home, folder } = ground();
    fs.symlinkSync(folder, join(home, "again"));
    const both = `${join(home, ".claude")},${join(home, "again")},${folder}`;
    expect(await totals(await open({ CLAUDE_CONFIG_DIR: both }))).toEqual([[1], 1]);
  });

  test("are the same logs when they are read by their real path from now on", async () => {
    const { open, folder, real } = ground();
    await (await open()).archive();
    const history = await open({ CLAUDE_CONFIG_DIR: folder });
    fs.appendFileSync(real, '{"type":"last-prompt","lastPrompt":"y"}\n');
    expect(await totals(history)).toEqual([[1], 1]);
    fs.rmSync(dirname(real), { recursive: true });
    const { sessions } = await history.restore(TOOL_SESSION);
    expect(sessions[0]?.files.map(({ role }) => role)).toEqual(["main", "subagent"]);
  });
});
