import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { actionsOf } from "../../src/agents/actions.ts";
import { archiveSessions } from "../../src/archive/archive-sessions.ts";
import { openArchive } from "../../src/archive/open-archive.ts";
import { restoreSessions } from "../../src/archive/restore-sessions.ts";
import { forgetLogs, forgetSession, undoForget } from "../../src/forget.ts";
import type { Library } from "../../src/fs/library.ts";
import { selectArchived } from "../../src/search/select-archived.ts";
import { selectSession } from "../../src/search/select-sessions.ts";
import type { SessionPointer } from "../../src/search/session-pointers.ts";
import { logKey } from "../../src/session/session.ts";
import { compactSession } from "../../src/shrink/compact-session.ts";
import { flattenSession } from "../../src/shrink/flatten-session.ts";
import { unflattenSession } from "../../src/shrink/unflatten-session.ts";
import { claudeProjects, isRow } from "./support/claude-files.ts";
import {
  type CopiedProject,
  copyBeside,
  copyProject,
  LONG_BYTES,
  locking,
  type Pair,
  type Project,
  realProjects,
  stateOf,
} from "./support/copied-project.ts";
import { realHome, temporaryFolder } from "./support/real-home.ts";
import { askSessions } from "./support/run-sessions.ts";

/** Looking for forks and copies with markers reads all logs of a home: in a larger one it is left out. */
const MANY_LOGS = 20;

interface Steps {
  readonly flattens: boolean;
  readonly compacts: boolean;
  readonly restores: boolean;
  readonly looksForDependents: boolean;
}

const ALL: Steps = { flattens: true, compacts: true, restores: true, looksForDependents: true };

const total = {
  logs: 0,
  bytes: 0,
  flattened: 0,
  blocks: 0,
  compacted: 0,
  forked: 0,
  restored: 0,
  forgotten: 0,
};

/** Takes one log by its path through all that writes. Its copy must not change, and it must come back byte for byte. */
async function goThrough(library: Library, path: string, copy: string, steps: Steps): Promise<void> {
  const before = stateOf(path);
  const other = stateOf(copy);
  const isAsBefore = (step: string): void =>
    expect([path, step, stateOf(path) === before, stateOf(copy) === other]).toEqual([path, step, true, true]);
  const isCopyAsBefore = (step: string): void =>
    expect([path, step, stateOf(copy) === other]).toEqual([path, step, true]);
  const named = (): SessionPointer => selectSession(library, [path], { copies: "refuse" });
  const session = named();
  expect([path, session.others]).toEqual([path, [copy]]);
  const rule = { minBytes: 1024, copies: true };
  const uuid = { uuid: () => randomUUID() };
  const { flattening, compaction, fork } = actionsOf(session.agent);

  if (flattening !== undefined && steps.flattens) {
    const { blocks, sidecar } = await flattenSession(library, session, { rule, locking });
    isCopyAsBefore("flatten");
    const back = await unflattenSession(library, session, { locking });
    isAsBefore("unflatten");
    const isWhole = blocks === 0 || (back.isExact && back.sidecar === null && sidecar !== null);
    expect([path, back.blocks, isWhole]).toEqual([path, blocks, true]);
    total.flattened++;
    total.blocks += blocks;
  }
  if (compaction !== undefined && steps.compacts) {
    const options = {
      rule: { auto: false, aggressive: true, keep: 0, preserve: 1, "max-tokens": 1, "keep-recent": 100 },
      locking,
    };
    const bytes = readFileSync(path);
    const { backup, isAppended } = await compactSession(library, session, options);
    isCopyAsBefore("compact");
    if (isAppended) {
      expect([path, readFileSync(path).subarray(0, bytes.length).equals(bytes)]).toEqual([path, true]);
      writeFileSync(path, bytes);
    } else if (backup !== null) {
      const found = selectArchived(library, [path], { copies: "refuse" });
      await restoreSessions(library, found, { locking, generation: backup, force: true });
    }
    if (backup !== null) total.compacted++;
    isAsBefore("restore of what was compacted");
    const made =
      fork === undefined ? null : (await compactSession(library, session, { ...options, fork: uuid })).fork;
    if (made !== null) {
      expect([path, dirname(made.path)]).toEqual([path, dirname(path)]);
      rmSync(made.path);
      total.forked++;
    }
    isAsBefore("fork");
  }
  total.logs++;
  total.bytes += statSync(path).size;
  if (!steps.restores) return;
  rmSync(path);
  const { sessions } = await restoreSessions(library, selectArchived(library, [path], { copies: "refuse" }), {
    locking,
  });
  isAsBefore("restore");
  expect([path, sessions.map(({ outcome }) => outcome)]).toEqual([path, ["restored"]]);
  total.restored++;

  const log = named();
  const target = { ...log, files: log.files.files };
  await (steps.looksForDependents
    ? forgetLogs(library, [target], { locking })
    : forgetSession(library, target, { locking }));
  isAsBefore("forget");
  expect(selectSession(library, [copy], { copies: "refuse" }).others).toEqual([]);
  await undoForget(library, log, { locking });
  isAsBefore("undo");
  const again = named();
  expect([logKey(again), again.others]).toEqual([logKey(log), [copy]]);
  total.forgotten++;
}

/** Takes all logs of a project and of its copy through. At the end every file is what it was. */
async function goThroughAll({ library, pairs, states }: CopiedProject): Promise<void> {
  const before = states();
  const { archived, problems } = await archiveSessions(library, { locking });
  expect(problems).toEqual([]);
  // Each log has a record of its own; so have sub-agents whose session is gone.
  const logs = new Set(pairs.flatMap(({ a, b }) => [a, b]));
  expect(archived.filter(({ source }) => logs.has(source ?? "")).length).toBe(2 * pairs.length);
  for (const [at, { a, b }] of pairs.entries()) {
    const looksForDependents = pairs.length <= MANY_LOGS;
    // A long log goes through in one of its two copies, and is either flattened, or compacted and forked, or restored and
    // forgotten, by turns. shrink.test.ts flattens and compacts every log.
    if (statSync(a).size > LONG_BYTES) {
      const [path, copy] = at % 2 === 0 ? [a, b] : [b, a];
      const turn = at % 3;
      const steps = { flattens: turn === 0, compacts: turn === 1, restores: turn === 2, looksForDependents };
      await goThrough(library, path, copy, steps);
    } else {
      await goThrough(library, a, b, { ...ALL, looksForDependents });
      await goThrough(library, b, a, { ...ALL, looksForDependents });
    }
  }
  expect([...states()]).toEqual([...before]);
}

describe("every real project, and a copy of it with the same ids", () => {
  const folder = temporaryFolder();
  afterAll(() => {
    folder.remove();
    process.stdout.write(`copies: ${JSON.stringify(total)}\n`);
  });

  test.for(realProjects())("$name", { timeout: 1_800_000 }, async (project: Project) => {
    const home = join(folder.path, project.from.replaceAll("/", "_"));
    const copied = await copyProject(home, project);
    expect(copied.pairs.every(({ a, b }) => a !== "" && b !== "")).toBe(true);
    await goThroughAll(copied);
    await isOneSessionWhenRenamed(copied);
    rmSync(home, { recursive: true });
  });

  /** The folder of the copies gets another name, and one of its logs grows: the archive goes on with each. */
  async function isOneSessionWhenRenamed({ library, pairs, copies }: CopiedProject): Promise<void> {
    const known = (): readonly string[] => openArchive(library).list().sessions.map(logKey).sort();
    const before = known();
    const [first] = pairs;
    const renamed = `${copies}-renamed`;
    renameSync(copies, renamed);
    const moved = `${renamed}${first?.b.slice(copies.length)}`;
    if (moved.endsWith(".jsonl")) appendFileSync(moved, '{"type":"later"}\n');
    await archiveSessions(library, { locking });
    expect(known()).toEqual(before);
    expect(selectArchived(library, [moved]).map(({ files }) => files[0]?.size)).toEqual([
      statSync(moved).size,
    ]);
  }
});

describe("copies in the same folder", () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());
  const projectOf = (name: string): Project => {
    const found = realProjects().find(({ from }) => from.includes(name));
    if (found === undefined) throw new Error(`There is no project ${name}`);
    return found;
  };

  test("as Pi writes checkpoints", async () => {
    const copied = await copyBeside(join(folder.path, "pi"), projectOf("pi-mono"), (id, path) => {
      const lines = readFileSync(path, "latin1").split("\n");
      const half = `${lines.slice(0, Math.ceil(lines.length / 2)).join("\n")}\n`;
      return {
        path: join(dirname(path), `${id}.checkpoint.${randomUUID()}.jsonl`),
        bytes: Buffer.from(half, "latin1"),
      };
    });
    expect(copied.pairs.length).toBeGreaterThan(2);
    await goThroughAll(copied);
  });

  test("under names that differ in case", async () => {
    const copied = await copyBeside(
      join(folder.path, "case"),
      projectOf("workspace-claude-code-log-sample"),
      (_, path) => ({
        path: join(dirname(path), `${basename(path, ".jsonl").toUpperCase()}.jsonl`),
        bytes: readFileSync(path),
      }),
    );
    expect(copied.pairs.length).toBeGreaterThan(1);
    await goThroughAll(copied);
  });
});

const folder = temporaryFolder();
const home = join(folder.path, "home");
const places = { home, store: join(folder.path, "store") };
const projects = join(home, ".claude", "projects");

/** So many sessions of middle size go through every command, each a process of its own. */
const SAMPLE = 6;
const MIN_BYTES = 20_000;
const MAX_BYTES = 400_000;

let pairs: readonly Pair[] = [];

/** Every project twice, with the same ids. */
beforeAll(() => {
  const real = join(realHome(), ".claude", "projects");
  const chosen = claudeProjects(real)
    .sessions.filter(({ main }) => statSync(main).size > MIN_BYTES && statSync(main).size < MAX_BYTES)
    .slice(0, SAMPLE);
  pairs = chosen.map(({ main }) => {
    const project = basename(dirname(main));
    const a = join(projects, project, basename(main));
    const b = join(projects, `${project}-copy`, basename(main));
    for (const path of [a, b]) {
      mkdirSync(dirname(path), { recursive: true });
      cpSync(main, path);
      utimesSync(path, 1_780_000_000, 1_780_000_000);
    }
    return { a, b };
  });
});
afterAll(() => folder.remove());

const both = ({ a, b }: Pair): readonly string[] => [a, b].map((path) => readFileSync(path, "latin1"));

describe("a few real sessions in two folders each, by the program itself", () => {
  test("are archived, flattened, compacted, restored, forgotten and brought back one by one, byte for byte", async () => {
    expect(pairs.length).toBe(SAMPLE);
    const done = await askSessions(places, ["archive"]);
    expect(Array.isArray(done.archived) && done.archived.length).toBe(2 * SAMPLE);
    for (const pair of pairs) {
      const before = both(pair);
      const { a, b } = pair;
      await askSessions(places, ["flatten", b]);
      expect(both(pair)[0] === before[0]).toBe(true);
      await askSessions(places, ["unflatten", b]);
      expect(both(pair).every((text, at) => text === before[at])).toBe(true);
      const compacted = await askSessions(places, ["compact", a, "--aggressive", "--keep", "0"]);
      expect(both(pair)[1] === before[1]).toBe(true);
      if (typeof compacted.backup === "number") {
        await askSessions(places, ["restore", a, "--generation", String(compacted.backup), "--force"]);
      }
      expect(both(pair).every((text, at) => text === before[at])).toBe(true);
      await askSessions(places, ["forget", b, "--yes"]);
      const left = await askSessions(places, ["show", basename(a, ".jsonl")]);
      expect(left).toMatchObject({ source: a, copies: 1 });
      await askSessions(places, ["forget", b, "--undo"]);
      expect(await askSessions(places, ["show", b])).toMatchObject({
        source: b,
        copies: 2,
        otherCopies: [a],
      });
    }
  });

  test("are listed once, and stay one session when a project is renamed", async () => {
    const [first] = pairs;
    if (first === undefined) throw new Error("No session was copied");
    const moved = join(projects, "-renamed", basename(first.b));
    const renamed = dirname(first.b);
    const here = readdirSync(renamed);
    mkdirSync(dirname(moved));
    for (const name of here) renameSync(join(renamed, name), join(dirname(moved), name));
    const again = await askSessions(places, ["archive"]);
    expect(isRow(again.total) && again.total.sessions).toBe(2 * SAMPLE);
    const list = await askSessions(places, ["list", "--limit", "1000"]);
    expect(list.total).toBe(SAMPLE);
    expect(Array.isArray(list.sessions) && list.sessions.every((row) => isRow(row) && row.copies === 2)).toBe(
      true,
    );
  });
});
