import { appendFileSync, cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { TurnHit } from "../../src/core/search/search-engine.ts";
import { archiveSessions } from "../../src/operations/archive-sessions.ts";
import { withCatalogue } from "../../src/operations/catalogue.ts";
import { withIndex } from "../../src/operations/indexing/index-access.ts";
import { rowsOf } from "../../src/operations/indexing/index-rows.ts";
import { knownFiles } from "../../src/operations/indexing/known-files.ts";
import type { SessionRow } from "../../src/operations/indexing/session-row.ts";
import type { Library } from "../../src/operations/library.ts";
import { wholeOutputs } from "../../src/operations/whole-outputs.ts";
import { archiving } from "../support/archive/archiving.ts";
import { makeAccess, makeLibrary } from "../support/make-library.ts";

const demo = fileURLToPath(new URL("../../fixtures/demo", import.meta.url));
const SESSION = "484e4bb2-8809-49fb-92e2-d5870129d604";
const PROJECT = ".claude/projects/-home-ana-shop";
const TURN: TurnHit = { turn: 1, score: 1, at: null, context: "subagent", fields: {} };

interface Ground {
  readonly library: Library;
  readonly rows: readonly SessionRow[];
  readonly row: SessionRow;
  readonly subagents: string;
}

/** A home whose index is up to date, and known to be. */
async function knownGround(): Promise<Ground> {
  const library = makeLibrary();
  const { home } = library.surroundings;
  cpSync(demo, home, { recursive: true });
  for (const _ of [1, 2]) await withCatalogue(library, makeAccess(library), ({ rows }) => rows.length);
  const rows = await withIndex(library, makeAccess(library), async (reader) => {
    const read = await rowsOf(reader);
    if (read.kind === "damaged") throw new Error(read.what);
    return [...read.rows.values()];
  });
  const row = rows.find(({ id }) => id === SESSION);
  if (row === undefined) throw new Error("The session is not there");
  return { library, rows, row, subagents: join(home, PROJECT, SESSION, "subagents") };
}

/** Sees whether folders are listed: that is how logs are looked for. */
function watchFolders(library: Library): { readonly watched: Library; readonly listed: readonly string[] } {
  const listed: string[] = [];
  const readdir: Library["disk"]["readdir"] = (path) => {
    if (path.startsWith(library.surroundings.home)) listed.push(path);
    return library.disk.readdir(path);
  };
  return { watched: { ...library, disk: { ...library.disk, readdir } }, listed };
}

describe("wholeOutputs()", () => {
  test("has the output of sub-agents, without looking for their logs", async () => {
    const { library, row } = await knownGround();
    const { watched, listed } = watchFolders(library);
    const known = wholeOutputs(watched, row, true)(TURN);
    expect(listed).toEqual([]);
    rmSync(library.places.cache, { recursive: true });
    expect(wholeOutputs(watched, row, true)(TURN)).toBe(known);
    expect(listed).not.toEqual([]);
    expect(known).not.toBe("");
  });

  test("has it from the archive where the logs are gone", async () => {
    const { library, row } = await knownGround();
    const known = wholeOutputs(library, row, true)(TURN);
    await archiveSessions(library, archiving);
    rmSync(join(library.surroundings.home, PROJECT), { recursive: true });
    expect(wholeOutputs(library, row, true)(TURN)).toBe(known);
  });
});

describe("knownFiles()", () => {
  test("are those of each session that was read from its log", async () => {
    const { library, rows } = await knownGround();
    for (const row of rows.filter(({ origin }) => origin === "log")) {
      const files = knownFiles(library, row);
      expect(files).toMatchObject({ agent: row.agent, id: row.id });
      expect(files?.files[0]?.path).toBe(row.lead);
      expect(files?.files).toHaveLength(row.files);
    }
    expect(rows.filter(({ files }) => files > 1).length).toBeGreaterThan(1);
  });

  test.each<[string, (ground: Ground) => void]>([
    ["a file is gone", ({ subagents }) => rmSync(subagents, { recursive: true })],
    ["the log grew", ({ row }) => appendFileSync(row.lead ?? "", "\n")],
    ["nothing was kept", ({ library }) => rmSync(library.places.cache, { recursive: true })],
  ])("are not known where %s", async (_, change) => {
    const ground = await knownGround();
    expect(knownFiles(ground.library, ground.row)).toBeDefined();
    change(ground);
    expect(knownFiles(ground.library, ground.row)).toBeUndefined();
  });

  test("are not known where the index has read other files", async () => {
    const { library, row } = await knownGround();
    const { files, bytes } = row;
    expect(knownFiles(library, { ...row, files: files + 1 })).toBeUndefined();
    expect(knownFiles(library, { ...row, bytes: bytes + 1 })).toBeUndefined();
    expect(knownFiles(library, { ...row, lead: "/other.jsonl" })).toBeUndefined();
    expect(knownFiles(library, { ...row, origin: "fragments" })).toBeUndefined();
  });
});
