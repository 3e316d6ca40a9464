import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { type LogHome, makeLogHome } from "../support/archive/log-home.ts";
import { makeWorld, type TestWorld } from "../support/make-world.ts";

interface Asked {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  // biome-ignore lint/suspicious/noExplicitAny: an answer of the program.
  readonly json: any;
}

interface Machine {
  readonly world: TestWorld;
  readonly made: LogHome;
  ask(...argv: string[]): Promise<Asked>;
}

function machine(name: string): Machine {
  const world = makeWorld();
  const made = makeLogHome(world.home);
  fs.mkdirSync(join(world.home, ".sessions"), { recursive: true });
  fs.writeFileSync(join(world.home, ".sessions", "config.json"), JSON.stringify({ machine: name }));
  const ask = async (...argv: string[]): Promise<Asked> => {
    const before = { out: world.out().length, err: world.err().length };
    const code = await run(argv, world);
    const out = world.out().slice(before.out);
    const json = argv.includes("--json") && out !== "" ? JSON.parse(out) : undefined;
    return { code, out, err: world.err().slice(before.err), json };
  };
  return { world, made, ask };
}

/** A laptop that has pushed, and a desk that was admitted. */
async function admitted(): Promise<{ laptop: Machine; desk: Machine; golden: (json: unknown) => string }> {
  const [laptop, desk] = [machine("laptop"), machine("desk")];
  const folder = join(laptop.world.root, "nas");
  expect((await laptop.ask("archive")).code).toBe(0);
  const made = await laptop.ask("remote", "add", "nas", folder);
  expect(made.out).toContain("A new repository was made there. Next: sessions archive && sessions sync nas");
  expect((await laptop.ask("sync")).code).toBe(0);
  const joined = await desk.ask("remote", "add", "nas", folder, "--json");
  expect(joined.json).toMatchObject({ repository: "no access" });
  expect((await desk.ask("sync")).code).toBe(4);
  expect((await laptop.ask("remote", "key", "nas", "--add", joined.json.recipient)).out).toContain("Added");
  const golden = (json: unknown): string =>
    `${JSON.stringify(json, undefined, 2)
      .replaceAll(laptop.world.root, "/root")
      .replaceAll(desk.world.root, "/root")
      .replace(/age1[a-z0-9]{58}/g, "age1…")
      .replace(/"fingerprint": "[0-9a-f ]{35}"/, '"fingerprint": "3f2a91c0 77d1e2aa 0b9c4d5e 6f708192"')
      .replace(/"bytes": \d+/g, '"bytes": 1234')}\n`;
  return { laptop, desk, golden };
}

describe("sessions sync", () => {
  test("answers as docs/JSON.md says", async () => {
    const { desk, golden } = await admitted();
    const { code, json } = await desk.ask("sync", "--json");
    expect(code).toBe(0);
    await expect(golden(json)).toMatchFileSnapshot("../cli/golden/sync.json");
    const keys = await desk.ask("remote", "key", "--json");
    await expect(golden(keys.json)).toMatchFileSnapshot("../cli/golden/remote-key.json");
  });

  test("list, search, show and restore know the machine", async () => {
    const { laptop, desk } = await admitted();
    fs.rmSync(join(desk.world.home, ".claude"), { recursive: true });
    await desk.ask("sync");
    const { claude } = laptop.made.ids;
    const listed = await desk.ask("list", "--machine", "LAPTOP", "--json");
    const session = listed.json.sessions.find((each: { sessionId: string }) => each.sessionId === claude);
    expect(session).toMatchObject({ machine: "laptop", source: null, state: "kept" });
    expect((await desk.ask("list", "machine:desk", "--json")).json.sessions).not.toContainEqual(
      expect.objectContaining({ sessionId: claude }),
    );
    const own = await desk.ask("list", "--machine", "local", "--json");
    expect(own.json.total).toBeGreaterThan(0);
    expect((await desk.ask("list", "--machine", "desk", "--json")).json.total).toBe(own.json.total);
    expect((await desk.ask("show", claude, "--json")).json.machine).toBe("laptop");
    expect((await desk.ask("list")).out).toContain("laptop:");
    const to = join(desk.world.root, "restored");
    const restored = await desk.ask("restore", claude, "--machine", "laptop", "--to", to, "--json");
    expect(restored.json.sessions).toMatchObject([{ outcome: "restored", machine: "laptop" }]);
    // `--all` means this machine's own.
    const all = await desk.ask("restore", "--all", "--dry-run", "--json");
    expect(all.json.sessions.every((each: { machine: string | null }) => each.machine === null)).toBe(true);
  });

  test("search finds sessions of a machine, and its negation the others", async () => {
    const { desk } = await admitted();
    fs.rmSync(join(desk.world.home, ".claude"), { recursive: true });
    await desk.ask("sync");
    const machines = async (...words: string[]): Promise<readonly unknown[]> => {
      const { json } = await desk.ask("search", ...words, "--limit", "50", "--json");
      return [...new Set(json.hits.map(({ machine }: { machine: string | null }) => machine))];
    };
    expect(await machines("agent:claude", "machine:laptop")).toEqual(["laptop"]);
    expect(await machines("machine:local")).toEqual([null]);
    expect(await machines("agent:claude", "-machine:local")).toEqual(["laptop"]);
  });

  test("two machines of one name: the name means both, local this one, and sync says so", async () => {
    const { laptop, desk } = await admitted();
    fs.rmSync(join(desk.world.home, ".claude"), { recursive: true });
    expect((await desk.ask("sync")).err).not.toContain("two machines");
    const own = (await desk.ask("list", "--machine", "local", "-q")).out;
    const theirs = (await desk.ask("list", "--machine", "laptop", "-q")).out;
    expect(theirs).not.toBe("");
    const config = join(desk.world.home, ".sessions", "config.json");
    fs.writeFileSync(config, JSON.stringify({ machine: "Laptop" }));
    const synced = await desk.ask("sync");
    const warning = 'two machines are called Laptop; name this one in config.json: {"machine": "…"}';
    expect(synced.err).toContain(warning);
    expect((await desk.ask("remote", "key")).err).toContain(warning);
    expect((await laptop.ask("sync", "--dry-run")).err).toContain("two machines are called laptop");
    // Copies of one session on both machines are one session.
    const lines = (text: string): readonly string[] => [...new Set(text.split("\n").filter(Boolean))].sort();
    expect((await desk.ask("list", "--machine", "local", "-q")).out).toBe(own);
    expect(lines((await desk.ask("list", "--machine", "laptop", "-q")).out)).toEqual(lines(own + theirs));
    expect(lines((await desk.ask("search", "machine:laptop", "--limit", "99", "-q")).out)).toEqual(
      lines(own + theirs),
    );
    const all = await desk.ask("restore", "--all", "--machine", "laptop", "--dry-run", "--json");
    const machines = all.json.sessions.map(({ machine }: { machine: string | null }) => machine);
    expect(machines).toContain("laptop");
  });

  test("verify --remote proves what all machines have pushed, and names what is damaged", async () => {
    const { laptop, desk, golden } = await admitted();
    await desk.ask("archive");
    await desk.ask("sync");
    const good = await laptop.ask("verify", "--remote", "nas", "--json");
    expect(good.code).toBe(0);
    const plain = golden(good.json).replace(/"storedBytes": \d+/, '"storedBytes": 1234');
    await expect(plain).toMatchFileSnapshot("../cli/golden/verify-remote.json");
    const objects = join(laptop.world.root, "nas", "objects");
    const [name = ""] = fs
      .readdirSync(objects, { recursive: true, encoding: "utf8" })
      .filter((each) => each.length > 3)
      .toSorted();
    fs.truncateSync(join(objects, name), 30);
    const bad = await laptop.ask("verify", "--remote", "nas");
    expect(bad.code).toBe(3);
    expect(bad.out).toContain(`objects/${name}: it `);
    expect(bad.out).toContain("sessions sync nas --check");
    for (const each of [laptop, desk]) await each.ask("sync", "--check");
    expect((await laptop.ask("verify", "--remote", "nas")).code).toBe(0);
    expect((await laptop.ask("verify", "last", "--remote", "nas")).code).toBe(2);
  });

  test("the guard syncs if the config says so, as often as it says", async () => {
    const { laptop, desk } = await admitted();
    const config = join(desk.world.home, ".sessions", "config.json");
    expect((await desk.ask("guard", "--json")).json.synced).toEqual([]);
    fs.writeFileSync(config, JSON.stringify({ machine: "desk", sync: { remotes: ["nas", "nobody"] } }));
    const { code, json } = await desk.ask("guard", "--json");
    expect(code).toBe(3);
    expect(json.synced).toEqual([
      { remote: "nas", problems: [] },
      { remote: "nobody", problems: ['Cannot find a remote "nobody"'] },
    ]);
    expect((await desk.ask("list", "--machine", "laptop", "--json")).json.total).toBeGreaterThan(0);
    expect((await desk.ask("guard", "--json")).json.synced).toEqual([]);
    expect((await laptop.ask("sync")).out).toMatch(/desk: 4 sessions/);
  });

  test.each([
    [["sync"], "there is none"],
    [["sync", "nobody"], 'Cannot find a remote "nobody"'],
    [["remote", "key", "nas", "--add", "age1short"], 'Cannot find a remote "nas"'],
  ])("%j without remotes is wrong usage", async (argv, what) => {
    const { ask } = machine("laptop");
    const { code, err } = await ask(...argv);
    expect(code).toBe(2);
    expect(err).toContain(what);
  });

  test("remote list says when a remote was last synced with", async () => {
    const { desk } = await admitted();
    expect((await desk.ask("remote", "list")).out).toMatch(/never synced\n$/);
    expect((await desk.ask("sync", "--dry-run")).code).toBe(0);
    expect((await desk.ask("remote", "list", "--json")).json.remotes).toMatchObject([{ lastSyncAt: null }]);
    await desk.ask("sync");
    const { lastSyncAt } = (await desk.ask("remote", "list", "--json")).json.remotes[0];
    expect(lastSyncAt).toBe(new Date(desk.world.now()).toISOString());
    expect((await desk.ask("remote", "list")).out).toMatch(/ synced (?:just )?now\n$/);
  });

  test("restore from an unknown machine says so", async () => {
    const { desk } = await admitted();
    await desk.ask("archive");
    const unknown = await desk.ask("restore", "--all", "--machine", "nosuch");
    expect([unknown.code, unknown.out]).toEqual([1, ""]);
    expect(unknown.err).toContain(
      'Cannot restore from "nosuch": no session comes from a machine with that name',
    );
    expect((await desk.ask("restore", "last", "--machine", "laptop")).code).toBe(1);
    await desk.ask("sync");
    expect((await desk.ask("restore", "last", "--machine", "nosuch")).err).toContain("sessions of laptop");
    expect((await desk.ask("restore", "--all", "--machine", "local", "--dry-run")).code).toBe(0);
    expect((await desk.ask("restore", "--all", "--machine", "LAPTOP", "--to", "there", "-n")).code).toBe(0);
  });

  test("an OpenSearch cluster is for push", async () => {
    const { ask } = machine("laptop");
    await ask("remote", "add", "team", "https://search.example:9200");
    const { code, err } = await ask("sync", "team");
    expect(code).toBe(2);
    expect(err).toContain("team: it is an OpenSearch cluster; use `sessions push`");
  });

  test("a recipient that is none is refused", async () => {
    const { laptop } = await admitted();
    const { code, err } = await laptop.ask("remote", "key", "nas", "--add", "age1short");
    expect([code, err]).toEqual([2, expect.stringContaining("it is not an age recipient")]);
  });
});
