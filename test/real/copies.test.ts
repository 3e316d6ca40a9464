import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, utimesSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { claudeProjects, isRow } from "./support/claude-files.ts";
import { realHome, temporaryFolder } from "./support/real-home.ts";
import { askSessions } from "./support/run-sessions.ts";

const folder = temporaryFolder();
const home = join(folder.path, "home");
const places = { home, store: join(folder.path, "store") };
const projects = join(home, ".claude", "projects");

/** So many sessions of middle size go through every command, each a process of its own. */
const SAMPLE = 6;
const MIN_BYTES = 20_000;
const MAX_BYTES = 400_000;

interface Pair {
  readonly a: string;
  readonly b: string;
}
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
}, 120_000);
afterAll(() => folder.remove());

const both = ({ a, b }: Pair): readonly string[] => [a, b].map((path) => readFileSync(path, "latin1"));

describe("real sessions in two folders each", () => {
  test("are archived, flattened, compacted, restored, forgotten and brought back one by one, byte for byte", {
    timeout: 600_000,
  }, async () => {
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

  test("are listed once, and stay one session when a project is renamed", { timeout: 120_000 }, async () => {
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
