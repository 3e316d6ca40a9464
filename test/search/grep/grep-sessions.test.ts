import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { archiveSessions } from "../../../src/archive/archive-sessions.ts";
import type { Library } from "../../../src/fs/library.ts";
import { compilePattern, type PatternOptions } from "../../../src/search/grep/compile-pattern.ts";
import { type GrepHit, type GrepQuery, grepTask } from "../../../src/search/grep/grep-job.ts";
import { type FoundIn, type GrepOptions, grepSessions } from "../../../src/search/grep/grep-sessions.ts";
import { timeLimitOf } from "../../../src/search/grep/scan-session.ts";
import { noFilter, type SessionFilter } from "../../../src/search/query/session-filter.ts";
import { refreshIndex } from "../../../src/search/refresh/refresh-index.ts";
import type { WorkerHandle } from "../../../src/search/worker-handle.ts";
import { defaultRoles, textRoles } from "../../../src/session/text-role.ts";
import { archiving } from "../../support/archive/archiving.ts";
import { makeAccess, makeLibrary } from "../../support/make-library.ts";

const demo = fileURLToPath(new URL("../../../fixtures/demo", import.meta.url));
const ROTATION = "87f01b2f-1b5d-461b-8db4-95cd4ce864a4";

function demoLibrary(): Library {
  const library = makeLibrary();
  cpSync(demo, library.environment.home, { recursive: true });
  return library;
}

interface Found {
  readonly sessions: readonly FoundIn[];
  readonly hits: readonly GrepHit[];
  readonly problems: readonly string[];
  readonly isDone: boolean;
}

type QueryOptions = Partial<Omit<GrepQuery, "pattern">> & Partial<PatternOptions>;

async function grep(
  library: Library,
  text: string,
  queryOptions: QueryOptions = {},
  options: GrepOptions = {},
): Promise<Found> {
  const { ignoreCase = false, fixed = false, ...rest } = queryOptions;
  const sessions: FoundIn[] = [];
  const hits: GrepHit[] = [];
  const problems: string[] = [];
  let isDone = false;
  const query: GrepQuery = {
    pattern: compilePattern({ text, ignoreCase, fixed }),
    roles: textRoles,
    contextLines: 0,
    sessionsOnly: false,
    filter: noFilter,
    reveal: false,
    timeLimitMs: 60_000,
    ...rest,
  };
  for await (const event of grepSessions(library, makeAccess(library).engine, query, options)) {
    if (event.kind === "hits") {
      if (!sessions.some(({ id }) => id === event.session.id)) sessions.push(event.session);
      hits.push(...event.hits);
    } else if (event.kind === "problem") problems.push(event.problem.what);
    else isDone = true;
  }
  return { sessions, hits, problems, isDone };
}

/** Finds the lines that match with nothing but JSON.parse, in every text of every line. */
function placesByHand(home: string, regex: RegExp): readonly string[] {
  const stringsIn = (value: unknown): readonly string[] => {
    if (typeof value === "string") return [value];
    if (typeof value !== "object" || value === null) return [];
    return Object.values(value).flatMap(stringsIn);
  };
  return readdirSync(home, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".jsonl"))
    .flatMap((path) =>
      readFileSync(join(home, path), "utf8")
        .split("\n")
        .flatMap((line, index) => {
          const found = line !== "" && stringsIn(JSON.parse(line)).some((text) => regex.test(text));
          return found ? [`${join(home, path)}:${index + 1}`] : [];
        }),
    );
}

/** Runs workers in this thread, but copies messages as between threads. */
function threadsHere(): NonNullable<GrepOptions["threads"]> {
  const start = (_: string, data: unknown): WorkerHandle => {
    let receiver: (message: unknown) => void = () => undefined;
    const receive = grepTask(structuredClone(data), (message) =>
      setImmediate(receiver, structuredClone(message)),
    );
    return {
      post: (message) => void setImmediate(receive, structuredClone(message)),
      onMessage: (listener) => {
        receiver = listener;
      },
      ended: new Promise(() => undefined),
      finish: () => undefined,
      terminate: async () => undefined,
    };
  };
  return { start, count: 3 };
}

describe("grepSessions()", () => {
  const patterns = [
    "token",
    "refresh.*token",
    "ñ|é",
    "^\\s*at ",
    "\\d{4}-\\d\\d",
    "\\bfn\\b",
    "(?<=\\s)auth",
  ];

  test.each(patterns)("finds %s on every line that has it, and on no other", async (text) => {
    const library = demoLibrary();
    const { hits, isDone } = await grep(library, text);
    const places = hits
      .map(({ path, line }) => `${path}:${line}`)
      .filter((place) => place.includes(".jsonl:"));
    expect(isDone).toBe(true);
    expect([...new Set(places)].sort()).toEqual(
      [...placesByHand(library.environment.home, new RegExp(text, "mu"))].sort(),
    );
  });

  test.each(patterns)("finds the same lines for %s in threads, in the same order", async (text) => {
    const library = demoLibrary();
    // A pattern that is not quick is searched in threads however small the logs are.
    const slow = `${text}(?=[\\s\\S]*)`;
    expect(await grep(library, slow, {}, { threads: threadsHere() })).toEqual(await grep(library, text));
  });

  test("returns the newest session first, with or without an index", async () => {
    const library = demoLibrary();
    const before = await grep(library, "test");
    await refreshIndex(library, makeAccess(library));
    const after = await grep(library, "test");
    const ends = after.sessions.map(({ endedAt }) => endedAt ?? 0);
    expect(ends.length).toBeGreaterThan(3);
    expect(ends).toEqual(ends.toSorted((a, b) => b - a));
    expect(after.sessions.map(({ id }) => id).sort()).toEqual(before.sessions.map(({ id }) => id).sort());
  });

  test.each<[string, Partial<SessionFilter>]>([
    ["an agent", { agents: ["codex"] }],
    ["a project", { projects: ["tally"] }],
    ["a branch", { branches: ["auth-tabs"] }],
    ["a tool", { tools: ["todowrite"] }],
    ["a file", { files: ["auth.ts"] }],
    ["a command", { commands: ["vitest"] }],
    ["a title", { titles: ["token refresh"] }],
    ["a place", { contexts: ["compacted"] }],
    ["a time", { since: Date.UTC(2026, 10, 1), until: Date.UTC(2026, 10, 8) }],
  ])("narrows by %s to a part, the same with and without an index", async (_, narrow) => {
    const library = demoLibrary();
    const filter = { ...noFilter, ...narrow };
    const all = await grep(library, "\\bthe\\b");
    const bare = await grep(library, "\\bthe\\b", { filter });
    await refreshIndex(library, makeAccess(library));
    const indexed = await grep(library, "\\bthe\\b", { filter });
    expect(bare.hits.length).toBeGreaterThan(0);
    expect(bare.hits.length).toBeLessThan(all.hits.length);
    expect(new Set(bare.sessions.map(({ id }) => id))).toEqual(new Set(indexed.sessions.map(({ id }) => id)));
    expect(bare.hits.length).toBe(indexed.hits.length);
    const contexts = narrow.contexts ?? [];
    if (contexts.length > 0) for (const { context } of bare.hits) expect(contexts).toContain(context);
    for (const { at } of bare.hits)
      if (narrow.since !== undefined && at !== null) expect(at).toBeLessThan(narrow.until ?? 0);
  });

  test("finds what only the archive has, and what a rewrite took away", async () => {
    const library = demoLibrary();
    const log = join(library.environment.home, ".claude/projects/-home-ana-shop", `${ROTATION}.jsonl`);
    const lines = readFileSync(log, "utf8").trimEnd().split("\n");
    await archiveSessions(library, archiving);
    const all = await grep(library, "token", { roles: defaultRoles });
    const own = all.hits.filter(({ path }) => path === log).length;

    writeFileSync(log, `${lines.slice(0, 3).join("\n")}\n`);
    const rewritten = await grep(library, "token", { roles: defaultRoles });
    expect(rewritten.hits.filter(({ path }) => path === log).length).toBe(own);
    expect(rewritten.hits.some(({ generation }) => generation === 1)).toBe(true);

    rmSync(log);
    const gone = await grep(library, "token", { roles: defaultRoles });
    expect(gone.sessions.find(({ id }) => id === ROTATION)).toMatchObject({ state: "kept", source: null });
    expect(gone.hits.length).toBe(all.hits.length);
  });

  test("finds what was appended a moment ago, though the index does not have it", async () => {
    const library = demoLibrary();
    await refreshIndex(library, makeAccess(library));
    const log = join(library.environment.home, ".claude/projects/-home-ana-shop", `${ROTATION}.jsonl`);
    appendFileSync(
      log,
      `{"type":"user","uuid":"n","sessionId":"${ROTATION}","message":{"role":"user","content":"zebra crossing"}}\n`,
    );
    const { hits, sessions } = await grep(library, "zebra\\scross");
    expect(hits).toMatchObject([
      { path: log, role: "request", text: "zebra crossing", highlights: [[0, 11]] },
    ]);
    expect(sessions).toMatchObject([{ id: ROTATION }]);
  });

  test("finds text in broken lines, and between escapes", async () => {
    const library = makeLibrary();
    const folder = join(library.environment.home, ".claude/projects/-x");
    mkdirSync(folder, { recursive: true });
    const id = "0b8ec0de-0000-4000-8000-000000000000";
    const ok = { type: "user", uuid: "u", sessionId: id, cwd: "/x", timestamp: "2026-10-01T10:00:00Z" };
    const lines = [
      JSON.stringify({ ...ok, message: { role: "user", content: "first" } }),
      '{"type":"user","message":{"content":"torn \\u0066\\u006f\\u0078 line',
      `${JSON.stringify({ ...ok, uuid: "v", message: { role: "user", content: "a\tfox" } }).replace("fox", "\\u0066ox")}`,
    ];
    writeFileSync(join(folder, `${id}.jsonl`), lines.join("\n"));
    const { hits } = await grep(library, "fox");
    expect(hits.map(({ line, text }) => [line, text])).toEqual([
      [2, "torn fox line"],
      [3, "a\tfox"],
    ]);
  });

  test("leaves out the log of an excluded project, and not another log of the same session", async () => {
    const library = makeLibrary({ config: { exclude: ["/home/ana/secret"] } });
    const id = "33333333-0000-4000-8000-000000000000";
    for (const project of ["secret", "shop"]) {
      const folder = join(library.environment.home, ".claude/projects", `-home-ana-${project}`);
      mkdirSync(folder, { recursive: true });
      const message = { role: "user", content: `The word is ${project}word.` };
      const line = { type: "user", uuid: project, sessionId: id, cwd: `/home/ana/${project}`, message };
      writeFileSync(join(folder, `${id}.jsonl`), `${JSON.stringify(line)}\n`);
    }
    expect((await grep(library, "secretword")).hits).toEqual([]);
    expect((await grep(library, "shopword")).hits).toHaveLength(1);
  });

  test("masks secrets, even if the pattern matches a part of one", async () => {
    const library = makeLibrary();
    const folder = join(library.environment.home, ".claude/projects/-x");
    mkdirSync(folder, { recursive: true });
    const id = "0b8ec0de-0000-4000-8000-000000000000";
    const secret = ["ghp", "_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("");
    const line = {
      type: "user",
      uuid: "u",
      sessionId: id,
      cwd: "/x",
      message: { role: "user", content: `the key ${secret} is old` },
    };
    writeFileSync(join(folder, `${id}.jsonl`), `${JSON.stringify(line)}\n`);
    const { hits } = await grep(library, "c3D4e5");
    expect(hits).toHaveLength(1);
    expect(hits[0]?.text).not.toContain("c3D4e5");
    expect(hits[0]?.text).toMatch(/^the key .* is old$/);
    const revealed = await grep(library, "c3D4e5", { reveal: true });
    expect(revealed.hits[0]?.text).toContain(secret);
  });

  test("returns lines around a match, and only names of sessions if requested", async () => {
    const library = makeLibrary();
    const folder = join(library.environment.home, ".claude/projects/-x");
    mkdirSync(folder, { recursive: true });
    const id = "0b8ec0de-0000-4000-8000-000000000000";
    const line = {
      type: "user",
      uuid: "u",
      sessionId: id,
      cwd: "/x",
      message: { role: "user", content: "a\nb\nc\nd\ne" },
    };
    writeFileSync(join(folder, `${id}.jsonl`), `${JSON.stringify(line)}\n`);
    const { hits } = await grep(library, "^c$", { contextLines: 1 });
    expect(hits).toMatchObject([{ text: "c", textLine: 3, before: ["b"], after: ["d"], turn: 1 }]);
    const named = await grep(library, "^c$", { sessionsOnly: true });
    expect(named).toMatchObject({ sessions: [{ id }], hits: [] });
  });

  test("ends when the caller stops iterating", async () => {
    const library = demoLibrary();
    const query = {
      pattern: compilePattern({ text: "e(?=[\\s\\S]*)", ignoreCase: false, fixed: false }),
      roles: textRoles,
      contextLines: 0,
      sessionsOnly: false,
      filter: noFilter,
      reveal: false,
      timeLimitMs: 60_000,
    };
    for await (const { kind } of grepSessions(library, makeAccess(library).engine, query, {
      threads: threadsHere(),
    }))
      if (kind === "hits") break;
  });
});

describe("timeLimitOf()", () => {
  test("is longer for long files and shorter with each file that ran away, but never zero", () => {
    expect(timeLimitOf(10_000, 0)).toBe(10_000);
    expect(timeLimitOf(10_000, 50_000_000)).toBe(15_000);
    expect(timeLimitOf(10_000, 0, 1)).toBe(5_000);
    expect(timeLimitOf(10_000, 0, 40)).toBe(2_000);
    expect(timeLimitOf(200, 0, 40)).toBe(200);
  });
});
