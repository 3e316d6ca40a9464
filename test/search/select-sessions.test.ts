import { cpSync, mkdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { archiveSessions } from "../../src/archive/archive-sessions.ts";
import { writeTombstone } from "../../src/archive/raw/tombstones.ts";
import { UserError } from "../../src/errors.ts";
import type { Library } from "../../src/fs/library.ts";
import { openSession } from "../../src/search/open-session.ts";
import { selectSession, selectSessions } from "../../src/search/select-sessions.ts";
import { archiving, quickLibrary } from "../support/archive/archiving.ts";
import { type MakeLibraryOptions, makeLibrary } from "../support/make-library.ts";

const demo = fileURLToPath(new URL("../../fixtures/demo", import.meta.url));

function demoLibrary(options: MakeLibraryOptions = {}): Library {
  return makeLibrary({ home: demo, folder: "/home/ana/shop", ...options });
}

function refusal(select: () => unknown): UserError {
  try {
    select();
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error("it was not refused");
}

describe("selectSession()", () => {
  test.each([
    ["an id", "28af22d5-4dbc-4e38-b02c-9750c3d3078e"],
    ["the beginning of an id", "28af"],
    ["an id in capitals", "28AF22D5-4DBC-4E38-B02C-9750C3D3078E"],
    ["agent and id", "claude:28af22d5-4dbc-4e38-b02c-9750c3d3078e"],
  ])("takes %s", (_, word) => {
    expect(selectSession(demoLibrary(), [word]).id).toBe("28af22d5-4dbc-4e38-b02c-9750c3d3078e");
  });

  test("takes the path of a log, and of a file that belongs to one", () => {
    const library = demoLibrary();
    const { files } = selectSession(library, ["28af22d5"]);
    expect(selectSession(library, [files.files[0]?.path ?? ""]).id).toBe(files.id);
  });

  test("takes the archived session where only sub-agents' logs of it are left", async () => {
    const library = quickLibrary({ folder: "/home/ana/shop" });
    const { home } = library.environment;
    cpSync(demo, home, { recursive: true });
    await archiveSessions(library, archiving);
    const id = "484e4bb2-8809-49fb-92e2-d5870129d604";
    const shop = join(home, ".claude/projects/-home-ana-shop");
    const log = join(shop, `${id}.jsonl`);
    const part = join(shop, id, "subagents/agent-a7c41e09b3d25f8a6.jsonl");
    const more = join(shop, id, "subagents/agent-b0000000000000000.jsonl");
    cpSync(part, more);
    rmSync(log);
    for (const word of [id, log, part, more]) {
      const pointer = selectSession(library, [word]);
      expect([pointer.id, pointer.kept === undefined, pointer.files.files[0]?.path]).toEqual([
        id,
        false,
        log,
      ]);
      expect(pointer.files.files.map(({ path }) => path)).toContain(more);
      expect(pointer.part).toBe(word === part || word === more ? word : undefined);
      expect(openSession(library, [word])).toMatchObject({ state: "kept", source: null });
    }
  });

  test("takes a log that is anywhere, under any name", () => {
    const library = demoLibrary();
    const { files } = selectSession(library, ["28af22d5"]);
    const away = join(library.places.home, "x");
    mkdirSync(away, { recursive: true });
    cpSync(files.files[0]?.path ?? "", join(away, "some.jsonl"));
    expect(selectSession(library, [join(away, "some.jsonl")])).toMatchObject({
      agent: "claude",
      id: files.id,
    });
  });

  test("takes the running session for `current`", () => {
    const library = demoLibrary({
      variables: { CLAUDE_CODE_SESSION_ID: "8f68824c-2edf-4a5f-8f76-3a49d9aadb1c" },
    });
    expect(selectSession(library, ["current"]).id).toBe("8f68824c-2edf-4a5f-8f76-3a49d9aadb1c");
  });

  test("takes `last` of this folder's project, also from a folder inside it", () => {
    const here = selectSession(demoLibrary(), ["last"]).id;
    expect(selectSession(demoLibrary({ folder: "/home/ana/shop/src/deep" }), ["last"]).id).toBe(here);
  });

  test.each<[string, readonly string[], number, RegExp]>([
    ["an unknown id", ["zzzzzzzz"], 1, /Cannot find a session "zzzzzzzz"/],
    ["a prefix of three characters", ["28a"], 2, /Cannot tell which session "28a" is: that is too short/],
    ["a prefix of several ids", ["01a1"], 2, /Cannot tell which session "01a1" is/],
    ["more than one session", ["28af22d5", "8f68824c"], 2, /works on one/],
    ["a folder", [demo], 2, /not a file/],
    ["a file that is no log", [join(demo, "../../package.json")], 2, /not a log/],
  ])("refuses %s", (_, words, exitCode, message) => {
    const error = refusal(() => selectSession(demoLibrary(), words));
    expect(error.message).toMatch(message);
    expect(error.exitCode).toBe(exitCode);
  });

  test("names the nearest ids where a prefix is mistyped", () => {
    expect(refusal(() => selectSession(demoLibrary(), ["28af22d6"])).hint).toContain("28af22d5");
  });
});

describe("selectSessions()", () => {
  test("takes `last N`, each session once, however it is named", () => {
    const library = demoLibrary();
    const three = selectSessions(library, ["last", "3"]).map(({ id }) => id);
    expect(new Set(three).size).toBe(3);
    expect(selectSessions(library, ["last", "3", three[0] ?? ""]).map(({ id }) => id)).toEqual(three);
  });

  test("takes the sessions for `last` whose logs changed last, the last one first", () => {
    const library = makeLibrary({ folder: "/home/ana/shop" });
    cpSync(demo, library.environment.home, { recursive: true });
    const shop = join(library.environment.home, ".claude/projects/-home-ana-shop");
    const ids = ["87f01b2f-1b5d-461b-8db4-95cd4ce864a4", "28af22d5-4dbc-4e38-b02c-9750c3d3078e"];
    // Later than the copies of all other logs.
    for (const [index, id] of ids.entries()) utimesSync(join(shop, `${id}.jsonl`), 4e9 - index, 4e9 - index);
    expect(selectSessions(library, ["last", "2"]).map(({ id }) => id)).toEqual(ids);
  });

  test("takes no session that was forgotten, though its log is there", () => {
    const id = "28af22d5-4dbc-4e38-b02c-9750c3d3078e";
    const library = demoLibrary();
    writeTombstone(library.disk, join(library.places.home, "forgotten"), {
      agent: "claude",
      id,
      copy: null,
      path: null,
      inode: null,
      at: 0,
      phase: "forgotten",
      origin: null,
      by: null,
      via: null,
    });
    expect(refusal(() => selectSessions(library, [id])).message).toContain("it was forgotten");
  });

  test("takes the newest of all projects with `everywhere`", () => {
    const elsewhere = demoLibrary({ folder: "/nowhere" });
    expect(refusal(() => selectSessions(elsewhere, ["last"])).hint).toContain("--everywhere");
    expect(selectSessions(elsewhere, ["last", "13"], { everywhere: true })).toHaveLength(13);
  });
});
