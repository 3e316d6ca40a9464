import { Buffer } from "node:buffer";
import fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { unpackChunks, unpackHead } from "../../../src/agents/packed-log.ts";
import { run } from "../../../src/cli/run.ts";
import { makeWorld, type TestWorld } from "../../support/make-world.ts";
import { packWithoutCompression } from "../../support/pack-zstd.ts";
import { runBundle } from "../../support/run-bundle.ts";

const ID = "019b2ea4-0000-7000-8000-000000000001";
const at = "2026-03-02T10:00:00.000Z";

function logOf(...texts: readonly string[]): Buffer {
  const message = (text: string): object => ({
    timestamp: at,
    type: "response_item",
    payload: { type: "message", role: "user", content: [{ type: "input_text", text }] },
  });
  const header = {
    timestamp: at,
    type: "session_meta",
    payload: { id: ID, timestamp: at, cwd: "/work/shop" },
  };
  return Buffer.from([header, ...texts.map(message)].map((line) => `${JSON.stringify(line)}\n`).join(""));
}

/** `{"a":"zebra zebra …"}` and a LF, as the program zstd packs it. */
const COMPRESSED = "KLUv/QRotQAAeHsiYSI6InplYnJhICJ9CgEAr4tfki00hL0=";

describe("a packed log", () => {
  test("is unpacked from pieces of any size", () => {
    const text = logOf("a zebra", "x".repeat(300_000));
    const packed = packWithoutCompression(text);
    for (const size of [1000, 65_536, packed.length]) {
      const pieces = Array.from({ length: Math.ceil(packed.length / size) }, (_, at) =>
        packed.subarray(at * size, (at + 1) * size),
      );
      expect(Buffer.concat([...unpackChunks(pieces)]).equals(text)).toBe(true);
    }
    const real = Buffer.concat([...unpackChunks([Buffer.from(COMPRESSED, "base64")])]).toString();
    expect(real).toBe(`{"a":"${"zebra ".repeat(500)}"}\n`);
  });

  test("that is cut gives what comes before the cut, then fails", () => {
    const text = logOf("a zebra", "x".repeat(300_000));
    const cut = packWithoutCompression(text).subarray(0, 250_000);
    const parts: string[] = [];
    expect(() => {
      for (const part of unpackChunks([cut])) parts.push(Buffer.from(part).toString());
    }).toThrow();
    expect(text.toString().startsWith(parts.join(""))).toBe(true);
    expect(parts.join("")).toContain("a zebra");
    expect(unpackHead(cut.subarray(0, 120_000)).toString()).toBe(text.toString().slice(0, 65_536));
  });

  function put(world: TestWorld, bytes: Buffer): string {
    const path = join(
      world.home,
      ".codex/sessions/2026/03/02",
      `rollout-2026-03-02T10-00-00-${ID}.jsonl.zst`,
    );
    fs.mkdirSync(dirname(path), { recursive: true });
    fs.writeFileSync(path, bytes);
    return path;
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into by path, as a script would.
  async function ask(world: TestWorld, argv: readonly string[]): Promise<any> {
    const before = world.out().length;
    await run([...argv, "--json"], world);
    return JSON.parse(world.out().slice(before));
  }

  test("is listed, found, shown, grepped, archived, and restored as it was", async () => {
    const world = makeWorld();
    const bytes = packWithoutCompression(logOf("Let the zebra blink", "and the lamp"));
    const path = put(world, bytes);
    expect((await ask(world, ["list"])).sessions).toMatchObject([
      {
        sessionId: ID,
        agent: "codex",
        title: "Let the zebra blink",
        project: "/work/shop",
        turns: 2,
        source: path,
      },
    ]);
    expect((await ask(world, ["search", "zebra"])).hits).toMatchObject([{ sessionId: ID }]);
    expect((await ask(world, ["show", path])).requests).toHaveLength(2);
    expect((await ask(world, ["grep", "lamp"])).hits).toHaveLength(1);
    await ask(world, ["archive"]);
    fs.rmSync(path);
    expect((await ask(world, ["search", "zebra"])).hits).toMatchObject([{ sessionId: ID, state: "kept" }]);
    expect((await ask(world, ["show", ID])).requests).toHaveLength(2);
    await ask(world, ["restore", ID]);
    expect(fs.readFileSync(path).equals(bytes)).toBe(true);
  });

  test("goes into another project unpacked, with its lines changed, but not beside its packed log", async () => {
    const world = makeWorld();
    const path = put(world, packWithoutCompression(logOf("Let the zebra blink", "and the lamp")));
    await ask(world, ["archive"]);
    const target = path.replace(/\.zst$/, "");
    const other = join(world.home, "other");
    fs.mkdirSync(other);
    expect(await ask(world, ["restore", ID, "--into", other])).toMatchObject({
      sessions: [{ outcome: "refused", files: [{ path, action: "packed" }] }],
    });
    expect(fs.existsSync(target)).toBe(false);
    fs.rmSync(path);
    expect(await ask(world, ["restore", ID, "--into", other])).toMatchObject({
      sessions: [{ outcome: "restored", files: [{ path: target, action: "written" }] }],
    });
    const expected = logOf("Let the zebra blink", "and the lamp").toString();
    expect(fs.readFileSync(target, "utf8")).toBe(expected.replaceAll('"/work/shop"', JSON.stringify(other)));
    expect(fs.existsSync(path)).toBe(false);
    expect((await ask(world, ["show", target])).project).toBe(other);
    expect(fs.readdirSync(other)).toEqual([]);
  });

  test("that is damaged is not restored into another project, and says why", async () => {
    const world = makeWorld();
    const path = put(world, packWithoutCompression(logOf("Let the zebra blink")).subarray(0, 200));
    await ask(world, ["archive"]);
    fs.rmSync(path);
    const other = join(world.home, "other");
    fs.mkdirSync(other);
    const answer = await ask(world, ["restore", ID, "--into", other]);
    expect(answer.problems[0]?.what).toContain("Cannot unpack");
    expect(fs.readdirSync(dirname(path))).toEqual([]);
  });

  test("that is damaged is a problem, and its bytes are kept", async () => {
    const world = makeWorld();
    const bytes = packWithoutCompression(logOf("Let the zebra blink")).subarray(0, 150);
    const path = put(world, bytes);
    expect((await ask(world, ["list"])).sessions).toMatchObject([{ sessionId: ID }]);
    expect((await ask(world, ["list"])).coverage.problems).toBe(1);
    await ask(world, ["archive"]);
    fs.rmSync(path);
    await ask(world, ["restore", ID]);
    expect(fs.readFileSync(path).equals(bytes)).toBe(true);
  });

  test("is the same log as before it was packed, and after it is unpacked", async () => {
    const world = makeWorld();
    const text = logOf("Let the zebra blink", "and the lamp");
    const packed = put(world, packWithoutCompression(text));
    const plain = packed.replace(/\.zst$/, "");
    fs.writeFileSync(plain, text);
    fs.rmSync(packed);
    await ask(world, ["archive"]);
    for (const [from, to, bytes, generation] of [
      [plain, packed, packWithoutCompression(text), 2],
      [packed, plain, text, 3],
    ] as const) {
      fs.writeFileSync(to, bytes);
      fs.rmSync(from);
      const listed = await ask(world, ["list"]);
      expect(listed.sessions).toMatchObject([{ sessionId: ID, source: to, copies: 1 }]);
      expect((await ask(world, ["search", "zebra"])).hits).toMatchObject([{ sessionId: ID, source: to }]);
      expect(await ask(world, ["show", ID])).toMatchObject({ source: to, copies: 1 });
      expect((await ask(world, ["verify"])).sources).toMatchObject({ gone: 0, changed: 1 });
      // It is there: nothing is written beside it.
      for (const argv of [
        ["restore", ID],
        ["restore", "--all"],
      ]) {
        const { sessions } = await ask(world, argv);
        for (const each of sessions)
          expect(each).toMatchObject({ outcome: "unchanged", files: [{ path: to, action: "identical" }] });
        expect(fs.readdirSync(dirname(to))).toHaveLength(1);
      }
      expect((await ask(world, ["archive"])).archived).toMatchObject([{ sessionId: ID, generation }]);
      expect((await ask(world, ["verify"])).sources).toEqual({ same: 1, changed: 0, gone: 0 });
      expect((await ask(world, ["list"])).sessions).toMatchObject([{ source: to, copies: 1 }]);
    }
    await ask(world, ["forget", ID, "--yes"]);
    fs.writeFileSync(packed, packWithoutCompression(text));
    fs.rmSync(plain);
    expect((await ask(world, ["list"])).sessions).toEqual([]);
    await ask(world, ["forget", ID, "--undo"]);
    expect((await ask(world, ["list"])).sessions).toMatchObject([
      { sessionId: ID, source: packed, copies: 1 },
    ]);
  });

  test("is not overwritten, and no other state of it is put beside it", async () => {
    const world = makeWorld();
    const packed = put(world, packWithoutCompression(logOf("Let the zebra blink", "and the lamp")));
    const plain = packed.replace(/\.zst$/, "");
    await ask(world, ["archive"]);
    fs.rmSync(packed);
    fs.writeFileSync(plain, logOf("Let the giraffe blink"));
    for (const flags of [[], ["--force"]]) {
      expect(await ask(world, ["restore", ID, ...flags])).toMatchObject({
        sessions: [{ outcome: "refused", files: [{ path: plain, action: "packed" }] }],
      });
      expect(fs.readdirSync(dirname(plain))).toEqual([basename(plain)]);
      expect(fs.readFileSync(plain).equals(logOf("Let the giraffe blink"))).toBe(true);
    }
    fs.writeFileSync(plain, logOf("Let the zebra blink", "and the lamp", "and the horn"));
    expect(await ask(world, ["restore", ID])).toMatchObject({
      sessions: [{ outcome: "unchanged", files: [{ path: plain, action: "grown" }] }],
    });
  });

  test("is the same log in another folder, if what it unpacks to is what was archived", async () => {
    const world = makeWorld();
    const text = logOf("Let the zebra blink");
    const path = put(world, text).replace(/\.zst$/, "");
    fs.renameSync(`${path}.zst`, path);
    await ask(world, ["archive"]);
    fs.rmSync(path);
    const moved = join(world.home, ".codex/archived_sessions", `${basename(path)}.zst`);
    fs.mkdirSync(dirname(moved));
    fs.writeFileSync(moved, packWithoutCompression(text));
    expect((await ask(world, ["list"])).sessions).toMatchObject([{ source: moved, copies: 1 }]);
    expect((await ask(world, ["restore", ID])).sessions).toMatchObject([
      { files: [{ path: moved, action: "identical" }] },
    ]);
    expect(fs.existsSync(path)).toBe(false);
  });

  test("is read by the bundles, too", async () => {
    const world = makeWorld();
    put(world, packWithoutCompression(logOf("Let the zebra blink")));
    for (const argv of [
      ["search", "zebra"],
      ["search", "blink"],
      ["show", ID],
    ]) {
      const { code, out } = await runBundle(argv, { home: world.home });
      expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining("zebra") });
    }
  });
});
