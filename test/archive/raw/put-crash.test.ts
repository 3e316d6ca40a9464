import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openRawArchive } from "../../../src/archive/raw/raw-archive.ts";
import type { Disk } from "../../../src/fs/disk.ts";
import { everyDeath } from "../../crash/every-death.ts";
import { bytesOf, fileAt, filesBelow, logLines, session } from "../../support/archive/source-files.ts";

const rawIn = (folder: string): string => join(folder, "raw");
const logIn = (folder: string): string => join(folder, "log.jsonl");
const agentIn = (folder: string): string => join(folder, "agent-a1.jsonl");
const taskIn = (folder: string): string => join(folder, "1.json");

/** One run of the archive over what there is. */
function run(disk: Disk, folder: string): void {
  const archive = openRawArchive(disk, rawIn(folder));
  const roles = [
    [logIn(folder), "main"],
    [agentIn(folder), "subagent"],
    [taskIn(folder), "task"],
  ] as const;
  const files = roles
    .filter(([path]) => fs.existsSync(path))
    .map(([path, role]) => fileAt(disk, path, role, folder));
  const { problems } = archive.put(session, files, { nameMarkdown: () => "name.md" });
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  archive.close();
}

/** All that a reader can get, by generation and path. */
function contents(disk: Disk, folder: string): ReadonlyMap<string, string> {
  const archive = openRawArchive(disk, rawIn(folder));
  const found = new Map<string, string>();
  for (const number of archive.get(session)?.generations ?? []) {
    const kept = archive.get(session, number);
    for (const { path } of kept?.files ?? []) {
      found.set(`${number} ${path.slice(folder.length)}`, bytesOf(archive, path, number)?.toString() ?? "");
    }
  }
  return found;
}

/** What must be true after any death: nothing that was kept is lost or damaged, and the next run completes. */
function checkRecovered(disk: Disk, folder: string, before: ReadonlyMap<string, string>): void {
  const archive = openRawArchive(disk, rawIn(folder));
  expect(archive.prove(session).damages).toEqual([]);
  const left = contents(disk, folder);
  for (const [name, text] of before) expect(left.get(name)?.startsWith(text), `${name} is kept`).toBe(true);
  run(disk, folder);
  const now = openRawArchive(disk, rawIn(folder));
  for (const path of [logIn(folder), agentIn(folder), taskIn(folder)]) {
    if (fs.existsSync(path)) expect(bytesOf(now, path)?.equals(fs.readFileSync(path))).toBe(true);
  }
  for (const [name, text] of before) expect(contents(disk, folder).get(name)?.startsWith(text)).toBe(true);
  expect(now.prove(session)).toMatchObject({ damages: [], strays: 0 });
  expect(now.list().sessions).toHaveLength(1);
  expect(now.list().sessions[0]?.markdown).toBe("name.md");
  const litter = [...filesBelow(rawIn(folder)).keys()].filter((name) => /\.tmp$|\.new\//.test(name));
  expect(litter).toEqual([]);
  expect(
    fs.readdirSync(join(rawIn(folder), "claude", session.id)).filter((name) => name.endsWith(".new")),
  ).toEqual([]);
}

/** Small: every death is a run of its own, and what is packed does not matter. */
const MEDIUM = 20_000;

describe("put(), killed at every call", () => {
  it("keeps a new session whole or not at all", async () => {
    const deaths = await everyDeath(
      (_, folder) => {
        fs.writeFileSync(logIn(folder), logLines(1, MEDIUM));
        fs.writeFileSync(agentIn(folder), "sub-agent\n");
        return new Map<string, string>();
      },
      (disk, folder) => run(disk, folder),
      (disk, folder, before, { diedAt }) => {
        const kept = openRawArchive(disk, rawIn(folder)).get(session);
        if (diedAt === undefined) expect(kept?.files).toHaveLength(2);
        if (kept !== undefined) {
          expect(bytesOf(openRawArchive(disk, rawIn(folder)), logIn(folder))?.toString()).toBe(
            fs.readFileSync(logIn(folder), "utf8"),
          );
        }
        checkRecovered(disk, folder, before);
      },
    );
    expect(deaths.count).toBeGreaterThan(20);
  });

  it("loses nothing of a log that grows, whose last chunk is taken into a larger one", async () => {
    const deaths = await everyDeath(
      (disk, folder) => {
        // The last chunk is not full: growth takes it into a larger one.
        fs.writeFileSync(logIn(folder), logLines(1, 30_000));
        run(disk, folder);
        fs.appendFileSync(logIn(folder), logLines(900_000, MEDIUM));
        return contents(disk, folder);
      },
      (disk, folder) => run(disk, folder),
      (disk, folder, before) => checkRecovered(disk, folder, before),
    );
    expect(deaths.count).toBeGreaterThan(10);
  });

  it("keeps both generations of a rewritten log", async () => {
    const deaths = await everyDeath(
      (disk, folder) => {
        fs.writeFileSync(logIn(folder), logLines(1, MEDIUM));
        fs.writeFileSync(agentIn(folder), "sub-agent\n");
        run(disk, folder);
        fs.writeFileSync(logIn(folder), logLines(5_000, MEDIUM));
        fs.rmSync(agentIn(folder));
        return contents(disk, folder);
      },
      (disk, folder) => run(disk, folder),
      (disk, folder, before, { diedAt }) => {
        if (diedAt === undefined) {
          expect(openRawArchive(disk, rawIn(folder)).get(session)?.generations).toEqual([1, 2]);
        }
        checkRecovered(disk, folder, before);
        expect([...contents(disk, folder).keys()].sort()).toEqual([
          "1 /agent-a1.jsonl",
          "1 /log.jsonl",
          "2 /agent-a1.jsonl",
          "2 /log.jsonl",
        ]);
      },
    );
    expect(deaths.count).toBeGreaterThan(10);
  });

  it("keeps earlier states of a list of work", async () => {
    await everyDeath(
      (disk, folder) => {
        fs.writeFileSync(logIn(folder), "log\n");
        fs.writeFileSync(taskIn(folder), "pending");
        run(disk, folder);
        fs.writeFileSync(taskIn(folder), "completed");
      },
      (disk, folder) => run(disk, folder),
      (disk, folder) => {
        checkRecovered(disk, folder, new Map());
        const archive = openRawArchive(disk, rawIn(folder));
        expect(archive.get(session)?.earlier).toHaveLength(1);
      },
    );
  });

  it("finds its way where it is killed again and again", async () => {
    await everyDeath(
      async (disk, folder) => {
        fs.writeFileSync(logIn(folder), logLines(1, 5_000));
        run(disk, folder);
        fs.writeFileSync(logIn(folder), logLines(2, 6_000));
      },
      async (disk, folder) => {
        run(disk, folder);
        fs.writeFileSync(logIn(folder), logLines(3, 7_000));
        run(disk, folder);
        fs.appendFileSync(logIn(folder), "more\n");
        run(disk, folder);
      },
      (disk, folder) => checkRecovered(disk, folder, new Map()),
      { aftermaths: ["kill", "names-lost"] },
    );
  });
});

describe("repeat(), killed at every call", () => {
  it("leaves the generations as they were or adds the one", async () => {
    await everyDeath(
      (disk, folder) => {
        for (const text of ["first\n", "SECOND\n"]) {
          fs.writeFileSync(logIn(folder), text);
          run(disk, folder);
        }
      },
      (disk, folder) => {
        const archive = openRawArchive(disk, rawIn(folder));
        archive.repeat(session, 1);
        archive.close();
      },
      (disk, folder, _, { diedAt }) => {
        const archive = openRawArchive(disk, rawIn(folder));
        const generations = archive.get(session)?.generations.length ?? 0;
        expect(diedAt === undefined ? [3] : [2, 3]).toContain(generations);
        expect(bytesOf(archive, logIn(folder))?.toString()).toBe(generations === 3 ? "first\n" : "SECOND\n");
        expect(archive.prove(session).damages).toEqual([]);
        archive.repeat(session, 1);
        expect(bytesOf(archive, logIn(folder))?.toString()).toBe("first\n");
      },
    );
  });
});
