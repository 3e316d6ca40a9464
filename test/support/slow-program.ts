import process from "node:process";
import { type Command, defineCommand } from "../../src/cli/command.ts";
import type { CommandRow } from "../../src/cli/command-table.ts";
import { start } from "../../src/cli/run.ts";
import type { World } from "../../src/cli/world.ts";

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Commands that take their time, so that a test can interrupt them. Each first says that it has begun. */
const slow: Readonly<Record<string, (world: World) => Promise<number>>> = {
  async sleep(world) {
    world.stdout.write("begun\n");
    await wait(20_000);
    return 0;
  },
  async hold(world) {
    await world.uninterrupted(async () => {
      world.stdout.write("begun\n");
      await wait(500);
      world.stdout.write("finished\n");
    });
    await wait(20_000);
    return 0;
  },
  async child(world) {
    // The shell only waits: a signal that comes while it starts a program may be lost to it.
    const script =
      "sleep 20 >/dev/null 2>&1 & trap 'kill $!; echo heard; exit 7' INT; echo begun; wait; exit 1";
    return (await world.run("sh", ["-c", script])) ?? 1;
  },
  async reject(world) {
    world.stdout.write("begun\n");
    void Promise.reject(new Error("nobody waits for this"));
    await wait(20_000);
    return 0;
  },
  async flood(world) {
    for (let i = 0; i < 20_000; i++) {
      world.stdout.write(`${"x".repeat(1_000)}\n`);
      if (i % 100 === 0) await wait(0);
    }
    await wait(20_000);
    return 3;
  },
};

const command = (name: string, act: (world: World) => Promise<number>): Command =>
  defineCommand({
    description: "Takes its time.",
    examples: [{ line: `sessions ${name}`, says: "slowly" }],
    positionals: [],
    flags: {},
    run: (_, world) => act(world),
  });

const table = Object.entries(slow).map(
  ([name, act]): CommandRow => ({
    name,
    group: "More",
    summary: "takes its time",
    load: async () => ({ command: command(name, act) }),
  }),
);

await start(process, table);
