import fs from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { run } from "../../src/cli/run.ts";
import type { World } from "../../src/cli/world.ts";
import { systemError } from "../../src/fs/disk-error.ts";
import { findPlaces } from "../../src/fs/places.ts";
import { noteHookFailure } from "../../src/retention/hook-log.ts";
import { intercept } from "../crash/intercept.ts";
import { quickDisk } from "../crash/quick-disk.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { makeLogHome } from "../support/archive/log-home.ts";
import { makeWorld, type TestWorld } from "../support/make-world.ts";
import { bundle, runBundle } from "../support/run-bundle.ts";

const NOW = Date.UTC(2026, 10, 16, 12);

interface Finding {
  readonly name: string;
  readonly state: string;
  readonly what: string;
  readonly fix: string | null;
  readonly details: readonly string[];
}

interface Doctor {
  readonly code: number;
  readonly text: string;
  readonly checks: readonly Finding[];
  readonly golden: string;
}

async function doctor(world: TestWorld, changes: Partial<World> = {}): Promise<Doctor> {
  const before = world.out().length;
  const code = await run(["doctor", "--json"], { ...world, ...changes });
  const text = world.out().slice(before);
  const { checks, ...rest } = JSON.parse(text);
  // Compressed sizes differ between runtimes.
  const answer = {
    ...rest,
    diskUse: Object.fromEntries(Object.keys(rest.diskUse).map((key) => [key, 0])),
    checks,
  };
  const plain = JSON.stringify(answer, undefined, 2).replaceAll(world.root, "/root");
  // How turns are counted is the index's business.
  const golden = `${plain.replace(/, \d+ turns/, ", N turns")}\n`;
  return { code, text, checks, golden };
}

const problems = ({ checks }: Doctor): readonly Finding[] =>
  checks.filter(({ state }) => state === "problem");

/** A home that lacks nothing but the hooks of a program that can be run. */
async function goodHome(): Promise<TestWorld> {
  const made = makeWorld({ nowMs: NOW });
  const program = { command: join(made.root, "bin/node"), args: [join(made.root, "bin/sessions.cjs")] };
  fs.mkdirSync(join(made.root, "bin"));
  for (const path of [program.command, ...program.args]) fs.writeFileSync(path, "");
  const world = { ...made, program, disk: quickDisk };
  makeLogHome(world.home, { project: "/work/shop" });
  await run(["install", "--all", "--yes"], world);
  await run(["archive"], world);
  return world;
}

/** As if every hook did its work: the dry event's session is archived by the program itself. */
const working = (world: TestWorld): Partial<World> => ({
  run: async (_, args, options) => {
    const { SESSIONS_HOME = "", CLAUDE_CONFIG_DIR = "", CODEX_HOME = "" } = options?.variables ?? {};
    const variables = { SESSIONS_HOME, CLAUDE_CONFIG_DIR, CODEX_HOME };
    const stdout = { ...world.stdout, write: () => {} };
    if (args.some((arg) => /pre-compact|session-end/.test(arg)))
      await run(["archive"], { ...world, variables, stdout });
    return 0;
  },
});

describe("sessions doctor", () => {
  test("finds nothing wrong if nothing is, and leaves nothing", async () => {
    const world = await goodHome();
    const good = await doctor(world, working(world));
    expect(problems(good)).toEqual([]);
    expect(good.code).toBe(0);
    expect(good.checks.find(({ name }) => name === "hooks")?.what).toBe(
      "Claude Code: 4 installed, and a test event passed through each",
    );
    await expect(good.golden).toMatchFileSnapshot("./golden/doctor.json");
    expect(fs.readdirSync(join(world.home, ".sessions"))).not.toContain("dry-event");
  });

  test("names what is missing before anything is installed or archived, with its fix", async () => {
    const world = makeWorld({ nowMs: NOW });
    makeLogHome(world.home, { project: "/work/shop" });
    const found = await doctor(world);
    expect(found.code).toBe(3);
    expect(problems(found).map(({ name, fix }) => [name, fix])).toEqual([
      ["hooks", "sessions install"],
      ["retention", "sessions archive"],
      ["sessions", "sessions archive"],
    ]);
  });

  test("servers that agents can't start, and a program that is not on the PATH", async () => {
    const world = await goodHome();
    const servers = async (): Promise<readonly string[]> =>
      (await doctor(world, working(world))).checks.flatMap(({ name, state, what }) =>
        name === "server" ? [`${state} ${what}`] : [],
      );
    const good = await servers();
    expect(good).toContain("ok Claude Code: installed");
    expect(good).toContain("ok Codex: installed");
    expect(good).toContain("ok opencode: installed");
    expect(good.filter((line) => !line.startsWith("ok "))).toEqual([]);
    const change = (path: string, edit: (text: string) => string): void =>
      fs.writeFileSync(join(world.home, path), edit(fs.readFileSync(join(world.home, path), "utf8")));
    const [script = ""] = world.program.args;
    change(".claude.json", (text) => text.replace(script, "/nowhere/sessions.cjs"));
    change(".codex/config.toml", (text) => text.replace(script, "/nowhere/sessions.cjs"));
    change(".qwen/settings.json", (text) => text.replace(script, world.program.command));
    change(".gemini/settings.json", () => "{}");
    change(".copilot/mcp-config.json", () => "{");
    const bad = await servers();
    expect(bad).toContain("problem Claude Code: installed, but /nowhere/sessions.cjs does not exist");
    expect(bad).toContain("problem Codex: installed, but /nowhere/sessions.cjs does not exist");
    expect(bad).toContain("note Qwen Code: installed, and starts another program than this one");
    expect(bad).toContain("problem Gemini CLI: it is no longer in the list of servers");
    expect(bad.find((line) => line.includes("mcp-config.json"))).toMatch(/^problem Copilot CLI: /);
    const onPath = { ...world.variables, PATH: `/nowhere:${join(world.root, "bin")}` };
    const programs = async (): Promise<number> =>
      (await doctor(world, { ...working(world), variables: onPath })).checks.filter(
        ({ name }) => name === "program",
      ).length;
    expect(await programs()).toBe(1);
    fs.writeFileSync(join(world.root, "bin/sessions"), "");
    expect(await programs()).toBe(0);
  });

  test("logs without permission: a folder needs more than a file", async () => {
    const world = await goodHome();
    const projects = join(world.home, ".claude/projects");
    const [closed = "", other = ""] = ["closed one", "other"].map((name) => join(projects, name));
    fs.mkdirSync(closed);
    fs.mkdirSync(other);
    fs.writeFileSync(join(other, "0b8ec0de-0000-4000-8000-000000000000.jsonl"), '{"type":"user"}\n');
    const fixOf = async (isDenied: (path: string, call: string) => boolean): Promise<unknown> => {
      const disk = intercept(quickDisk, (call, go) => {
        if (isDenied(call.path, call.name)) throw systemError("EACCES", "permission denied", call.path);
        return go();
      });
      const found = await doctor(world, { ...working(world), disk });
      return found.checks.find(({ name }) => name === "logs")?.fix;
    };
    expect(await fixOf((path, call) => path === closed && call === "readdir")).toBe(`chmod u+rX '${closed}'`);
    expect(await fixOf((path) => path.startsWith(`${other}/`))).toBe(`chmod u+rX ${other}`);
    fs.rmSync(join(world.home, ".sessions/index"), { recursive: true });
    const log = join(projects, "-work-shop");
    expect(await fixOf((path, call) => path.startsWith(log) && call === "open")).toMatch(
      /^chmod u\+rX \S+\.jsonl$/,
    );
  });

  test("a folder of the PATH that can't be read", async () => {
    const world = await goodHome();
    const disk = intercept(quickDisk, (call, go) => {
      if (call.path.startsWith("/closed/")) throw systemError("EACCES", "permission denied", call.path);
      return go();
    });
    const variables = { ...world.variables, PATH: "/closed" };
    expect((await doctor(world, { ...working(world), disk, variables })).code).toBe(0);
  });

  test("a database that can't be read: its sessions are not protected", async () => {
    const world = makeWorld({ nowMs: NOW });
    const path = join(world.home, ".local/share/opencode/opencode.db");
    fs.mkdirSync(dirname(path), { recursive: true });
    fs.writeFileSync(path, "no database at all, but long enough to have a header".repeat(3));
    const found = await doctor(world);
    expect(found.code).toBe(3);
    expect(problems(found)).toMatchObject([
      {
        name: "databases",
        what: `${path}: this database can't be read, so its sessions are not protected: it is no SQLite database`,
      },
    ]);
    expect(found.text).not.toContain("nothing is lost");
    expect(found.text).not.toContain("no agent has sessions");
    await run(["show", "last"], world);
    await run([], world);
    expect(world.err()).toContain("all are excluded, or can't be read\nhint: `sessions doctor` says which");
    expect(world.out()).toContain("No sessions: `sessions doctor` shows what can't be read.");
  });

  test.each<[string, World["run"], string]>([
    ["there is no such program", async () => undefined, "there is no program "],
    ["the program fails", async () => 1, "ended with exit code 1"],
    ["the program does nothing", async () => 0, "archived nothing"],
  ])("hooks that are installed but do not work: %s", async (_, program, what) => {
    const world = await goodHome();
    const found = await doctor(world, { run: program });
    expect(found.code).toBe(3);
    const [hooks, ofCodex, ...others] = problems(found);
    expect(others).toEqual([]);
    expect(ofCodex).toMatchObject({ name: "hooks", fix: "sessions install --agent codex" });
    expect(hooks).toMatchObject({ name: "hooks", fix: "sessions install" });
    expect(hooks?.details[0]).toContain(what);
  });

  test.each<[string, (world: TestWorld) => void, string, RegExp]>([
    [
      "others can read the store",
      ({ home }) => fs.chmodSync(join(home, ".sessions"), 0o755),
      "modes",
      /^chmod -R go-rwx /,
    ],
    [
      "a key in config.json that means nothing",
      ({ home }) =>
        fs.writeFileSync(join(home, ".sessions/config.json"), '{"serach":{"limit":5}}', { mode: 0o600 }),
      "settings",
      /correct or remove it/,
    ],
    [
      "folders in config.json of an agent that does not exist",
      ({ home }) =>
        fs.writeFileSync(join(home, ".sessions/config.json"), '{"sources":{"emacs":["/x"]}}', {
          mode: 0o600,
        }),
      "settings",
      /correct or remove it/,
    ],
    [
      "settings of Claude Code that do not parse",
      ({ folder }) => {
        fs.mkdirSync(join(folder, ".claude"));
        fs.writeFileSync(join(folder, ".claude/settings.json"), '{"a" 1}');
      },
      "settings",
      /fix that file/,
    ],
    [
      "hooks switched off",
      ({ folder }) => {
        fs.mkdirSync(join(folder, ".claude"));
        fs.writeFileSync(join(folder, ".claude/settings.json"), '{"disableAllHooks":true}');
      },
      "hooks",
      /remove "disableAllHooks" from/,
    ],
    [
      "a hook that somebody took out",
      ({ home }) => {
        const path = join(home, ".claude/settings.json");
        fs.writeFileSync(path, fs.readFileSync(path, "utf8").replace('"SessionEnd"', '"SessionEnded"'));
      },
      "hooks",
      /^sessions install$/,
    ],
    [
      "a failure that a hook could tell nobody",
      (world) =>
        noteHookFailure(
          { disk: world.disk, places: findPlaces(world) },
          { at: NOW - 60_000, event: "pre-compact", what: "the disk is full" },
        ),
      "background",
      /hooks\.log/,
    ],
    [
      "a record in the archive that can't be read",
      ({ home }) => {
        const raw = join(home, ".sessions/raw/pi");
        for (const name of fs.readdirSync(raw)) fs.writeFileSync(join(raw, name, "1/manifest.json"), "{");
        fs.rmSync(join(home, ".sessions/raw/catalog.json"));
      },
      "archive",
      /^sessions verify/,
    ],
  ])("%s", async (_, spoil, name, fix) => {
    const world = await goodHome();
    spoil(world);
    const found = await doctor(world, working(world));
    expect(found.code).toBe(3);
    expect(problems(found)).toContainEqual(
      expect.objectContaining({ name, fix: expect.stringMatching(fix) }),
    );
  });

  describe("the plugin of Claude Code", () => {
    const plugin = fileURLToPath(new URL("../../plugin", import.meta.url));
    const NAME = "sessions@agent-sessions";

    /** As Claude Code lists a plugin that it has installed. */
    function installPlugin({ home }: TestWorld, { version = manifest.version, isEnabled = true } = {}): void {
      fs.mkdirSync(join(home, ".claude/plugins"), { recursive: true });
      const plugins = { [NAME]: [{ scope: "user", installPath: plugin, version }] };
      fs.writeFileSync(
        join(home, ".claude/plugins/installed_plugins.json"),
        JSON.stringify({ version: 2, plugins }),
      );
      const path = join(home, ".claude/settings.json");
      const settings = fs.existsSync(path) ? JSON.parse(fs.readFileSync(path, "utf8")) : {};
      fs.writeFileSync(path, JSON.stringify({ ...settings, enabledPlugins: { [NAME]: isEnabled } }));
    }
    const checksOf = ({ checks }: Doctor, name: string): readonly Finding[] =>
      checks.filter((check) => check.name === name);

    test("is no subject if it is not installed", async () => {
      const world = await goodHome();
      expect(checksOf(await doctor(world, working(world)), "plugin")).toEqual([]);
    });

    test("alone brings hooks that work, and the skill", async () => {
      const world = makeWorld({ nowMs: NOW });
      makeLogHome(world.home, { project: "/work/shop" });
      installPlugin(world);
      const found = await doctor(world, working(world));
      expect(checksOf(found, "plugin")).toMatchObject([
        { state: "ok", what: `Claude Code: ${NAME} ${manifest.version} is enabled` },
      ]);
      expect(checksOf(found, "hooks")[0]).toMatchObject({
        state: "ok",
        what: "Claude Code: 4 installed by the plugin, and a test event passed through each",
        details: [plugin],
      });
      expect(checksOf(found, "skill")[0]?.state).toBe("ok");
    });

    test("beside `sessions install` does nothing twice", async () => {
      const world = await goodHome();
      installPlugin(world);
      const found = await doctor(world, working(world));
      expect(checksOf(found, "plugin")).toMatchObject([
        {
          state: "ok",
          what: `Claude Code: ${NAME} ${manifest.version} is enabled, and leaves hooks and the server to \`sessions install\`: everything runs once`,
        },
      ]);
      expect(checksOf(found, "hooks")[0]?.what).toBe(
        "Claude Code: 4 installed, and a test event passed through each",
      );
    });

    test.each([
      [{ isEnabled: false }, "is installed, but disabled", `claude plugin enable ${NAME}`],
      [{ version: "0.0.1" }, `this program is ${manifest.version}`, `claude plugin update ${NAME}`],
    ])("%o is a note with its fix", async (state, what, fix) => {
      const world = await goodHome();
      installPlugin(world, state);
      expect(checksOf(await doctor(world, working(world)), "plugin")).toMatchObject([
        { state: "note", what: expect.stringContaining(what), fix },
      ]);
    });

    test("of another project, or of the same name by somebody else, does not count", async () => {
      const world = await goodHome();
      installPlugin(world);
      const path = join(world.home, ".claude/plugins/installed_plugins.json");
      const plugins = {
        [NAME]: [{ installPath: plugin, projectPath: "/work/elsewhere" }],
        "sessions@others": [{ installPath: world.home }],
      };
      fs.writeFileSync(path, JSON.stringify({ plugins }));
      expect(checksOf(await doctor(world, working(world)), "plugin")).toEqual([]);
    });
  });

  describe("the extension of Pi", () => {
    const extensionOf = ({ home }: TestWorld): string => join(home, ".pi/agent/extensions/sessions.js");
    const found = async (world: TestWorld): Promise<Finding | undefined> =>
      (await doctor(world, working(world))).checks.find(({ name }) => name === "extension");

    test("is installed, and says who writes summaries", async () => {
      const world = await goodHome();
      expect(await found(world)).toMatchObject({
        state: "ok",
        what: "Pi: installed; Pi writes its own summaries",
        details: [extensionOf(world)],
      });
      await run(["install", "--agent", "pi", "--summary", "sessions", "--yes"], world);
      expect((await found(world))?.what).toBe("Pi: installed; summaries are written by `sessions`");
      fs.appendFileSync(extensionOf(world), "// mine\n");
      expect(await found(world)).toMatchObject({
        state: "note",
        what: "Pi: of another version, or edited",
        fix: "sessions install --agent pi",
      });
      fs.rmSync(world.program.args[0] ?? "");
      expect(await found(world)).toMatchObject({
        state: "problem",
        what: `Pi: installed, but ${world.program.args[0]} does not exist`,
        fix: "sessions install --agent pi",
      });
    });

    test("is suggested to those who use Pi", async () => {
      const world = await goodHome();
      fs.rmSync(extensionOf(world));
      expect(await found(world)).toMatchObject({ state: "note", fix: "sessions install --agent pi" });
    });
  });

  test("lists lines of logs that can't be read as path:line: what", async () => {
    const world = await goodHome();
    const log = ".claude/projects/-work-shop/5f0c3c1e-0d6b-4a55-9a53-0d1c5d1f7a01.jsonl";
    fs.appendFileSync(join(world.home, log), '{"type":"user","mess\n');
    await run(["archive"], world);
    const before = world.err().length;
    expect(await run(["doctor"], { ...world, ...working(world) })).toBe(0);
    expect(world.err().slice(before)).toBe("");
    expect(world.out()).toMatch(new RegExp(`1 line can't be read\n +~/${log}:\\d+: .+\n +fix: `));
  });
});

describe("in processes of their own", () => {
  test("install, doctor, a hook as settings have it, uninstall", async () => {
    const home = temporaryFolder();
    makeLogHome(home, { project: "/work/shop" });
    const options = { home, variables: { SESSIONS_GUARD: "off", SESSIONS_HOME: join(home, ".sessions") } };
    expect((await runBundle(["install", "--all", "--yes"], options)).code).toBe(0);
    const { hooks } = JSON.parse(fs.readFileSync(join(home, ".claude/settings.json"), "utf8"));
    expect(hooks.PreCompact[0].hooks[0].args).toContain(fs.realpathSync(bundle));
    expect((await runBundle(["archive"], options)).code).toBe(0);
    const { code, out } = await runBundle(["doctor"], options);
    for (const name of ["Claude Code", "Codex"])
      expect(out).toContain(`${name}: 4 installed, and a test event passed through each`);
    expect(out).toContain("No problems.");
    expect(code).toBe(0);
    expect((await runBundle(["uninstall", "--yes"], options)).code).toBe(0);
    expect(fs.existsSync(join(home, ".claude/settings.json"))).toBe(false);
  });
});
