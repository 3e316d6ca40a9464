import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runBundle } from "../support/run-bundle.ts";
import { pythonWithMoto, type S3Server, startS3 } from "../support/sync/s3-server.ts";
import { realHome, temporaryFolder } from "./support/real-home.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

interface Machine {
  readonly name: string;
  readonly home: string;
  readonly agents: readonly string[];
}

/** Different homes with different agents, so that all of one is new to the other. */
const laptop: Machine = {
  name: "laptop",
  home: join(folder.path, "home", "ana"),
  agents: [".claude", ".claw"],
};
const desk: Machine = { name: "desk", home: join(folder.path, "Users", "ana"), agents: [".pi", ".codex"] };

/** All files of some folders, by their path in the home. */
function filesBelow(home: string, agents: readonly string[]): ReadonlyMap<string, Buffer> {
  const names = agents.flatMap((agent) =>
    readdirSync(join(home, agent), { recursive: true, encoding: "utf8" }).map((name) => join(agent, name)),
  );
  const files = names.filter((name) => statSync(join(home, name)).isFile());
  return new Map(files.map((name) => [name, readFileSync(join(home, name))]));
}

const python = pythonWithMoto();
if (python === undefined) console.warn("SKIPPED: sync of real logs through S3 needs Python with moto");

/** Through S3 goes less: what differs there is where objects are put. */
const small = (machine: Machine): Machine => ({
  ...machine,
  home: `${machine.home}-s3`,
  agents: machine.agents.filter((agent) => agent !== ".claude"),
});

describe.each([
  { kind: "folder", machines: [laptop, desk] },
  { kind: "s3", machines: [small(laptop), small(desk)] },
] as const)("two homes with real logs, through a $kind", ({ kind, machines }) => {
  const [laptop, desk] = machines;
  let server: S3Server | undefined;
  beforeAll(async () => {
    for (const { home, agents } of machines) {
      for (const agent of agents)
        cpSync(join(realHome(), agent), join(home, agent), { recursive: true, preserveTimestamps: true });
    }
    if (kind === "s3" && python !== undefined) server = await startS3(python);
    await server?.makeBucket("history");
  });
  afterAll(async () => server?.stop());

  test.skipIf(kind === "s3" && python === undefined)(
    "each restores every file of the other, byte for byte",
    async () => {
      // biome-ignore lint/suspicious/noExplicitAny: answers of the program.
      const ask = async ({ home, name }: Machine, ...args: string[]): Promise<any> => {
        const store = join(folder.path, `${kind}-${name}`);
        mkdirSync(store, { recursive: true });
        writeFileSync(join(store, "config.json"), JSON.stringify({ machine: name }));
        const variables = { SESSIONS_HOME: store, ...server?.variables };
        const { code, out, err } = await runBundle([...args, "--json"], { home, variables });
        expect(err).toBe("");
        expect([0, 3]).toContain(code);
        return JSON.parse(out);
      };
      const url = server === undefined ? join(folder.path, "nas") : "s3://history/ana";
      const add = [
        "remote",
        "add",
        "shared",
        url,
        ...(server === undefined ? [] : ["--endpoint", server.endpoint]),
      ];
      for (const machine of machines) await ask(machine, "archive");
      expect(await ask(laptop, ...add)).toMatchObject({ repository: "created" });
      const { recipient } = await ask(desk, ...add);
      await ask(laptop, "remote", "key", "shared", "--add", recipient);
      const first = await ask(laptop, "sync");
      const second = await ask(desk, "sync");
      const third = await ask(laptop, "sync");
      expect(first.pushed.sessions).toBeGreaterThan(5);
      expect([second.pulled.sessions, third.pulled.sessions]).toEqual([
        first.pushed.sessions,
        second.pushed.sessions,
      ]);
      expect([...first.problems, ...second.problems, ...third.problems]).toEqual([]);
      expect(await ask(laptop, "verify", "--remote", "shared")).toMatchObject({ damages: [], unnamed: 0 });
      for (const [here, there] of [
        [laptop, desk],
        [desk, laptop],
      ] as const) {
        const to = join(folder.path, `${kind}-restored-${there.name}`);
        expect(await ask(here, "restore", "--all", "--machine", there.name, "--to", to)).toMatchObject({
          problems: [],
        });
        const originals = filesBelow(there.home, there.agents);
        const restored = filesBelow(to, there.agents);
        expect([...restored.keys()].sort()).toEqual([...originals.keys()].sort());
        for (const [name, bytes] of restored) expect(originals.get(name)?.equals(bytes), name).toBe(true);
      }
    },
  );
});
