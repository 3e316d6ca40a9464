import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { readCredentials } from "../../src/remote/credentials.ts";
import { thisMachine } from "../../src/remote/machine.ts";
import { checkRemote, findRemote, type NewRemote, readRemotes } from "../../src/remote/remotes.ts";
import { makeLibrary } from "../support/make-library.ts";
import { makeWorld } from "../support/make-world.ts";

const environment = { home: "/home/ana", folder: "/home/ana/shop", variables: {}, projects: [] };

describe("checkRemote()", () => {
  test.each([
    ["s3://bucket/a/b/", "s3", "s3://bucket/a/b"],
    ["s3://my.bucket", "s3", "s3://my.bucket"],
    ["https://search.example:9200/", "opensearch", "https://search.example:9200"],
    ["http://127.0.0.1:9200", "opensearch", "http://127.0.0.1:9200"],
    ["/mnt/nas/../sessions", "folder", "/mnt/sessions"],
    ["file:///mnt/my%20nas", "folder", "/mnt/my nas"],
    ["~/Sync", "folder", "/home/ana/Sync"],
    ["./here", "folder", "/home/ana/shop/here"],
  ])("takes %s for %s", (url, kind, stored) => {
    expect(checkRemote({ environment }, { name: "a", url })).toEqual({ name: "a", kind, url: stored });
  });

  test.each<[NewRemote, RegExp]>([
    [{ name: "a b", url: "/x" }, /name of a remote/],
    [{ name: "../a", url: "/x" }, /name of a remote/],
    [{ name: "a", url: "s3://" }, /as an S3 URL/],
    [{ name: "a", url: "s3://bucket/../other" }, /as an S3 URL/],
    [{ name: "a", url: "s3://b/p" }, /the name of the bucket is too short/],
    [{ name: "a", url: `s3://${"b".repeat(64)}/p` }, /the name of the bucket is too long/],
    [{ name: "a", url: "s3://My_Bucket/p" }, /"My_Bucket" can't be the name of a bucket/],
    [{ name: "a", url: "s3://key:secret@bucket/x" }, /as an S3 URL/],
    [{ name: "a", url: "https://ana:secret@host:9200" }, /Cannot keep a password in an address/],
    [{ name: "a", url: "https://host:9200/?pretty" }, /as an address/],
    [{ name: "a", url: "ftp://host/x" }, /this kind of URL is not known/],
    [{ name: "a", url: "/x", region: "eu" }, /for s3:/],
  ])("refuses %j", (given, what) => {
    expect(() => checkRemote({ environment }, given)).toThrow(what);
  });
});

describe("sessions remote", () => {
  test("adds, lists and removes remotes, in a file that only the user can read", async () => {
    const world = makeWorld();
    const file = join(world.home, ".sessions", "remotes.json");
    const folder = join(world.root, "nas");
    expect(await run(["remote", "add", "nas", folder], world)).toBe(0);
    expect(await run(["remote", "add", "team", "https://search.example:9200"], world)).toBe(0);
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    const before = world.out().length;
    expect(await run(["remote", "list", "--json"], world)).toBe(0);
    const listed = JSON.stringify(JSON.parse(world.out().slice(before)), undefined, 2);
    await expect(`${listed.replaceAll(world.root, "/root")}\n`).toMatchFileSnapshot(
      "../cli/golden/remote-list.json",
    );
    expect(await run(["remote", "remove", "nas"], world)).toBe(0);
    expect(await run(["remote", "list"], world)).toBe(0);
    expect(world.out()).toMatch(/team +OpenSearch +https:\/\/search\.example:9200 +never pushed\n$/);
  });

  test("refuses another remote of the same name, and takes the same one twice", async () => {
    const world = makeWorld();
    const add = (url: string): Promise<number> => run(["remote", "add", "team", url], world);
    expect(await add("https://a.example")).toBe(0);
    expect(await add("https://a.example")).toBe(0);
    expect(await add("https://b.example")).toBe(4);
    expect(world.err()).toContain("there is one with that name, https://a.example");
  });

  test.each([
    ["https://search.example:9200", false],
    ["http://127.0.0.1:9200,http://localhost:9201,http://[::1]:9202", false],
    ["http://search.example:9200", true],
    ["https://a.example,http://b.example", true],
  ])("warns of a password that anybody on the way can read: %s", async (url, isWarned) => {
    const world = makeWorld();
    expect(await run(["remote", "add", "team", url], world)).toBe(0);
    expect(world.err().includes("use https://")).toBe(isWarned);
  });

  test("makes no repository in a place whose name is taken", async () => {
    const world = makeWorld();
    const folder = (name: string): string => join(world.root, name);
    expect(await run(["remote", "add", "nas", folder("one")], world)).toBe(0);
    expect(await run(["remote", "add", "nas", folder("two")], world)).toBe(4);
    expect(fs.existsSync(folder("two"))).toBe(false);
  });

  test("remembers which repository it is, and says when it is another one", async () => {
    const [world, other] = [makeWorld(), makeWorld()];
    const folder = join(world.root, "nas");
    expect(await run(["remote", "add", "nas", folder], world)).toBe(0);
    expect(await run(["remote", "key"], world)).toBe(0);
    expect(world.out()).toMatch(
      /^Repository [0-9a-f]{8} [0-9a-f]{8} [0-9a-f]{8} [0-9a-f]{8}\nThese can read nas:$/m,
    );
    const recipient = /age1\w+/.exec(world.out())?.[0] ?? "";
    fs.rmSync(folder, { recursive: true });
    expect(await run(["remote", "add", "nas", folder], other)).toBe(0);
    expect(await run(["remote", "key", "nas", "--add", recipient], other)).toBe(0);
    expect(await run(["sync"], world)).toBe(4);
    expect(world.err()).toContain("the repository there is another one than before");
    expect(await run(["remote", "add", "nas", folder], world)).toBe(4);
    expect(await run(["remote", "remove", "nas"], world)).toBe(0);
    expect(await run(["remote", "add", "nas", folder], world)).toBe(0);
    expect(await run(["sync"], world)).toBe(0);
  });

  test.each([
    [["remote", "add"], "without a name"],
    [["remote", "add", "home"], "without an address"],
    [["remote", "remove", "nobody"], 'Cannot find a remote "nobody"'],
  ])("%j is wrong usage", async (argv, what) => {
    const world = makeWorld();
    expect(await run(argv, world)).toBe(2);
    expect(world.err()).toContain(what);
  });

  test("a damaged list is an error, and stays as it is", async () => {
    const world = makeWorld();
    const store = join(world.home, ".sessions");
    fs.mkdirSync(store, { recursive: true });
    fs.writeFileSync(join(store, "remotes.json"), '{"version":1,"remotes":[{"name":"x"}]}');
    expect(await run(["remote", "list"], world)).toBe(5);
    expect(await run(["remote", "add", "team", "https://a.example"], world)).toBe(5);
    expect(fs.readFileSync(join(store, "remotes.json"), "utf8")).toContain('[{"name":"x"}]');
  });
});

describe("findRemote()", () => {
  test("takes the only one of its kind if none is named", () => {
    const library = makeLibrary();
    fs.mkdirSync(library.places.home, { recursive: true });
    const remotes = [
      { name: "box", kind: "s3", url: "s3://bucket" },
      { name: "team", kind: "opensearch", url: "https://a.example" },
    ];
    fs.writeFileSync(join(library.places.home, "remotes.json"), JSON.stringify({ version: 1, remotes }));
    expect(readRemotes(library)).toEqual(remotes);
    expect(findRemote(library, undefined, ["s3", "folder"]).name).toBe("box");
    expect(findRemote(library, "team", ["s3", "folder"]).name).toBe("team");
    expect(() => findRemote(library, undefined, ["s3", "opensearch"])).toThrow("there are several");
  });
});

describe("readCredentials()", () => {
  const remote = { name: "a", kind: "s3", url: "s3://bucket" } as const;

  test("reads a profile of a file that others can't read", () => {
    const library = makeLibrary({ variables: { AWS_PROFILE: "work" } });
    const path = join(library.environment.home, "keys");
    fs.writeFileSync(path, "[default]\naws_access_key_id = AA\n[work]\nAWS_ACCESS_KEY_ID = BB\n", {
      mode: 0o600,
    });
    expect([...readCredentials(library, { ...remote, credentials: path })]).toEqual([
      ["aws_access_key_id", "BB"],
    ]);
    fs.chmodSync(path, 0o640);
    expect(() => readCredentials(library, { ...remote, credentials: path })).toThrow("others can read them");
  });

  test("takes the environment if no file was named", () => {
    const library = makeLibrary({ variables: { AWS_ACCESS_KEY_ID: "AA" } });
    expect(readCredentials(library, remote).get("aws_access_key_id")).toBe("AA");
  });
});

describe("thisMachine()", () => {
  test("has an id that stays, and the name of the host unless the config has another", () => {
    const library = makeLibrary();
    const made = thisMachine(library, "laptop");
    expect(made).toEqual({ id: expect.stringMatching(/^[0-9a-f]{16}$/), name: "laptop" });
    const named = { ...library, config: { ...library.config, machine: "desk" } };
    expect(thisMachine(named, "laptop")).toEqual({ id: made.id, name: "desk" });
  });
});
