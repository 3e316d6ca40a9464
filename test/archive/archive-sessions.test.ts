import { createHash } from "node:crypto";
import fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { diskSource } from "../../src/agents/byte-source.ts";
import { findSessions } from "../../src/agents/find-sessions.ts";
import { readSession } from "../../src/agents/read-session.ts";
import { type ArchiveAnswer, archiveSessions } from "../../src/archive/archive-sessions.ts";
import { archivedSessions } from "../../src/archive/archived-sessions.ts";
import { exitCodes } from "../../src/errors.ts";
import type { Library } from "../../src/fs/library.ts";
import { quickDisk } from "../crash/quick-disk.ts";
import { diskThatIsFull, readOnlyDisk, unreadableDisk } from "../crash/sick-disks.ts";
import { archiving, locking, plainWriter, quickLibrary } from "../support/archive/archiving.ts";
import { claudeFolder, claudeLog, type LogHome, makeLogHome } from "../support/archive/log-home.ts";
import { filesBelow } from "../support/archive/source-files.ts";
import fc from "../support/fc.ts";

const archive = (library: Library, options: object = {}): Promise<ArchiveAnswer> =>
  archiveSessions(library, { ...archiving, ...options });

function ground(): { readonly library: Library; readonly made: LogHome } {
  const library = quickLibrary();
  return { library, made: makeLogHome(library.environment.home) };
}

const sha256 = (path: string): string => createHash("sha256").update(fs.readFileSync(path)).digest("hex");

describe("archiveSessions()", () => {
  it("archives one session of each agent with all that belongs to it", async () => {
    const { library, made } = ground();
    const { archived, unchanged, problems, total } = await archive(library);
    expect(problems).toEqual([]);
    expect(unchanged).toBe(0);
    expect(archived.map(({ id }) => id).sort()).toEqual(Object.values(made.ids).sort());
    const claude = archived.find(({ agent }) => agent === "claude");
    const [log, ...rest] = made.files.slice(0, 7);
    expect(claude).toMatchObject({
      files: 7,
      generation: 1,
      startedGeneration: false,
      bytes: log?.text.length,
      totalBytes: [log, ...rest].reduce((sum, file) => sum + Buffer.byteLength(file?.text ?? ""), 0),
      sha256: sha256(log?.path ?? ""),
      raw: join(library.places.raw, "claude", made.ids.claude),
    });
    expect(total.sessions).toBe(4);
    expect(fs.existsSync(claude?.raw ?? "")).toBe(true);
  });

  it("does nothing the second time", async () => {
    const { library } = ground();
    await archive(library);
    const before = filesBelow(library.places.home);
    const blind = {
      ...library,
      disk: unreadableDisk(
        quickDisk,
        (path) =>
          path.startsWith(join(library.environment.home, ".claude", "projects")) && path.endsWith("l"),
      ),
    };
    const { archived, unchanged, problems } = await archive(blind);
    expect({ archived, unchanged, problems }).toEqual({ archived: [], unchanged: 4, problems: [] });
    expect(filesBelow(library.places.home)).toEqual(before);
  });

  it.each([
    ["noise", Buffer.from(Array.from({ length: 4_000 }, (_, i) => (i * 7919) % 251))],
    ["zeros that a power cut left", Buffer.alloc(4_000)],
    ["JSON that is nobody's", Buffer.from('{"hello":1}\n')],
  ])("keeps the bytes of a log that nobody can read: %s", async (_what, bytes) => {
    const library = quickLibrary();
    const id = "11111111-1111-4111-8111-111111111111";
    const path = join(library.environment.home, ".claude", "projects", claudeFolder("/w/p"), `${id}.jsonl`);
    fs.mkdirSync(dirname(path), { recursive: true });
    fs.writeFileSync(path, bytes);
    const { archived } = await archive(library);
    expect(archived).toMatchObject([{ agent: "claude", id, bytes: bytes.length, sha256: sha256(path) }]);
    expect(await archive(library)).toMatchObject({ archived: [], unchanged: 1 });
    const [kept] = archivedSessions(library);
    expect(Buffer.concat([...(kept?.source.chunks(path) ?? [])])).toEqual(bytes);
  });

  it("archives again only what changed", async () => {
    const { library, made } = ground();
    await archive(library);
    const path = made.files[0]?.path ?? "";
    fs.appendFileSync(path, claudeLog(made.ids.claude, made.project, "And a checkout"));
    const { archived, unchanged } = await archive(library);
    expect(archived).toMatchObject([{ id: made.ids.claude, generation: 1, sha256: sha256(path) }]);
    expect(unchanged).toBe(3);
    const [copy] = archived;
    expect(fs.readFileSync(copy?.markdown ?? "", "utf8")).toContain("And a checkout");
    expect(fs.readFileSync(copy?.markdown ?? "", "utf8")).toContain(sha256(path));
  });

  it("gives the readable copy a name of date, title and hash, and keeps it when the title changes", async () => {
    const { library, made } = ground();
    const first = await archive(library);
    const markdown = first.archived.find(({ agent }) => agent === "claude")?.markdown ?? "";
    expect(markdown.slice(library.places.archive.length)).toMatch(
      /^\/claude\/shop\/2026-10-20_The-cart_[0-9a-f]{8}\.md$/,
    );
    fs.writeFileSync(made.files[4]?.path ?? "", '{"customTitle":"Another title"}');
    const second = await archive(library);
    expect(second.archived).toMatchObject([{ markdown }]);
    expect(fs.readFileSync(markdown, "utf8")).toMatch(/^Another title\n/);
  });

  it("writes a readable copy again that somebody deleted, or that another version wrote", async () => {
    const { library } = ground();
    const { archived } = await archive(library);
    const [first, second] = archived.map(({ markdown }) => markdown ?? "");
    fs.rmSync(first ?? "");
    await archive(library);
    expect(fs.existsSync(first ?? "")).toBe(true);
    const writer = { ...plainWriter, version: "next", render: () => "in other words" };
    expect((await archive(library, { markdown: writer })).unchanged).toBe(4);
    expect(fs.readFileSync(second ?? "", "utf8")).toBe("in other words");
  });

  it("writes the copies of sessions again whose logs are gone, if another version wrote them, and once", async () => {
    const { library } = ground();
    const { archived, total } = await archive(library);
    fs.rmSync(join(library.environment.home, ".claude"), { recursive: true });
    let rendered = 0;
    const writer = {
      ...plainWriter,
      version: "next",
      render: () => {
        rendered++;
        return "in other words";
      },
    };
    const again = await archive(library, { markdown: writer });
    expect(again).toMatchObject({ archived: [], problems: [], total });
    for (const { markdown } of archived)
      if (markdown !== null) expect(fs.readFileSync(markdown, "utf8")).toBe("in other words");
    expect(rendered).toBe(archived.filter(({ markdown }) => markdown !== null).length);
    await archive(library, { markdown: writer });
    expect(rendered).toBe(archived.filter(({ markdown }) => markdown !== null).length);
  });

  it("keeps the bytes though no readable copy can be made", async () => {
    const { library } = ground();
    const broken = {
      ...plainWriter,
      mask: () => {
        throw new Error("a bug in the mask");
      },
    };
    const { archived, problems } = await archive(library, { markdown: broken });
    expect(archived).toHaveLength(4);
    expect(problems.map(({ what }) => what)).toContain("no readable copy: Error: a bug in the mask");
    const { unchanged, problems: later } = await archive(library);
    expect({ unchanged, later }).toEqual({ unchanged: 4, later: [] });
    expect([...filesBelow(library.places.archive).keys()]).toHaveLength(4);
  });

  it("keeps bytes alone where it is given no writer, and makes the copies later", async () => {
    const { library } = ground();
    expect((await archiveSessions(library, { locking })).archived).toHaveLength(4);
    expect(fs.existsSync(library.places.archive)).toBe(false);
    expect((await archive(library)).unchanged).toBe(4);
    expect(filesBelow(library.places.archive).size).toBe(4);
  });

  it("removes no files of the current folder if a session has no readable copy", async () => {
    const { library, made } = ground();
    const { path: log = "", text = "", mtimeMs = 0 } = made.files[0] ?? {};
    await archiveSessions(library, { locking });
    fs.writeFileSync(log, claudeLog(made.ids.claude, made.project, "Compacted"));
    await archiveSessions(library, { locking });
    // The first generation is the last intact one, and the log is as it was then.
    fs.writeFileSync(log, text);
    fs.utimesSync(log, mtimeMs / 1000, mtimeMs / 1000 + 5e-7);
    fs.writeFileSync(join(library.places.raw, "claude", made.ids.claude, "2", "manifest.json"), "damaged");
    const read: string[] = [];
    const disk: Library["disk"] = {
      ...quickDisk,
      readdir: (path) => {
        read.push(path);
        return quickDisk.readdir(path);
      },
    };
    await archive({ ...library, disk });
    expect(read).not.toContain(".");
  });

  it("begins a generation where a log was rewritten", async () => {
    const { library, made } = ground();
    await archive(library);
    fs.writeFileSync(made.files[0]?.path ?? "", claudeLog(made.ids.claude, made.project, "Compacted"));
    expect((await archive(library)).archived).toMatchObject([{ generation: 2, startedGeneration: true }]);
  });

  it("archives sessions that are named, and no others", async () => {
    const { library, made } = ground();
    const sessions = findSessions(library).sessions.filter(({ id }) => id === made.ids.pi);
    const { archived, total } = await archive(library, { sessions });
    expect(archived.map(({ id }) => id)).toEqual([made.ids.pi]);
    expect(total.sessions).toBe(1);
  });

  it("goes on where one file can't be read, and says which", async () => {
    const { library, made } = ground();
    const sick = made.files[1]?.path ?? "";
    const disk = unreadableDisk(quickDisk, (path) => path === sick);
    const { archived, problems } = await archive({ ...library, disk });
    expect(archived).toHaveLength(4);
    expect(problems).toEqual([{ path: sick, line: 0, what: "it can't be read: permission denied" }]);
    const healed = await archive(library);
    expect(healed.archived).toMatchObject([{ id: made.ids.claude, files: 7 }]);
  });

  it("leaves projects alone that are excluded", async () => {
    const library = quickLibrary({ config: { exclude: ["**/shop"] } });
    makeLogHome(library.environment.home);
    expect((await archive(library)).archived).toEqual([]);
  });

  it("finds logs that an agent keeps inside of projects", async () => {
    const { library, made } = ground();
    const path = join(made.project, ".claw", "sessions", "0123456789abcdef", "session-1775386899999-0.jsonl");
    fs.mkdirSync(join(path, ".."), { recursive: true });
    fs.writeFileSync(path, '{"type":"session_meta","session_id":"session-1775386899999-0","version":1}\n');
    const { archived } = await archive(library);
    expect(archived.map(({ id }) => id)).toContain("session-1775386899999-0");
    expect((await archive(library)).unchanged).toBe(5);
  });

  it.each([
    ["is full", (bytes: number) => diskThatIsFull(quickDisk, bytes)],
    ["is read-only", () => readOnlyDisk(quickDisk)],
  ])("ends with a broken store where the disk %s, and the next run has everything", async (_, sick) => {
    const { library } = ground();
    for (const bytes of [100, 2_000, 5_000]) {
      await expect(archive({ ...library, disk: sick(bytes) })).rejects.toMatchObject({
        exitCode: exitCodes.broken,
      });
    }
    const { problems, total } = await archive(library);
    expect({ problems, sessions: total.sessions }).toEqual({ problems: [], sessions: 4 });
    expect([...filesBelow(library.places.home).keys()].filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("counts files and bytes as it goes", async () => {
    const { library, made } = ground();
    const seen: { files: number; bytes: number; bytesTotal: number }[] = [];
    await archive(library, { onProgress: (state: (typeof seen)[number]) => seen.push(state) });
    const total = made.files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    expect(seen.at(-1)).toMatchObject({ files: made.files.length, bytes: total, bytesTotal: total });
  });

  it("lets no id, title or folder out of its place", async () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.constantFrom(
        "../../../../tmp/x",
        "..",
        "/etc/passwd",
        "a\0b\nc",
        "CON",
        "x".repeat(400),
        "-rf ~",
        ".",
      ),
    );
    await fc.assert(
      fc.asyncProperty(text, text, text, async (id, title, cwd) => {
        const library = quickLibrary();
        const { home } = library.environment;
        const folder = join(home, ".pi", "agent", "sessions", "--x--");
        fs.mkdirSync(folder, { recursive: true });
        fs.writeFileSync(
          join(folder, "2026-10-20T08-00-00-000Z_x.jsonl"),
          `${JSON.stringify({ type: "session", version: 3, id, timestamp: "2026-10-20T08:00:00.000Z", cwd })}\n` +
            `${JSON.stringify({ type: "message", id: "a", parentId: null, message: { role: "user", content: title } })}\n`,
        );
        const before = filesBelow(join(home, ".pi"));
        const { archived } = await archive(library);
        expect(archived).toHaveLength(1);
        const [{ markdown, raw } = { markdown: null, raw: "" }] = archived;
        expect(raw.startsWith(`${library.places.raw}/pi/`)).toBe(true);
        expect(markdown?.startsWith(`${library.places.archive}/pi/`)).toBe(true);
        expect(Buffer.byteLength(basename(markdown ?? ""))).toBeLessThan(143);
        expect(fs.readdirSync(home)).toEqual([".pi"]);
        expect(fs.readdirSync(library.places.home).sort()).toEqual(["archive", "raw", "version.json"]);
        expect(filesBelow(join(home, ".pi"))).toEqual(before);
      }),
      { numRuns: 40 },
    );
  });

  it("gives two sessions of one name two copies", async () => {
    const library = quickLibrary();
    const { home } = library.environment;
    const folder = join(home, ".claude", "projects", claudeFolder("/w/p"));
    fs.mkdirSync(folder, { recursive: true });
    for (let n = 0; n < 3; n++) {
      const id = `5f0c3c1e-0d6b-4a55-9a53-0d1c5d1f7a0${n}`;
      fs.writeFileSync(join(folder, `${id}.jsonl`), claudeLog(id, "/w/p", "The same words"));
    }
    const { archived } = await archive(library);
    expect(new Set(archived.map(({ markdown }) => markdown)).size).toBe(3);
  });

  it("waits for another run that is under way", async () => {
    const { library } = ground();
    const both = await Promise.all([archive(library), archive(library)]);
    expect(both.map(({ archived }) => archived.length).sort((a, b) => a - b)).toEqual([0, 4]);
    expect(both.map(({ total }) => total.sessions)).toEqual([4, 4]);
  });
});

describe("archivedSessions()", () => {
  it("reads archived sessions as their logs were read", async () => {
    const { library, made } = ground();
    const before = findSessions(library).sessions.map((files) =>
      readSession(diskSource(library.disk), files),
    );
    await archive(library);
    for (const { path } of made.files) fs.rmSync(path);
    const after = archivedSessions(library).map(({ files, source }) => readSession(source, files));
    const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);
    expect(after.toSorted(byId)).toEqual(before.toSorted(byId));
    expect(after.every(({ problems }) => problems.length === 0)).toBe(true);
  });

  it("opens nothing but the catalog before it is asked", async () => {
    const { library } = ground();
    await archive(library);
    const catalog = join(library.places.raw, "catalog.json");
    fs.utimesSync(catalog, Date.now() / 1000 + 5, Date.now() / 1000 + 5);
    const blind = { ...library, disk: unreadableDisk(quickDisk, (path) => path.endsWith("manifest.json")) };
    const [first] = archivedSessions(blind);
    expect(first).toMatchObject({ generation: 1 });
    expect(first?.source.head(first.files.files[0]?.path ?? "")).toHaveLength(0);
  });

  it("says what is wrong with damaged bytes where logs would say that they can't be read", async () => {
    const { library, made } = ground();
    await archive(library);
    for (const name of filesBelow(library.places.raw).keys()) {
      if (name.endsWith(".br")) fs.writeFileSync(join(library.places.raw, name), "rubbish");
    }
    const claude = archivedSessions(library).find(({ files }) => files.agent === "claude");
    if (claude === undefined) throw new Error("it is not listed");
    const { problems } = readSession(claude.source, claude.files);
    expect(problems).toContainEqual({
      path: made.files[0]?.path,
      line: 0,
      what: expect.stringMatching(/^cannot be read: its chunk file /),
    });
  });

  it("knows of nothing in the example history", async () => {
    const { library } = ground();
    await archive(library);
    expect(archivedSessions({ ...library, demo: true })).toEqual([]);
  });
});
