import fs from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { findSessions } from "../../src/agents/find-sessions.ts";
import { projectOfLog } from "../../src/agents/session-of-log.ts";
import { archiveSessions } from "../../src/archive/archive-sessions.ts";
import { openArchive } from "../../src/archive/open-archive.ts";
import {
  type RestoreAnswer,
  type RestoreOptions,
  restoreSessions,
} from "../../src/archive/restore-sessions.ts";
import { exitCodes } from "../../src/errors.ts";
import type { Disk } from "../../src/fs/disk.ts";
import { systemError } from "../../src/fs/disk-error.ts";
import type { Library } from "../../src/fs/library.ts";
import { allArchived, selectArchived } from "../../src/search/select-archived.ts";
import type { LogKey } from "../../src/session/session.ts";
import { type Call, describeCall, intercept } from "../crash/intercept.ts";
import { quickDisk } from "../crash/quick-disk.ts";
import { diskThatPausesAt, readOnlyDisk } from "../crash/sick-disks.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { archiving, locking, quickLibrary } from "../support/archive/archiving.ts";
import { claudeFolder, claudeLog, type LogHome, makeLogHome, standing } from "../support/archive/log-home.ts";
import { filesBelow } from "../support/archive/source-files.ts";

interface Ground {
  readonly library: Library;
  readonly made: LogHome;
  readonly claude: LogKey;
  readonly log: string;
}

/** One session of each agent, archived. */
async function ground(): Promise<Ground> {
  const library = quickLibrary();
  const made = makeLogHome(library.environment.home);
  const { problems } = await archiveSessions(library, archiving);
  expect(problems).toEqual([]);
  return {
    library,
    made,
    claude: { agent: "claude", id: made.ids.claude, copy: null },
    log: made.files[0]?.path ?? "",
  };
}

const restore = (
  library: Library,
  sessions: readonly LogKey[],
  options: Partial<RestoreOptions> = {},
): Promise<RestoreAnswer> => restoreSessions(library, sessions, { locking, ...options });

/** A disk that does not permit certain calls, like one with a file that must not be changed. */
function diskWithout(isRefused: (call: Call) => boolean): Disk {
  return intercept(quickDisk, (call, run) => {
    if (isRefused(call)) throw systemError("EPERM", describeCall(call));
    return run();
  });
}

describe("restoreSessions()", () => {
  it("brings back every file of every agent: bytes, mode and time", async () => {
    const { library, made } = await ground();
    for (const { path } of made.files) fs.rmSync(path);
    const { sessions, problems } = await restore(library, allArchived(library));
    expect(problems).toEqual([]);
    expect(sessions.map(({ outcome }) => outcome)).toEqual(["restored", "restored", "restored", "restored"]);
    expect(standing(made.files)).toEqual(made.files);
    expect(findSessions(library).sessions).toHaveLength(4);
  });

  it("leaves identical files alone, but sets their mode and time", async () => {
    const { library, made, claude, log } = await ground();
    fs.chmodSync(log, 0o666);
    fs.utimesSync(log, 1_000, 1_000);
    const { ino } = fs.statSync(log);
    const { sessions } = await restore(library, [claude]);
    expect(sessions).toMatchObject([{ outcome: "unchanged" }]);
    expect(standing(made.files)).toEqual(made.files);
    expect(fs.statSync(log).ino).toBe(ino);
  });

  it("does not take back what the agent has written since", async () => {
    const { library, claude, log } = await ground();
    fs.appendFileSync(log, "one more line\n");
    const before = fs.readFileSync(log, "utf8");
    const { sessions } = await restore(library, [claude], { force: true });
    expect(sessions).toMatchObject([{ outcome: "unchanged" }]);
    expect(sessions[0]?.files.find(({ path }) => path === log)?.action).toBe("grown");
    expect(fs.readFileSync(log, "utf8")).toBe(before);
  });

  it("refuses to write over other content, and writes nothing at all then", async () => {
    const { library, made, claude, log } = await ground();
    const agent = made.files[1]?.path ?? "";
    fs.writeFileSync(log, "other content\n");
    fs.rmSync(agent);
    const { sessions } = await restore(library, [claude]);
    expect(sessions).toMatchObject([{ outcome: "refused", replaced: null }]);
    expect(sessions[0]?.files.find(({ path }) => path === log)?.action).toBe("different");
    expect(fs.readFileSync(log, "utf8")).toBe("other content\n");
    expect(fs.existsSync(agent)).toBe(false);
  });

  it("writes over other content by force, when that is archived", async () => {
    const { library, made, claude, log } = await ground();
    fs.writeFileSync(log, "other content\n");
    const { sessions } = await restore(library, [claude], { force: true });
    expect(sessions).toMatchObject([{ outcome: "restored", generation: 1, replaced: 2 }]);
    expect(standing(made.files)).toEqual(made.files);
    const { sessions: undone } = await restore(library, [claude], { generation: 2, force: true });
    expect(undone).toMatchObject([{ outcome: "restored", replaced: 3 }]);
    expect(fs.readFileSync(log, "utf8")).toBe("other content\n");
    // What stands there is the newest generation: archiving finds nothing new.
    expect((await archiveSessions(library, archiving)).archived).toEqual([]);
    expect(openArchive(library).get(claude)?.generations).toEqual([1, 2, 3, 4]);
  });

  it.each([
    { what: "the newest generation", generation: undefined },
    { what: "an earlier generation", generation: 1 },
  ])(
    "keeps what the session is where $what can't be put in place, also when it is archived then",
    async ({ generation }) => {
      const { library, made, claude, log } = await ground();
      const newest =
        generation === undefined ? made.files[0]?.text : claudeLog(claude.id, made.project, "Two");
      if (generation !== undefined) {
        fs.writeFileSync(log, newest ?? "");
        await archiveSessions(library, archiving);
      }
      fs.writeFileSync(log, "other content\n");
      const disk = diskWithout(({ name, to }) => name === "rename" && to === log);
      const failed = restore({ ...library, disk }, [claude], { force: true, generation });
      await expect(failed).rejects.toMatchObject({ exitCode: exitCodes.broken });
      // As the guard does in the background.
      const { archived } = await archiveSessions(library, archiving);
      expect(archived).toEqual([]);
      const to = join(library.environment.home, "elsewhere");
      await restore(library, [claude], { to });
      expect(fs.readFileSync(log.replace(library.environment.home, to), "utf8")).toBe(newest);
      expect(fs.readFileSync(log, "utf8")).toBe("other content\n");
    },
  );

  it("puts other content aside once, however often it fails to replace it", async () => {
    const { library, claude, log } = await ground();
    fs.writeFileSync(log, "other content\n");
    const disk = diskWithout(({ name, to }) => name === "rename" && to === log);
    for (let attempt = 0; attempt < 3; attempt++)
      await expect(restore({ ...library, disk }, [claude], { force: true })).rejects.toThrow();
    const { sessions } = await restore(library, [claude], { force: true });
    expect(sessions).toMatchObject([{ outcome: "restored", generation: 1, replaced: 2 }]);
    expect(openArchive(library).get(claude)?.generations).toEqual([1, 2]);
  });

  it("archives what a failed restore left, as soon as its agent writes to it", async () => {
    const { library, claude, log } = await ground();
    fs.writeFileSync(log, "other content\n");
    const disk = diskWithout(({ name, to }) => name === "rename" && to === log);
    await expect(restore({ ...library, disk }, [claude], { force: true })).rejects.toThrow();
    fs.appendFileSync(log, "one more line\n");
    expect((await archiveSessions(library, archiving)).archived).toHaveLength(1);
    fs.rmSync(log);
    await restore(library, [claude]);
    expect(fs.readFileSync(log, "utf8")).toBe("other content\none more line\n");
  });

  it("leaves a file alone that changed between the archive and the restore", async () => {
    const { library, claude, log } = await ground();
    fs.writeFileSync(log, "other content\n");
    const disk = diskThatPausesAt(
      quickDisk,
      0,
      () => fs.appendFileSync(log, "a late line\n"),
      ({ name, path }) => name === "fsync" && path.startsWith(join(log, "..")),
    );
    const { sessions, problems } = await restore({ ...library, disk }, [claude], { force: true });
    expect(sessions).toMatchObject([{ outcome: "refused" }]);
    expect(problems).toEqual([
      { path: log, line: 0, what: "it changed in the meantime, and was left alone" },
    ]);
    expect(fs.readFileSync(log, "utf8")).toBe("other content\na late line\n");
  });

  it("leaves a file alone that appeared meanwhile", async () => {
    const { library, claude, log } = await ground();
    fs.rmSync(log);
    const disk = diskThatPausesAt(
      quickDisk,
      0,
      () => fs.writeFileSync(log, "new\n"),
      ({ name, path }) => name === "fsync" && path.startsWith(join(log, "..")),
    );
    const { sessions } = await restore({ ...library, disk }, [claude]);
    expect(sessions).toMatchObject([{ outcome: "refused" }]);
    expect(fs.readFileSync(log, "utf8")).toBe("new\n");
  });

  it("refuses if a folder is in the way, even by force", async () => {
    const { library, claude, log } = await ground();
    fs.rmSync(log);
    fs.mkdirSync(log);
    const { sessions } = await restore(library, [claude], { force: true });
    expect(sessions).toMatchObject([{ outcome: "refused" }]);
  });

  it("only says what it would do", async () => {
    const { library, made, claude } = await ground();
    for (const { path } of made.files.slice(0, 3)) fs.rmSync(path);
    const before = filesBelow(library.environment.home);
    const { sessions, dryRun } = await restore(library, [claude], { dryRun: true, force: true });
    expect(dryRun).toBe(true);
    expect(sessions).toMatchObject([{ outcome: "restored" }]);
    expect(
      sessions[0]?.files
        .filter(({ action }) => action === "written")
        .map(({ path }) => path)
        .sort(),
    ).toEqual(
      made.files
        .slice(0, 3)
        .map(({ path }) => path)
        .sort(),
    );
    expect(filesBelow(library.environment.home)).toEqual(before);
  });

  it("restores an earlier generation", async () => {
    const { library, claude, log } = await ground();
    const before = fs.readFileSync(log, "utf8");
    fs.writeFileSync(log, "shrunk\n");
    await archiveSessions(library, archiving);
    fs.rmSync(log);
    await restore(library, [claude], { generation: 1 });
    expect(fs.readFileSync(log, "utf8")).toBe(before);
    const { sessions, problems } = await restore(library, [claude], { generation: 7 });
    expect(sessions).toEqual([]);
    expect(problems).toMatchObject([{ path: claude.id, what: expect.stringContaining("generation 7") }]);
  });

  it("restores below another folder, as if that were the home", async () => {
    const { library, made } = await ground();
    const to = join(temporaryFolder(), "other home");
    const { sessions } = await restore(library, allArchived(library), { to });
    expect(sessions.map(({ outcome }) => outcome)).toEqual(["restored", "restored", "restored", "restored"]);
    const moved = made.files.map((file) => ({ ...file, path: to + file.path.slice(made.home.length) }));
    expect(standing(moved)).toEqual(moved);
    const there = { ...library, environment: { ...library.environment, home: to, folder: to } };
    expect(
      findSessions(there)
        .sessions.map(({ id }) => id)
        .sort(),
    ).toEqual(Object.values(made.ids).sort());
  });

  it("finds the agent's folders in another home", async () => {
    const { library, made } = await ground();
    const home = temporaryFolder();
    fs.rmSync(made.home, { recursive: true });
    const there = { ...library, environment: { ...library.environment, home, folder: home } };
    const { sessions } = await restore(there, allArchived(library));
    expect(sessions.every(({ outcome }) => outcome === "restored")).toBe(true);
    const moved = made.files.map((file) => ({ ...file, path: home + file.path.slice(made.home.length) }));
    expect(standing(moved)).toEqual(moved);
    expect(fs.existsSync(made.home)).toBe(false);
  });

  it("puts logs back into a project where the agent keeps them there", async () => {
    const library = quickLibrary();
    const project = join(library.environment.home, "work");
    const path = join(project, ".claw", "sessions", "0123456789abcdef", "session-1775386899999-0.jsonl");
    fs.mkdirSync(join(path, ".."), { recursive: true });
    fs.writeFileSync(path, '{"type":"session_meta","session_id":"session-1775386899999-0","version":1}\n');
    const inProject = { ...library, environment: { ...library.environment, folder: project } };
    await archiveSessions(inProject, archiving);
    fs.rmSync(join(project, ".claw"), { recursive: true });
    await restore(library, allArchived(library));
    expect(fs.existsSync(path)).toBe(true);
  });

  it("touches what gets swept by its age if asked to, and warns otherwise", async () => {
    const { library, claude, log } = await ground();
    fs.rmSync(log);
    const later = { ...library, now: () => library.now() + 40 * 86_400_000 };
    const dry = await restore(later, [claude], { dryRun: true });
    expect(dry.sessions).toMatchObject([{ mayBeSwept: true }]);
    const { sessions } = await restore(later, [claude], { touch: true });
    expect(sessions).toMatchObject([{ mayBeSwept: false }]);
    expect(Math.floor(fs.statSync(log).mtimeMs)).toBe(later.now());
  });

  it("works from an archive that can't be written", async () => {
    const { library, made } = await ground();
    for (const { path } of made.files) fs.rmSync(path);
    const locked = readOnlyDisk(quickDisk);
    const disk = {
      ...quickDisk,
      open: (path: string, how: "read" | "create" | "append", mode?: number) =>
        (path.startsWith(library.places.home) ? locked : quickDisk).open(path, how, mode),
      mkdir: (path: string) => (path.startsWith(library.places.home) ? locked : quickDisk).mkdir(path),
    };
    const { problems } = await restore({ ...library, disk }, allArchived(library));
    expect(problems).toEqual([]);
    expect(standing(made.files)).toEqual(made.files);
  });

  it("restores what is good of a damaged session, and names the rest", async () => {
    const { library, made, claude } = await ground();
    for (const { path } of made.files) fs.rmSync(path);
    const kept = openArchive(library).get(claude);
    const spilled = kept?.files.find(({ role }) => role === "spilled");
    const chunk =
      spilled === undefined ? "" : /"sha256":"([0-9a-f]{64})","stored"/.exec(JSON.stringify(spilled))?.[1];
    fs.writeFileSync(join(library.places.raw, "claude", claude.id, "1", `${chunk}.br`), "rubbish");
    const { sessions, problems } = await restore(library, [claude]);
    expect(sessions).toMatchObject([{ outcome: "damaged" }]);
    expect(problems).toMatchObject([
      { path: spilled?.path, what: expect.stringContaining("can't be restored") },
    ]);
    const here = made.files.slice(0, 7).filter(({ path }) => path !== spilled?.path);
    expect(standing(here)).toEqual(here);
    expect([...filesBelow(made.home).keys()].filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("writes no file out of the folder that it belongs in", async () => {
    const { library, claude } = await ground();
    const archive = openArchive(library);
    const kept = archive.get(claude);
    const hostile = { ...library.environment, home: temporaryFolder() };
    expect(kept).toBeDefined();
    // As a tampered record would have it: the path leaves the root that it claims to be below.
    const manifest = join(library.places.raw, "claude", claude.id, "1", "manifest.json");
    const { sealJson, unsealJson } = await import("../../src/archive/raw/sealed-json.ts");
    const value = JSON.stringify(unsealJson(fs.readFileSync(manifest))).replaceAll(
      `/${claudeFolder(join(library.environment.home, "work", "shop"))}/`,
      "/../../../../escaped/",
    );
    fs.writeFileSync(manifest, sealJson(JSON.parse(value)));
    fs.rmSync(library.environment.home, { recursive: true });
    const { sessions, problems } = await restore({ ...library, environment: hostile }, [claude]);
    expect(sessions).toMatchObject([{ outcome: "refused" }]);
    expect(problems.some(({ what }) => what.includes("leads out of its folder"))).toBe(true);
    expect(fs.readdirSync(hostile.home)).toEqual([]);
  });
});

describe("restoreSessions() into another project", () => {
  it.each(["jsonl", "json"])(
    "moves a session of Gemini CLI, which names its folder in a text: .%s",
    async (kind) => {
      const library = quickLibrary();
      const { home } = library.environment;
      const into = join(home, "other");
      fs.mkdirSync(into);
      const id = "37cfd221-c03c-47f0-b53e-ff44a745e498";
      const folder = join(home, ".gemini", "tmp", "shop", "chats");
      const text = `<session_context>\nHi.\n- **Workspace Directories:**\n  - /home/cy/shop\n</session_context>`;
      const header = `{"sessionId":"${id}","projectHash":"64ab","startTime":"2026-03-02T10:00:01.000Z"`;
      const context = `{"id":"ctx","type":"user","content":[{"text":${JSON.stringify(text)}}]}`;
      const request = `{"id":"m1","type":"user","content":[{"text":"Why /home/cy/shop?"}]}`;
      const log =
        kind === "jsonl"
          ? `${header}}\n{"$set":{"messages":[${context}]}}\n${request}\n`
          : `${header},\n"messages":[${context},\n${request}]}\n`;
      fs.mkdirSync(folder, { recursive: true });
      fs.writeFileSync(join(folder, `session-2026-03-02T10-00-37cfd221.${kind}`), log);
      await archiveSessions(library, archiving);
      fs.rmSync(folder, { recursive: true });
      const { sessions } = await restoreSessions(library, allArchived(library), { locking, into });
      expect(sessions).toMatchObject([
        { outcome: "restored", move: { from: "/home/cy/shop", to: into }, resume: { folder: into } },
      ]);
      const [found] = findSessions(library).sessions;
      expect(found === undefined ? null : projectOfLog(library, found)).toBe(into);
      expect(fs.readFileSync(found?.files[0]?.path ?? "", "utf8")).toBe(
        log.replace("  - /home/cy/shop", `  - ${into}`),
      );
    },
  );

  it("moves a session of Claude Code: the folder that its lines name, and no other byte", async () => {
    const { library, made, claude, log } = await ground();
    const into = join(made.home, "work", "new.shop");
    fs.mkdirSync(into);
    const { sessions, problems } = await restore(library, [claude], { into });
    expect(problems).toEqual([]);
    expect(sessions).toMatchObject([
      { outcome: "restored", move: { from: made.project, to: into }, resume: { folder: into } },
    ]);
    const moved = join(made.home, ".claude", "projects", claudeFolder(into), basename(log));
    expect(fs.readFileSync(moved, "utf8")).toBe(
      // Only at the top of each line: what tools were told is left as it was.
      fs.readFileSync(log, "utf8").replaceAll(`false,"cwd":"${made.project}"`, `false,"cwd":"${into}"`),
    );
    const { changes } = sessions[0]?.files.find(({ path }) => path === moved) ?? {};
    expect(changes).toBe(4);
    const spilled = made.files[3];
    const folder = join(made.home, ".claude", "projects", claudeFolder(into), claude.id);
    expect(fs.readFileSync(join(folder, "tool-results", "toolu_01.txt"), "utf8")).toBe(spilled?.text);
    expect(fs.readFileSync(join(folder, "subagents", "agent-a1b2.jsonl"), "utf8")).toContain(
      `"cwd":"${into}"`,
    );
    expect(fs.existsSync(log)).toBe(true);
  });

  it("moves folders below the project too, and leaves others alone", async () => {
    const { library, made, claude, log } = await ground();
    const line = (cwd: string): string => claudeLog(claude.id, cwd, `in ${cwd}`);
    fs.writeFileSync(
      log,
      line(made.project) + line(join(made.project, "api")) + line("/elsewhere") + line(`${made.project}2`),
    );
    await archiveSessions(library, archiving);
    const into = join(made.home, "moved");
    fs.mkdirSync(into);
    await restore(library, [claude], { into });
    const text = fs.readFileSync(
      join(made.home, ".claude", "projects", claudeFolder(into), basename(log)),
      "utf8",
    );
    const top = [...text.matchAll(/false,"cwd":"([^"]*)"/g)].map((match) => match[1]);
    expect(new Set(top)).toEqual(new Set([into, join(into, "api"), "/elsewhere", `${made.project}2`]));
  });

  it("moves sessions of Pi, claw-code and Codex", async () => {
    const { library, made } = await ground();
    const into = join(made.home, "moved");
    fs.mkdirSync(into);
    const sessions = allArchived(library).filter(({ agent }) => agent !== "claude");
    const answer = await restore(library, sessions, { into });
    const texts = new Map(
      answer.sessions.map(({ agent, files }) => [agent, fs.readFileSync(files[0]?.path ?? "", "utf8")]),
    );
    const original = (agent: string): string =>
      made.files.find(({ path }) => path.includes(`/.${agent}/`))?.text ?? "";
    // Pi reads its folder from the header alone.
    expect(texts.get("pi")).toBe(original("pi").replace(`"cwd":"${made.project}"`, `"cwd":"${into}"`));
    expect(answer.sessions.find(({ agent }) => agent === "pi")?.files[0]?.path).toContain(
      `/sessions/--${into.slice(1).replaceAll("/", "-")}--/`,
    );
    expect(texts.get("claw")).toBe(original("claw").replace(made.project, into));
    expect(answer.sessions.find(({ agent }) => agent === "claw")?.files[0]?.path).toMatch(
      new RegExp(`^${into}/\\.claw/sessions/[0-9a-f]{16}/session-`),
    );
    expect(answer.sessions.find(({ agent }) => agent === "codex")?.outcome).toBe("refused");
    expect(texts.get("codex")).toBe(original("codex"));
  });

  it("does the same twice as once", async () => {
    const { library, made, claude } = await ground();
    const into = join(made.home, "moved");
    fs.mkdirSync(into);
    await restore(library, [claude], { into });
    const before = filesBelow(made.home);
    const { sessions } = await restore(library, [claude], { into });
    expect(sessions).toMatchObject([{ outcome: "unchanged" }]);
    expect(filesBelow(made.home)).toEqual(before);
  });

  it("needs a folder that exists", async () => {
    const { library, claude } = await ground();
    await expect(restore(library, [claude], { into: "/no/such/project" })).rejects.toMatchObject({
      exitCode: exitCodes.wrongUsage,
    });
  });
});

describe("selectArchived()", () => {
  it("finds sessions whose logs are gone by id, beginning, agent and path", async () => {
    const { library, made, claude, log } = await ground();
    for (const { path } of made.files) fs.rmSync(path);
    for (const word of [claude.id, claude.id.slice(0, 8), `claude:${claude.id}`, log]) {
      expect(
        selectArchived(library, [word]).map(({ id }) => id),
        word,
      ).toEqual([claude.id]);
    }
    expect(selectArchived(library, ["last", "3"], { everywhere: true })).toHaveLength(3);
    const here = { ...library, environment: { ...library.environment, folder: join(made.project, "src") } };
    expect(selectArchived(here, ["last", "9"]).length).toBe(4);
  });

  it.each([
    ["zzzzzzzz", exitCodes.nothingFound],
    ["5f", exitCodes.nothingFound],
    ["last", exitCodes.nothingFound],
  ])("says what is wrong with %s", async (word, exitCode) => {
    const { library } = await ground();
    const elsewhere = { ...library, environment: { ...library.environment, folder: "/elsewhere" } };
    expect(() => selectArchived(elsewhere, [word])).toThrow(expect.objectContaining({ exitCode }));
  });
});
