import fs from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { LogFiles } from "../../src/agents/agent.ts";
import { splitByLog } from "../../src/agents/session-copies.ts";
import { archiveSessions } from "../../src/archive/archive-sessions.ts";
import { openArchive } from "../../src/archive/open-archive.ts";
import { copyHash } from "../../src/archive/raw/generations.ts";
import { restoreSessions } from "../../src/archive/restore-sessions.ts";
import { forgetSession, undoForget } from "../../src/forget.ts";
import type { Library } from "../../src/fs/library.ts";
import { selectArchived } from "../../src/search/select-archived.ts";
import { type SelectOptions, selectSession, selectSessions } from "../../src/search/select-sessions.ts";
import { compactSession } from "../../src/shrink/compact-session.ts";
import { flattenSession } from "../../src/shrink/flatten-session.ts";
import { retrieveBlock } from "../../src/shrink/retrieve-block.ts";
import { unflattenSession } from "../../src/shrink/unflatten-session.ts";
import { archiving } from "../support/archive/archiving.ts";
import { piToolLog, putPiLog, TOOL_SESSION } from "../support/shrink/tool-log.ts";
import { atOnce, CALLS, LOG, pathIn, putOld, twoStores } from "../support/shrink/two-stores.ts";

/** The log of B is that of A with another project and one request more. */
const COPY = `${LOG.replaceAll('"cwd":"/home/ana/shop"', '"cwd":"/home/ana/copy"')}{"type":"last-prompt","lastPrompt":"x","sessionId":"${TOOL_SESSION}"}\n`;

interface Ground {
  readonly library: Library;
  /** The same session id in two projects. */
  readonly a: string;
  readonly b: string;
}

function ground(): Ground {
  const { stores, path } = twoStores();
  const [library] = stores;
  const b = pathIn(library, "/home/ana/copy");
  putOld(b, COPY);
  return { library, a: path, b };
}

const read = (path: string): string => fs.readFileSync(path, "utf8");
const archive = (library: Library): ReturnType<typeof archiveSessions> => archiveSessions(library, archiving);
const flatten = (library: Library, named: string): ReturnType<typeof flattenSession> =>
  flattenSession(library, selectSession(library, [named]), {
    rule: { minBytes: 1024, copies: true },
    locking: atOnce,
    force: true,
  });
const unflatten = (library: Library, named: string): ReturnType<typeof unflattenSession> =>
  unflattenSession(library, selectSession(library, [named]), { locking: atOnce, force: true });
const names = (library: Library): readonly (readonly [string | null, string | undefined])[] =>
  openArchive(library)
    .list()
    .sessions.map(({ copy, files }) => [copy, files[0]?.path] as const);
const fileOf = (library: Library, path: string): LogFiles => selectSession(library, [path]).files;
const refusal = (library: Library, words: readonly string[], options: SelectOptions): unknown => {
  try {
    return selectSessions(library, words, options);
  } catch (error) {
    return error;
  }
};

describe("splitByLog()", () => {
  const file = (path: string, role = "main"): { readonly path: string; readonly role: string } => ({
    path,
    role,
  });

  it("gives each log what is near it, and lists of work to all", () => {
    const a = file("/p/-shop/x.jsonl");
    const b = file("/p/-shop-copy/x.jsonl");
    const [inA, inB] = [
      file("/p/-shop/x/subagents/1.jsonl", "subagent"),
      file("/p/-shop-copy/x/t.txt", "spilled"),
    ];
    const todos = file("/todos/x.json", "todos");
    expect(splitByLog([a, b, inA, inB, todos])).toEqual([
      [b, inB, todos],
      [a, inA, todos],
    ]);
  });

  it("leaves a session with one log, or none, as it is", () => {
    const files = [file("/p/x.jsonl"), file("/q/y", "todos")];
    expect(splitByLog(files)).toEqual([files]);
    expect(splitByLog(files.slice(1))).toEqual([files.slice(1)]);
  });
});

describe("archiveSessions()", () => {
  it("keeps each log with an id in a record of its own, and knows it again", async () => {
    const { library, a, b } = ground();
    expect((await archive(library)).archived).toHaveLength(2);
    const projects = join(library.environment.home, ".claude", "projects");
    expect(names(library)).toEqual(
      expect.arrayContaining([
        [null, b],
        [copyHash(projects, a), a],
      ]),
    );
    expect(await archive(library)).toMatchObject({ archived: [], unchanged: 2 });
  });

  it("goes on with a log whose project was renamed", async () => {
    const { library, a, b } = ground();
    await archive(library);
    const before = names(library);
    const moved = pathIn(library, "/home/ana/renamed");
    fs.renameSync(dirname(a), dirname(moved));
    fs.appendFileSync(moved, '{"type":"last-prompt","lastPrompt":"y"}\n');
    expect((await archive(library)).archived).toMatchObject([{ source: moved, generation: 1 }]);
    expect(names(library)).toHaveLength(2);
    expect(names(library)).toEqual(
      expect.arrayContaining(before.map(([copy, path]) => [copy, path === b ? b : moved])),
    );
  });

  it("goes on with a log that was copied to another place and removed", async () => {
    const { library, a, b } = ground();
    fs.rmSync(b);
    await archive(library);
    const moved = pathIn(library, "/home/ana/elsewhere");
    putOld(moved, `${read(a)}{"type":"last-prompt","lastPrompt":"y"}\n`);
    fs.rmSync(a);
    await archive(library);
    expect(names(library)).toEqual([[null, moved]]);
  });

  it("gives a new log at the place of one that has moved a name of its own", async () => {
    const { library, a, b } = ground();
    await archive(library);
    const moved = pathIn(library, "/home/ana/renamed");
    fs.renameSync(dirname(a), dirname(moved));
    putOld(a, LOG.replaceAll("Read what there is", "Something else"));
    await archive(library);
    const found = names(library);
    expect(new Set(found.map(([, path]) => path))).toEqual(new Set([a, b, moved]));
    expect(new Set(found.map(([copy]) => copy)).size).toBe(3);
  });
});

describe("a log that was rewritten", () => {
  const compact = (library: Library, path: string): ReturnType<typeof compactSession> =>
    compactSession(library, selectSession(library, [path]), {
      rule: { auto: false, aggressive: true, keep: 0 },
      locking: atOnce,
      force: true,
    });
  /** With the same inode, or as a copy whose original is gone. */
  const moves = {
    rename: (from: string, to: string): void => fs.renameSync(dirname(from), dirname(to)),
    copy: (from: string, to: string): void => {
      putOld(to, read(from));
      fs.rmSync(dirname(from), { recursive: true });
    },
  };

  it.each([
    ["flatten", "rename"],
    ["flatten", "copy"],
    ["compact", "rename"],
    ["compact", "copy"],
  ] as const)("by %s is the same log after a %s of its project, before any archive", async (verb, move) => {
    const { library, a, b } = ground();
    fs.rmSync(b);
    await (verb === "flatten" ? flatten : compact)(library, a);
    const moved = pathIn(library, "/home/ana/renamed");
    moves[move](a, moved);
    fs.appendFileSync(moved, '{"type":"last-prompt","lastPrompt":"y"}\n');
    expect(selectSession(library, [TOOL_SESSION])).toMatchObject({ copy: null, others: [] });
    await archive(library);
    expect(names(library)).toEqual([[null, moved]]);
    if (verb === "compact") return;
    expect(await unflatten(library, moved)).toMatchObject({ markersLeft: 0, problems: [], sidecar: null });
    expect(read(moved).startsWith(LOG)).toBe(true);
  });

  it.each([
    ["before it is archived there", false],
    ["after it was archived there", true],
  ])("and moved gets an earlier generation where it is, %s", async (_, isArchived) => {
    const { library, a, b } = ground();
    fs.rmSync(b);
    const part = join(TOOL_SESSION, "subagents", "agent-1.jsonl");
    const sidechain = LOG.replaceAll('"isSidechain":false', '"isSidechain":true,"agentId":"1"');
    putOld(join(dirname(a), part), sidechain);
    const { backup } = await compact(library, a);
    const moved = pathIn(library, "/home/ana/renamed");
    fs.renameSync(dirname(a), dirname(moved));
    if (isArchived) await archive(library);
    putOld(join(dirname(moved), part), "");
    const named = selectArchived(library, [moved]);
    const options = { locking: atOnce, generation: backup ?? 0, force: true };
    expect((await restoreSessions(library, named, options)).problems).toEqual([]);
    expect([read(moved), read(join(dirname(moved), part))]).toEqual([LOG, sidechain]);
    expect(fs.existsSync(dirname(a))).toBe(false);
    await archive(library);
    expect(names(library)).toEqual([[null, moved]]);
  });

  it("and unflattened is archived as it is again, without storing anything twice", async () => {
    const { library, a, b } = ground();
    fs.rmSync(b);
    await flatten(library, a);
    await unflatten(library, a);
    const [kept] = openArchive(library).list().sessions;
    const chunks = fs
      .readdirSync(library.places.raw, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".br"));
    expect(kept?.generation).toBe(3);
    expect(chunks.map((name) => dirname(name).split("/").at(-1))).toEqual(["1", "2"]);
    fs.rmSync(a);
    const { sessions } = await restoreSessions(library, selectArchived(library, [a]), { locking: atOnce });
    expect([sessions[0]?.markers, read(a)]).toEqual([0, LOG]);
    expect(openArchive(library).prove(kept ?? fileOf(library, a))).toMatchObject({ damages: [], strays: 0 });
  });

  it("and restored while flattened says how many results are in its sidecar", async () => {
    const { library, a, b } = ground();
    fs.rmSync(b);
    await flatten(library, a);
    await archive(library);
    fs.rmSync(a);
    const { sessions } = await restoreSessions(library, selectArchived(library, [a]), { locking: atOnce });
    expect(sessions).toMatchObject([{ outcome: "restored", markers: 6, blocks: 4 }]);
  });
});

describe("a session in two files", () => {
  it("is flattened and unflattened in the file that is named, byte for byte", async () => {
    const { library, a, b } = ground();
    const [first, second] = [await flatten(library, b), read(b)];
    expect(first.blocks).toBeGreaterThan(0);
    expect(read(a)).toBe(LOG);
    const other = await flatten(library, a);
    expect(read(b)).toBe(second);
    expect(other.sidecar).not.toBe(first.sidecar);
    expect(await unflatten(library, b)).toMatchObject({ isExact: true, sidecar: null });
    expect(read(b)).toBe(COPY);
    expect(await unflatten(library, a)).toMatchObject({ isExact: true, sidecar: null });
    expect([read(a), read(b)]).toEqual([LOG, COPY]);
  });

  it("is compacted in the file that is named, and forked from it", async () => {
    const { library, a, b } = ground();
    const rule = { auto: false, aggressive: true, keep: 0 };
    const options = { rule, locking: atOnce, force: true };
    const forked = await compactSession(library, selectSession(library, [b]), {
      ...options,
      fork: { uuid: () => "0f0f0f0f-0000-4000-8000-000000000000" },
    });
    expect(dirname(forked.fork?.path ?? "")).toBe(dirname(b));
    const done = await compactSession(library, selectSession(library, [b]), options);
    expect(done.bytesAfter).toBeLessThan(done.bytesBefore);
    expect([read(a) === LOG, read(b) === COPY]).toEqual([true, false]);
    const kept = selectArchived(library, [b]);
    await restoreSessions(library, kept, { locking: atOnce, generation: done.backup ?? 0, force: true });
    expect([read(a), read(b)]).toEqual([LOG, COPY]);
  });

  it("is restored in the file that is named", async () => {
    const { library, a, b } = ground();
    await archive(library);
    for (const path of [a, b]) fs.rmSync(path);
    await restoreSessions(library, selectArchived(library, [b], { copies: "refuse" }), { locking: atOnce });
    expect([fs.existsSync(a), read(b)]).toEqual([false, COPY]);
    expect(() => selectArchived(library, [TOOL_SESSION], { copies: "refuse" })).toThrow(
      /Cannot tell which log/,
    );
    await expect(
      restoreSessions(library, selectArchived(library, [TOOL_SESSION]), {
        locking: atOnce,
        into: dirname(a),
      }),
    ).rejects.toThrow(/several copies/);
  });

  it("is forgotten and brought back in the file that is named", async () => {
    const { library, a, b } = ground();
    await archive(library);
    const key = await forgetSession(library, fileOf(library, b), { locking: atOnce });
    expect(names(library).map(([, path]) => path)).toEqual([a]);
    expect(
      selectSessions(library, [TOOL_SESSION], { copies: "all" }).map(({ files }) => files.files[0]?.path),
    ).toEqual([a]);
    expect(await archive(library)).toMatchObject({ archived: [], forgotten: [{ id: TOOL_SESSION }] });
    await undoForget(library, key, { locking: atOnce });
    expect(names(library)).toHaveLength(2);
    expect(new Set(names(library).map(([, path]) => path))).toEqual(new Set([a, b]));
    expect([read(a), read(b)]).toEqual([LOG, COPY]);
  });

  it("stays forgotten when its project is renamed", async () => {
    const { library, a, b } = ground();
    await archive(library);
    await forgetSession(library, fileOf(library, b), { locking: atOnce });
    fs.renameSync(dirname(b), dirname(pathIn(library, "/home/ana/renamed")));
    expect((await archive(library)).archived).toEqual([]);
    expect(names(library).map(([, path]) => path)).toEqual([a]);
  });
});

describe("selectSessions()", () => {
  it("takes the log in this folder's project, else the newest, and names the others", () => {
    const { library, a, b } = ground();
    const inA = { ...library, environment: { ...library.environment, folder: "/home/ana/shop/src" } };
    expect(selectSession(inA, [TOOL_SESSION])).toMatchObject({
      files: { files: [{ path: a }] },
      others: [b],
    });
    expect(selectSession(library, [TOOL_SESSION])).toMatchObject({
      files: { files: [{ path: b }] },
      others: [a],
    });
    expect(selectSession(library, [a])).toMatchObject({ files: { files: [{ path: a }] }, others: [b] });
  });

  it("refuses an id of several logs for a command that writes, with their paths", () => {
    const { library, a, b } = ground();
    for (const word of [TOOL_SESSION, TOOL_SESSION.slice(0, 8)]) {
      const error = refusal(library, [word], { copies: "refuse" });
      expect(error).toMatchObject({ exitCode: 2, message: expect.stringContaining(a) });
      expect(error).toMatchObject({ message: expect.stringContaining(b) });
    }
    expect(selectSessions(library, [TOOL_SESSION], { copies: "all" })).toHaveLength(2);
  });

  it("does not take a session for the log of its sub-agent", () => {
    const { library, a } = ground();
    const part = join(dirname(a), TOOL_SESSION, "subagents", "agent-1.jsonl");
    putOld(part, LOG.replaceAll('"isSidechain":false', '"isSidechain":true'));
    expect(refusal(library, [part], { copies: "refuse" })).toMatchObject({ exitCode: 2 });
    expect(selectSession(library, [part])).toMatchObject({
      part,
      files: { files: [{ path: a }, { path: part }] },
    });
  });
});

describe("a copy of a flattened log", () => {
  it("that its agent made as a fork is unflattened, and its blocks retrieved, from what the original has", async () => {
    const { library, a, b } = ground();
    fs.rmSync(b);
    await flatten(library, a);
    const id = "0a1b2c3d-9999-4222-8333-444455556666";
    const fork = join(dirname(a), `${id}.jsonl`);
    putOld(fork, read(a).replaceAll(`"sessionId":"${TOOL_SESSION}"`, `"sessionId":"${id}"`));
    const [call] = CALLS;
    const [block] = retrieveBlock(library, selectSession(library, [id]), call?.id ?? "").blocks;
    expect([...(block?.text?.() ?? [])].join("")).toBe(call?.result);
    expect(await unflatten(library, id)).toMatchObject({ markersLeft: 0, problems: [] });
    expect(read(fork)).toBe(LOG.replaceAll(`"sessionId":"${TOOL_SESSION}"`, `"sessionId":"${id}"`));
    expect(await unflatten(library, a)).toMatchObject({ isExact: true, sidecar: null });
    expect(read(a)).toBe(LOG);
  });

  it.each([
    ["Claude Code", (library: Library) => pathIn(library, "/home/ana/shop")],
    ["Pi", (library: Library) => putPiLog(library.environment.home, piToolLog())],
  ])(
    "that this program made as a fork of a log of %s gets its results from the log that it came from, if its sidecar is lost",
    async (_, pathOf) => {
      const { library, b } = ground();
      fs.rmSync(b);
      const path = pathOf(library);
      const original = selectSession(library, [path]);
      const { fork, sidecar, blocks } = await flattenSession(library, original, {
        rule: { minBytes: 1024, copies: true },
        locking: atOnce,
        force: true,
        fork: { uuid: () => crypto.randomUUID() },
      });
      expect(blocks).toBeGreaterThan(0);
      fs.rmSync(sidecar ?? "");
      const made = fork?.path ?? "";
      expect(await unflatten(library, made)).toMatchObject({ blocks, markersLeft: 0, problems: [] });
      expect(read(made)).not.toContain("[FLATTENED");
    },
  );

  it("gets a sidecar of its own when it is flattened", async () => {
    const { library, a, b } = ground();
    await flatten(library, a);
    putOld(b, `${read(a)}${LOG.split("\n").at(-2)}\n`);
    fs.appendFileSync(b, read(a).split("\n")[0]?.replaceAll("u-", "w-") ?? "");
    fs.appendFileSync(b, "\n");
    await flatten(library, b);
    await unflatten(library, a);
    fs.rmSync(library.places.raw, { recursive: true });
    expect(await unflatten(library, b)).toMatchObject({ markersLeft: 0 });
    expect(read(b).startsWith(LOG)).toBe(true);
  });
});
