import { createHash } from "node:crypto";
import { cpSync, lstatSync, readdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isRow, type Row } from "./support/claude-files.ts";
import { realHome, temporaryFolder } from "./support/real-home.ts";
import { askSessions } from "./support/run-sessions.ts";

const folder = temporaryFolder();
const home = join(folder.path, "home");
const places = { home, store: join(folder.path, "store") };
/** Where agents keep logs, and nothing else is. */
const LOGS = [".claude", ".pi", ".claw", ".codex"];

interface Standing {
  readonly sha256: string;
  readonly mode: number;
  readonly mtimeMs: number;
  readonly size: number;
}

/** Every file of the home's logs. */
function standing(): ReadonlyMap<string, Standing> {
  const found = new Map<string, Standing>();
  for (const agent of LOGS) {
    for (const name of readdirSync(join(home, agent), { recursive: true, encoding: "utf8" })) {
      const path = join(home, agent, name);
      const stat = lstatSync(path);
      if (!stat.isFile()) continue;
      found.set(relative(home, path), {
        sha256: createHash("sha256").update(readFileSync(path)).digest("hex"),
        mode: stat.mode & 0o7777,
        mtimeMs: Math.floor(stat.mtimeMs),
        size: stat.size,
      });
    }
  }
  return found;
}

const sum = (sizes: Iterable<number>): number => [...sizes].reduce((total, size) => total + size, 0);

const sizesBelow = (path: string): readonly number[] =>
  readdirSync(path, { recursive: true, encoding: "utf8" })
    .map((name) => lstatSync(join(path, name)))
    .filter((stat) => stat.isFile())
    .map((stat) => stat.size);

const listAt = (row: Row, key: string): readonly Row[] => {
  const value = row[key];
  return Array.isArray(value) ? value.filter(isRow) : [];
};

let before: ReadonlyMap<string, Standing>;
let archived: Row;

beforeAll(async () => {
  cpSync(realHome(), home, { recursive: true, preserveTimestamps: true });
  // None like another, and none a whole second, so that no time is right by chance.
  let at = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
  for (const name of standing().keys()) {
    at += 61_007;
    utimesSync(join(home, name), at / 1000, at / 1000 + 5e-7);
  }
  before = standing();
  archived = await askSessions(places, ["archive"]);
});

afterAll(() => folder.remove());

describe("the archive of all real logs", () => {
  test("has every session, without a problem", async () => {
    expect(archived.problems).toEqual([]);
    const listed = await askSessions(places, ["list", "--limit", "100000", "--stubs"]);
    const ids = new Set(listAt(archived, "archived").map(({ sessionId }) => sessionId));
    for (const { sessionId, state } of listAt(listed, "sessions")) {
      if (state !== "stub") expect(ids).toContain(sessionId);
    }
  });

  test("needs less than 12 % of the logs", () => {
    const logs = sum([...before.values()].map(({ size }) => size));
    const raw = sum(sizesBelow(join(places.store, "raw")));
    const markdown = sum(sizesBelow(join(places.store, "archive")));
    const share = (bytes: number): string => `${((100 * bytes) / logs).toFixed(2)} %`;
    console.log(
      `${before.size} files, ${logs} bytes: raw ${raw} (${share(raw)}), markdown ${markdown} (${share(markdown)})`,
    );
    expect(raw / logs).toBeLessThan(0.12);
  });

  test("has nothing to do the second time", async () => {
    const again = await askSessions(places, ["archive"]);
    expect(again).toMatchObject({
      archived: [],
      problems: [],
      unchanged: listAt(archived, "archived").length,
    });
  });

  test("is proven byte for byte", async () => {
    expect(await askSessions(places, ["verify"])).toMatchObject({ damages: [], differences: [], strays: 0 });
  });

  test("keeps every session readable when all logs are gone, and gives every byte, mode and time back", async () => {
    const shown = async (): Promise<readonly unknown[]> =>
      listAt(await askSessions(places, ["list", "--limit", "100000"]), "sessions")
        .map(({ state: _state, source: _source, ...rest }) => rest)
        .sort((a, b) => (String(a.sessionId) < String(b.sessionId) ? -1 : 1));
    const listed = await shown();
    for (const agent of LOGS) rmSync(join(home, agent), { recursive: true });
    expect(await shown()).toEqual(listed);

    const { sessions, problems } = await askSessions(places, ["restore", "--all"]);
    expect(problems).toEqual([]);
    const kept = new Set(
      listAt({ sessions }, "sessions").flatMap((session) =>
        listAt(session, "files").map(({ from }) => relative(home, String(from))),
      ),
    );
    const after = standing();
    for (const [name, file] of after) expect(file, name).toEqual(before.get(name));
    // What belongs to no session is not archived: files of nobody, and those that are empty.
    const missing = [...before].filter(([name]) => !after.has(name));
    for (const [name] of missing) expect(kept, name).not.toContain(name);
    console.log(
      `${after.size} of ${before.size} files restored; of no session: ${missing.map(([name, { size }]) => `${name} (${size})`).join(", ")}`,
    );
    expect(missing.length).toBeLessThan(before.size / 50);
    expect(await shown()).toEqual(listed);
  });
});
