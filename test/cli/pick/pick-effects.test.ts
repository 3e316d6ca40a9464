import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openHistoryIn } from "../../../src/cli/open-history.ts";
import { planRestore, restorePicked } from "../../../src/cli/pick/pick-effects.ts";
import { run } from "../../../src/cli/run.ts";
import { makeLogHome } from "../../support/archive/log-home.ts";
import { makeWorld, type TestWorld } from "../../support/make-world.ts";

function machine(name: string): TestWorld {
  const world = makeWorld();
  fs.mkdirSync(join(world.home, ".sessions"), { recursive: true });
  fs.writeFileSync(join(world.home, ".sessions", "config.json"), JSON.stringify({ machine: name }));
  return world;
}

test("says what restoring a session of another machine would do, then does it, of that machine", async () => {
  const [vm, desk] = [machine("vm"), machine("desk")];
  const { claude } = makeLogHome(vm.home, { project: "/work/gone/shop" }).ids;
  const folder = join(vm.root, "nas");
  const ask = async (world: TestWorld, ...argv: string[]): Promise<string> => {
    const before = world.out().length;
    await run(argv, world);
    return world.out().slice(before);
  };
  await ask(vm, "archive");
  await ask(vm, "remote", "add", "nas", folder);
  await ask(vm, "sync");
  const { recipient } = JSON.parse(await ask(desk, "remote", "add", "nas", folder, "--json"));
  await ask(vm, "remote", "key", "nas", "--add", recipient);
  await ask(desk, "sync");
  const history = await openHistoryIn(desk, { reveal: false, allowDemo: false });
  const { rows } = await history.list({ limit: 50 });
  const row = rows.find(({ digest }) => digest.id === claude);
  if (row === undefined) throw new Error("the session was not pulled");
  expect(row.digest.machine).toBe("vm");
  const around = { history, world: desk };
  const lines = await planRestore(row, around);
  const said = await ask(desk, "restore", claude, "--dry-run");
  expect(lines.length).toBeGreaterThan(1);
  expect(lines.at(-1)).toMatch(/is not on this machine; --into PROJECT_DIR moves it into one that is$/);
  for (const line of lines) expect(said).toContain(line);
  expect(fs.existsSync(join(desk.home, ".claude"))).toBe(false);
  expect(await restorePicked(row, around)).toMatch(/^Restored ~\/\.claude\//);
  await expect(planRestore(row, around)).rejects.toThrow(/its log is already there/);
});
