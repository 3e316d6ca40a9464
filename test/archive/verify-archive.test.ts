import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { archiveSessions } from "../../src/archive/archive-sessions.ts";
import { verifyArchive } from "../../src/archive/verify-archive.ts";
import type { Library } from "../../src/fs/library.ts";
import { quickDisk } from "../crash/quick-disk.ts";
import { unreadableDisk } from "../crash/sick-disks.ts";
import { archiving, quickLibrary } from "../support/archive/archiving.ts";
import { type LogHome, makeLogHome } from "../support/archive/log-home.ts";
import { filesBelow } from "../support/archive/source-files.ts";

async function ground(): Promise<{ readonly library: Library; readonly made: LogHome }> {
  const library = quickLibrary();
  const made = makeLogHome(library.environment.home);
  await archiveSessions(library, archiving);
  return { library, made };
}

/** The one chunk of Pi's log. */
function piChunk(library: Library): string {
  const name = [...filesBelow(library.places.raw).keys()].find((each) => /^pi\/.*\.br$/.test(each));
  return join(library.places.raw, name ?? "");
}

describe("verifyArchive()", () => {
  it("proves all there is, and changes nothing", async () => {
    const { library, made } = await ground();
    const before = filesBelow(library.places.home);
    const answer = await verifyArchive(library);
    expect(answer).toEqual({
      sessions: 4,
      stubs: 0,
      generations: 4,
      files: made.files.length,
      bytes: made.files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0),
      damages: [],
      differences: [],
      sources: { same: made.files.length, changed: 0, gone: 0 },
      strays: 0,
    });
    expect(filesBelow(library.places.home)).toEqual(before);
  });

  it("names what is damaged, how much is good, and whether the agent still has it", async () => {
    const { library, made } = await ground();
    const log = made.files.find(({ path }) => path.includes("/.pi/"));
    const size = Buffer.byteLength(log?.text ?? "");
    fs.rmSync(piChunk(library));
    const damage = {
      agent: "pi",
      id: made.ids.pi,
      machine: null,
      generation: 1,
      path: log?.path,
      from: 0,
      to: size,
      what: "its chunk file is missing",
      size,
      goodBytes: 0,
    };
    expect((await verifyArchive(library)).damages).toEqual([{ ...damage, mendable: true }]);
    fs.rmSync(log?.path ?? "");
    expect((await verifyArchive(library)).damages).toEqual([{ ...damage, mendable: false }]);
  });

  it("finds nothing wrong any more when the archive has been mended", async () => {
    const { library } = await ground();
    fs.writeFileSync(piChunk(library), "rubbish");
    expect((await archiveSessions(library, archiving)).mended).toBe(0);
    expect((await archiveSessions(library, { ...archiving, thorough: true })).mended).toBe(1);
    expect((await verifyArchive(library)).damages).toEqual([]);
  });

  it("names a session whose record is gone or damaged", async () => {
    const { library, made } = await ground();
    const record = join(library.places.raw, "pi", made.ids.pi, "1", "manifest.json");
    fs.truncateSync(record, 100);
    expect((await verifyArchive(library)).damages).toMatchObject([
      { agent: "pi", id: made.ids.pi, path: null, what: expect.stringContaining("hash") },
    ]);
    fs.rmSync(record);
    expect((await verifyArchive(library)).damages).toMatchObject([
      { agent: "pi", id: made.ids.pi, what: "its record is missing" },
    ]);
    // A record that is lost is damage, and nothing of what it named is ever removed.
    const before = [...filesBelow(join(library.places.raw, "pi")).keys()];
    await archiveSessions(library, archiving);
    expect([...filesBelow(join(library.places.raw, "pi")).keys()]).toEqual(expect.arrayContaining(before));
  });

  it("distinguishes logs that changed or went from those that differ for no reason", async () => {
    const { library, made } = await ground();
    const [first, second, third] = made.files.map(({ path }) => path);
    fs.appendFileSync(first ?? "", "more\n");
    fs.rmSync(second ?? "");
    const { atimeMs, mtimeMs } = fs.statSync(third ?? "");
    fs.writeFileSync(third ?? "", (made.files[2]?.text ?? "").replace("carts", "CARTS"));
    fs.utimesSync(third ?? "", atimeMs / 1000, mtimeMs / 1000 + 5e-7);
    const { sources, differences, damages } = await verifyArchive(library);
    expect(damages).toEqual([]);
    expect(sources).toEqual({ same: made.files.length - 3, changed: 2, gone: 1 });
    expect(differences).toMatchObject([
      { id: made.ids.claude, path: third, what: expect.stringContaining("differ") },
    ]);
  });

  it("says so where a log can't be compared", async () => {
    const { library, made } = await ground();
    const sick = made.files[0]?.path;
    const disk = unreadableDisk(quickDisk, (path) => path === sick);
    expect((await verifyArchive({ ...library, disk })).differences).toMatchObject([
      { path: sick, what: "it can't be compared: permission denied" },
    ]);
  });

  it("proves only what it is asked for", async () => {
    const { library, made } = await ground();
    fs.rmSync(piChunk(library));
    const sessions = [{ agent: "claude" as const, id: made.ids.claude, copy: null }];
    expect(await verifyArchive(library, { sessions })).toMatchObject({ sessions: 1, files: 7, damages: [] });
  });
});
