import fs from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { claudeHookEvents } from "../../src/agents/claude/hooks.ts";
import { run } from "../../src/cli/run.ts";
import type { World } from "../../src/cli/world.ts";
import { skillText } from "../../src/integrations/skill.ts";
import { quickDisk } from "../crash/quick-disk.ts";
import { filesBelow } from "../support/archive/source-files.ts";
import { makeWorld, type TestWorld } from "../support/make-world.ts";

const NOW = Date.UTC(2026, 10, 16, 12);

/** A home with hooks, skills and settings of others. */
const theirs: Readonly<Record<string, string>> = {
  ".claude/settings.json": `// my settings
{
    "model": "opus", // the large one
    "hooks": {
        "PreCompact": [
            { "matcher": "manual", "hooks": [{ "type": "command", "command": "say compacting" }] }
        ],
        "Stop": [{"hooks":[{"type":"command","command":"node","args":["/x/notify.js"]}]}]
    },
    "permissions": {"allow": ["Bash(ls:*)"]},
}
`,
  ".claude/skills/review/SKILL.md": "---\nname: review\n---\n",
  ".pi/agent/settings.json": '{"theme":"dark"}',
  ".agents/skills/deploy/SKILL.md": "---\nname: deploy\n---\n",
  ".claude.json":
    '{\n  "userID": "u",\n  "mcpServers": {\n    "other": {\n      "command": "o"\n    }\n  },\n  "projects": {}\n}',
  ".codex/config.toml":
    '# mine\nmodel = "gpt" # the large one\n\n[mcp_servers.other]\ncommand = "o"\n\n[tui] # last\nx = 1',
  ".gemini/settings.json":
    '{\n  // mine\n  "theme": "dark",\n  "mcpServers": { "other": { "command": "o" } },\n}\n',
  ".qwen/settings.json": '{"model":{"name":"qwen3-coder"}}',
  ".copilot/mcp-config.json":
    '{\n  "mcpServers": {\n    "other": {\n      "type": "local",\n      "command": "o",\n      "args": [],\n      "tools": ["*"]\n    }\n  }\n}\n',
  ".config/opencode/opencode.json": '{"theme":"dark"}',
  ".codex/hooks.json": '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]}}\n',
};

interface Asked {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into by path, as a script would.
  readonly json: any;
  readonly golden: string;
}

interface Ground {
  readonly world: TestWorld;
  ask(argv: readonly string[], changes?: Partial<World>): Promise<Asked>;
  /** Every file and folder below the home but those of our own store. */
  state(): ReadonlyMap<string, string>;
}

function ground(files: Readonly<Record<string, string>> = theirs): Ground {
  const world = { ...makeWorld({ nowMs: NOW }), disk: quickDisk };
  for (const [path, text] of Object.entries(files)) {
    fs.mkdirSync(dirname(join(world.home, path)), { recursive: true });
    fs.writeFileSync(join(world.home, path), text);
  }
  return {
    world,
    ask: async (argv, changes = {}) => {
      const before = { out: world.out().length, err: world.err().length };
      const code = await run(argv, { ...world, ...changes });
      const out = world.out().slice(before.out);
      const json: unknown = argv.includes("--json") ? JSON.parse(out) : undefined;
      const golden = `${JSON.stringify(json, undefined, 2)?.replaceAll(world.root, "/root")}\n`;
      return { code, out, err: world.err().slice(before.err), json, golden };
    },
    state: () => {
      const names = fs.readdirSync(world.home, { recursive: true, encoding: "utf8" });
      const own = names.filter((name) => !name.startsWith(".sessions")).toSorted();
      return new Map(own.map((name) => [name, readOr(join(world.home, name))]));
    },
  };
}

function readOr(path: string): string {
  return fs.statSync(path).isDirectory() ? "a folder" : fs.readFileSync(path, "utf8");
}

/** Plain JSON of settings with comments and last commas. */
function settingsOf(world: TestWorld, path = ".claude/settings.json"): Record<string, unknown> {
  const text = fs.readFileSync(join(world.home, path), "utf8");
  return JSON.parse(text.replaceAll(/\/\/ .*/g, "").replaceAll(/,(\s*[}\]])/g, "$1"));
}

/** Our server as settings have it. */
function server(): object {
  return { command: "/usr/bin/node", args: ["/opt/sessions/dist/sessions.cjs", "mcp"] };
}

describe("sessions install", () => {
  test("puts hooks in exec form, retention and the skill beside what others have", async () => {
    const { world, ask } = ground();
    const { code, json, golden } = await ask(["install", "--yes", "--json"]);
    expect(code).toBe(0);
    expect(json.files.map(({ action }: { action: string }) => action)).toEqual([
      "changed",
      "changed",
      ...Array<string>(4).fill("created"),
    ]);
    const page = fs.readFileSync(join(world.home, ".claude/commands/compactish.md"), "utf8");
    const line = "/usr/bin/node /opt/sessions/dist/sessions.cjs compact";
    expect(page).toContain(`allowed-tools: Bash(${line}:*)\n`);
    expect(page).toContain(`!\`${line} \${CLAUDE_SESSION_ID} --fork $ARGUMENTS`);
    const { hooks, ...rest } = settingsOf(world);
    expect(rest).toEqual({ model: "opus", permissions: { allow: ["Bash(ls:*)"] }, cleanupPeriodDays: 99999 });
    for (const { name, subcommand, timeoutSeconds } of claudeHookEvents) {
      expect(Object(hooks)[name].at(-1)).toEqual({
        hooks: [
          {
            type: "command",
            command: "/usr/bin/node",
            args: ["/opt/sessions/dist/sessions.cjs", "hook", subcommand],
            timeout: timeoutSeconds,
          },
        ],
      });
    }
    expect(Object(hooks).PreCompact[0].hooks[0].command).toBe("say compacting");
    expect(Object(hooks).Stop).toHaveLength(1);
    const skill = join(world.home, ".claude/skills/session-finder/SKILL.md");
    expect(fs.readFileSync(skill, "utf8")).toBe(skillText);
    await expect(golden).toMatchFileSnapshot("./golden/install.json");
  });

  test("puts the server beside those of others, for Codex with the variables that it needs", async () => {
    const { world, ask } = ground();
    await ask(["install", "--all", "--yes"]);
    expect(settingsOf(world, ".claude.json")).toEqual({
      userID: "u",
      mcpServers: { other: { command: "o" }, sessions: server() },
      projects: {},
    });
    const toml = fs.readFileSync(join(world.home, ".codex/config.toml"), "utf8");
    expect(toml.startsWith(`${theirs[".codex/config.toml"]}\n\n[mcp_servers.sessions]\n`)).toBe(true);
    const { SESSIONS_HOME } = world.variables;
    expect(parse(toml)).toMatchObject({
      model: "gpt",
      mcp_servers: { other: { command: "o" }, sessions: { ...server(), env: { SESSIONS_HOME } } },
    });
  });

  test.each([
    ["gemini", ".gemini/settings.json", ".gemini/skills"],
    ["qwen", ".qwen/settings.json", ".qwen/skills"],
    ["copilot", ".copilot/mcp-config.json", ".copilot/skills"],
    ["opencode", ".config/opencode/opencode.json", ".config/opencode/skills"],
  ])(
    "gives %s the server and the skill beside those of others, and takes only these back",
    async (agent, list, skills) => {
      const { world, ask, state } = ground();
      const before = state();
      expect((await ask(["install", "--agent", agent, "--yes"])).code).toBe(0);
      const skill = join(world.home, skills, "session-finder", "SKILL.md");
      expect(fs.readFileSync(skill, "utf8")).toBe(skillText);
      const settings = settingsOf(world, list);
      const { sessions, ...others } = Object(settings.mcpServers ?? settings.mcp);
      const { command, args } = Object(server());
      expect(sessions).toMatchObject(
        agent === "opencode" ? { type: "local", command: [command, ...args] } : server(),
      );
      expect(Object.keys(others)).toEqual(theirs[list]?.includes('"other"') === true ? ["other"] : []);
      expect((await ask(["uninstall", "--agent", agent, "--yes"])).code).toBe(0);
      expect(state()).toEqual(before);
    },
  );

  test("gives Codex the events of a session as lines for a shell, beside the hooks of others", async () => {
    const { world, ask } = ground();
    const program = { command: "/opt/my node", args: ["/opt/it's/sessions.cjs"] };
    const { out } = await ask(["install", "--agent", "codex", "--yes"], { program });
    expect(out).toContain("Codex asks at its next start whether you trust the new hooks");
    const { hooks } = settingsOf(world, ".codex/hooks.json");
    expect(Object.keys(Object(hooks))).toEqual([
      "Stop",
      "PreCompact",
      "PostCompact",
      "SessionStart",
      "SessionEnd",
    ]);
    expect(Object(hooks).PreCompact).toEqual([
      {
        hooks: [
          {
            type: "command",
            command: "'/opt/my node' '/opt/it'\\''s/sessions.cjs' hook pre-compact codex",
            timeout: 30,
          },
        ],
      },
    ]);
  });

  test.each([
    [
      "Claude Code",
      "claude",
      ".claude.json",
      '{"mcpServers":{"sessions":{"command":"sessions","args":["mcp"]}}}',
    ],
    [
      "Codex",
      "codex",
      ".codex/config.toml",
      '[mcp_servers.sessions]\ncommand = "sessions"\nargs = ["mcp"]\n',
    ],
  ])("leaves a server of that name that somebody else gave to %s", async (_, agent, path, text) => {
    const { world, ask } = ground({ [path]: text });
    await ask(["install", "--agent", agent, "--yes"]);
    expect(fs.readFileSync(join(world.home, path), "utf8")).toBe(text);
    await ask(["uninstall", "--yes"]);
    expect(fs.readFileSync(join(world.home, path), "utf8")).toBe(text);
  });

  test("leaves what Codex and its user changed since, and takes out the server and the hooks", async () => {
    const { world, ask, state } = ground();
    await ask(["install", "--agent", "codex", "--yes"]);
    const path = join(world.home, ".codex/config.toml");
    const text = fs.readFileSync(path, "utf8").replace('"gpt"', '"other"');
    fs.writeFileSync(path, `${text}\n[projects."/p"]\ntrust_level = "trusted"\n`);
    await ask(["uninstall", "--yes"]);
    const rest = theirs[".codex/config.toml"]?.replace('"gpt"', '"other"');
    expect(state().get(".codex/config.toml")).toBe(`${rest}\n\n[projects."/p"]\ntrust_level = "trusted"\n`);
    expect(state().get(".codex/hooks.json")).toBe(theirs[".codex/hooks.json"]);
  });

  test("twice is once; uninstall gives everything back, byte for byte", async () => {
    const { ask, state } = ground();
    const before = state();
    await ask(["install", "--all", "--yes"]);
    const once = state();
    expect(once.size).toBeGreaterThan(before.size + 5);
    const again = await ask(["install", "--all", "--yes"]);
    expect(again.out.match(/^(?:up to date|not needed) /gm)).toHaveLength(19);
    expect(state()).toEqual(once);
    const { code, json, golden } = await ask(["uninstall", "--yes", "--json"]);
    expect(code).toBe(0);
    expect(json.files).toHaveLength(14);
    expect(state()).toEqual(before);
    await expect(golden).toMatchFileSnapshot("./golden/uninstall.json");
    expect((await ask(["uninstall", "--yes"])).out).toBe("Nothing is installed.\n");
  });

  test("on an empty home, and back to an empty home", async () => {
    const { ask, state } = ground({});
    const before = state();
    await ask(["install", "--all", "--yes"]);
    await ask(["uninstall", "--yes"]);
    expect(state()).toEqual(before);
  });

  test("takes out only what is ours where others changed something since", async () => {
    const { world, ask, state } = ground();
    await ask(["install", "--yes"]);
    const path = join(world.home, ".claude/settings.json");
    const text = fs.readFileSync(path, "utf8").replace('"model": "opus"', '"model": "haiku"');
    fs.writeFileSync(path, text);
    await ask(["install", "--yes"]);
    expect(fs.readFileSync(path, "utf8")).toBe(text);
    await ask(["uninstall", "--yes"]);
    expect(state().get(".claude/settings.json")).toBe(
      theirs[".claude/settings.json"]?.replace('"model": "opus"', '"model": "haiku"'),
    );
  });

  test("another place of the program takes the place of the old one", async () => {
    const { world, ask, state } = ground();
    const before = state();
    await ask(["install", "--yes"]);
    const program = { command: "/opt/node", args: ["/new/dist/sessions.cjs"] };
    await ask(["install", "--yes"], { program });
    const hooks = JSON.stringify(settingsOf(world).hooks);
    expect(hooks).not.toContain("/opt/sessions/");
    expect(hooks.match(/\/new\/dist\/sessions\.cjs/g)).toHaveLength(claudeHookEvents.length);
    await ask(["uninstall", "--yes"]);
    expect(state()).toEqual(before);
  });

  test("what retention set before stays after uninstall", async () => {
    const { world, ask } = ground({ ".claude/settings.json": '{"a":1}' });
    await ask(["retention", "set", "400"]);
    await ask(["install", "--yes"]);
    await ask(["uninstall", "--yes"]);
    expect(settingsOf(world)).toEqual({ a: 1, cleanupPeriodDays: 400 });
    await ask(["retention", "reset"]);
    expect(fs.readFileSync(join(world.home, ".claude/settings.json"), "utf8")).toBe('{"a":1}');
  });

  test("without a receipt uninstall still takes out the hooks and the skill", async () => {
    const { world, ask } = ground();
    await ask(["install", "--yes", "--no-retention"]);
    fs.rmSync(join(world.home, ".sessions"), { recursive: true });
    const { code } = await ask(["uninstall", "--yes"]);
    expect(code).toBe(0);
    const text = fs.readFileSync(join(world.home, ".claude/settings.json"), "utf8");
    expect(text).toBe(theirs[".claude/settings.json"]);
    expect(fs.existsSync(join(world.home, ".claude/skills/session-finder/SKILL.md"))).toBe(false);
  });

  describe("the Pi extension", () => {
    const EXTENSION = ".pi/agent/extensions/sessions.js";
    const chosenIn = (text: string | undefined): string | undefined =>
      /^const summaryBy = "(\w+)";$/m.exec(text ?? "")?.[1];
    /** A person at a terminal who gives these answers. */
    const person = (answers: readonly string[], asked: string[]): Partial<World> => ({
      stdin: {
        isTerminal: true,
        readText: async () => "",
        async *lines() {
          yield* answers;
        },
      },
      stderr: { isTerminal: true, columns: 80, hasColor: false, write: (text) => void asked.push(text) },
    });

    test.each([
      [["2", "y"], "sessions"],
      [["1", "y"], "agent"],
      [["", "yes"], "agent"],
      [["7", "y"], "agent"],
    ])("asks who writes summaries: %j", async (answers, chosen) => {
      const { ask, state } = ground();
      const asked: string[] = [];
      const { code } = await ask(["install", "--agent", "pi"], person(answers, asked));
      expect(code).toBe(0);
      expect(asked[0]).toBe(
        "Who writes the summary when Pi compacts a session?\n" +
          "  1  Pi: its model, as now\n  2  sessions: at once, without a model\nChoice [1] ",
      );
      expect(asked.join("")).toContain(`~/${EXTENSION}  will be created: an extension`);
      expect(chosenIn(state().get(EXTENSION))).toBe(chosen);
    });

    test("keeps Pi's own summaries with --yes, and a choice that was made before", async () => {
      const { ask, state } = ground();
      const before = state();
      await ask(["install", "--agent", "pi", "--yes"]);
      expect(chosenIn(state().get(EXTENSION))).toBe("agent");
      await ask(["install", "--agent", "pi", "--yes", "--summary", "sessions"]);
      expect(chosenIn(state().get(EXTENSION))).toBe("sessions");
      const program = { command: "/opt/node", args: ["/new/dist/sessions.cjs"] };
      await ask(["install", "--agent", "pi", "--yes"], { program });
      expect(chosenIn(state().get(EXTENSION))).toBe("sessions");
      expect(state().get(EXTENSION)).toContain('["/opt/node","/new/dist/sessions.cjs"]');
      await ask(["uninstall", "--yes"]);
      expect(state()).toEqual(before);
    });

    test("--dry-run prints the whole file, and writes nothing", async () => {
      const { ask, state } = ground();
      const before = state();
      const { out } = await ask(["install", "--agent", "pi", "--dry-run"]);
      expect(state()).toEqual(before);
      await ask(["install", "--agent", "pi", "--yes"]);
      const lines = (state().get(EXTENSION) ?? "").trimEnd().split("\n");
      for (const line of lines) expect(out).toContain(`+${line}\n`);
    });

    test("is not put into a project, which others share", async () => {
      const { ask, state } = ground();
      await ask(["install", "--agent", "pi", "--scope", "project", "--yes"]);
      expect([...state().keys()].filter((name) => name.includes("extensions"))).toEqual([]);
      expect(state().has("project/.pi/skills/session-finder/SKILL.md")).toBe(true);
    });

    test("of another owner stays; ours is removed even without a receipt", async () => {
      const theirOwn = { [EXTENSION]: "export default () => {};\n" };
      const other = ground(theirOwn);
      expect((await other.ask(["install", "--agent", "pi", "--yes"])).code).toBe(3);
      expect(other.state().get(EXTENSION)).toBe(theirOwn[EXTENSION]);
      const { world, ask, state } = ground();
      await ask(["install", "--agent", "pi", "--yes", "--summary", "sessions"]);
      fs.rmSync(join(world.home, ".sessions"), { recursive: true });
      await ask(["uninstall", "--yes"]);
      expect(state().has(EXTENSION)).toBe(false);
    });
  });

  test("leaves a skill of that name that somebody else made", async () => {
    const { ask, state } = ground({ ".pi/agent/skills/session-finder/SKILL.md": "mine\n" });
    const before = state();
    const { code, out } = await ask(["install", "--agent", "pi", "--yes"]);
    expect(code).toBe(3);
    expect(out).toContain("not changed: it is not ours, or was edited since  ~/.pi/agent/skills");
    await ask(["uninstall", "--yes"]);
    expect(state()).toEqual(before);
  });

  describe("an agent that also reads the skill of another", () => {
    const skillsIn = (at: Ground): readonly string[] =>
      [...at.state().keys()]
        .filter((name) => name.endsWith("session-finder/SKILL.md"))
        .map((name) => name.replace("/skills/session-finder/SKILL.md", ""));

    test("gets none of its own, whichever comes first", async () => {
      const at = ground({});
      const { out } = await at.ask(["install", "--all", "--yes"]);
      expect(skillsIn(at)).toEqual([".agents", ".claude"]);
      expect(out).toContain(
        "not needed  ~/.gemini/skills/session-finder/SKILL.md: the agent reads ~/.agents/skills/session-finder/SKILL.md",
      );
      const again = await at.ask(["install", "--all", "--yes", "--json"]);
      expect(again.json.files.filter(({ action }: { action: string }) => action !== "unchanged")).toEqual([]);

      const late = ground({});
      await late.ask(["install", "--agent", "gemini", "--agent", "opencode", "--yes"]);
      expect(skillsIn(late)).toEqual([".config/opencode", ".gemini"]);
      await late.ask(["install", "--agent", "codex", "--yes"]);
      expect(skillsIn(late)).toEqual([".agents"]);
      expect(late.state().has(".gemini/skills")).toBe(false);
    });

    test("gets its own when the other leaves, and nothing is left in the end", async () => {
      const at = ground();
      const before = at.state();
      await at.ask(["install", "--all", "--yes"]);
      await at.ask(["uninstall", "--agent", "gemini", "--yes"]);
      expect(skillsIn(at)).toEqual([".agents", ".claude"]);
      const { out } = await at.ask(["uninstall", "--agent", "codex", "--yes"]);
      expect(out).toContain("written  ~/.qwen/skills/session-finder/SKILL.md");
      // opencode reads that of Claude Code.
      expect(skillsIn(at)).toEqual([".claude", ".copilot", ".pi/agent", ".qwen"]);
      await at.ask(["uninstall", "--agent", "claude", "--yes"]);
      expect(skillsIn(at)).toEqual([".config/opencode", ".copilot", ".pi/agent", ".qwen"]);
      await at.ask(["uninstall", "--yes"]);
      expect(at.state()).toEqual(before);
    });

    test("leaves one that somebody else put there", async () => {
      const at = ground({ ".agents/skills/session-finder/SKILL.md": "mine\n" });
      const before = at.state();
      await at.ask(["install", "--agent", "gemini", "--yes"]);
      expect(skillsIn(at)).toEqual([".agents"]);
      await at.ask(["uninstall", "--yes"]);
      expect(at.state()).toEqual(before);
    });
  });

  test("gives Codex nothing in a project but the skill: the rest names paths of this machine", async () => {
    const at = ground({});
    const { json, code } = await at.ask([
      "install",
      "--agent",
      "codex",
      "--scope",
      "project",
      "--yes",
      "--json",
    ]);
    expect(code).toBe(0);
    expect(json.files.map(({ path }: { path: string }) => path)).toEqual([
      join(at.world.folder, ".agents/skills/session-finder/SKILL.md"),
    ]);
    const said = await at.ask(["install", "--agent", "codex", "--scope", "project", "--yes"]);
    expect(said.out).not.toContain("trust");
    for (const [name, text] of at.state())
      if (name.startsWith("project")) expect(text).not.toContain(at.world.root);
  });

  test("takes out what an earlier version put into Codex's files of a project", async () => {
    const at = ground({});
    await at.ask(["install", "--agent", "codex", "--yes"]);
    const { home, folder } = at.world;
    const receipt = join(home, ".sessions", "receipt.json");
    const text = fs.readFileSync(receipt, "utf8");
    for (const name of ["config.toml", "hooks.json"]) {
      fs.mkdirSync(join(folder, ".codex"), { recursive: true });
      fs.renameSync(join(home, ".codex", name), join(folder, ".codex", name));
    }
    const moved = text
      .replaceAll(
        JSON.stringify(join(home, ".codex")).slice(0, -1),
        JSON.stringify(join(folder, ".codex")).slice(0, -1),
      )
      .replaceAll('"scope": "user"', '"scope": "project"');
    fs.writeFileSync(receipt, moved);
    await at.ask(["uninstall", "--scope", "project", "--yes"]);
    expect([...at.state().keys()].filter((name) => /config.toml|hooks.json/.test(name))).toEqual([]);
  });

  test("in a project it writes what is not shared with others", async () => {
    const { world, ask, state } = ground({});
    const before = state();
    await ask(["install", "--all", "--scope", "project", "--yes"]);
    const added = [...state().keys()].filter((name) => !before.has(name) && name.includes("."));
    expect(added.filter((name) => /\.(json|md|toml)$/.test(name))).toEqual([
      ".claude.json",
      "project/.agents/skills/session-finder/SKILL.md",
      "project/.claude/settings.local.json",
      "project/.claude/skills/session-finder/SKILL.md",
    ]);
    expect(settingsOf(world, "project/.claude/settings.local.json")).toHaveProperty(
      "cleanupPeriodDays",
      99999,
    );
    expect(settingsOf(world, ".claude.json")).toEqual({
      projects: { [world.folder]: { mcpServers: { sessions: server() } } },
    });
    expect((await ask(["uninstall", "--scope", "user", "--yes"])).out).toBe("Nothing is installed.\n");
    await ask(["uninstall", "--scope", "project", "--yes"]);
    expect(state()).toEqual(before);
  });

  test("for the user and in a project, in one file: either goes without the other", async () => {
    const { world, ask, state } = ground();
    const before = state();
    await ask(["install", "--yes"]);
    const forUser = state().get(".claude.json");
    await ask(["install", "--scope", "project", "--yes"]);
    expect(settingsOf(world, ".claude.json")).toMatchObject({
      mcpServers: { sessions: server() },
      projects: { [world.folder]: { mcpServers: { sessions: server() } } },
    });
    await ask(["uninstall", "--scope", "project", "--yes"]);
    expect(state().get(".claude.json")).toBe(forUser);
    await ask(["install", "--scope", "project", "--yes"]);
    await ask(["uninstall", "--scope", "user", "--yes"]);
    expect(settingsOf(world, ".claude.json")).toMatchObject({
      mcpServers: { other: { command: "o" } },
      projects: { [world.folder]: { mcpServers: { sessions: server() } } },
    });
    await ask(["uninstall", "--yes"]);
    expect(state()).toEqual(before);
  });

  test("--dry-run prints the exact changes and makes none", async () => {
    const { ask, state } = ground();
    const before = state();
    const { code, out } = await ask(["install", "--dry-run"]);
    expect(code).toBe(0);
    expect(state()).toEqual(before);
    expect(out).toMatch(/^--- .*\/\.claude\/settings\.json\n\+\+\+ .*\/\.claude\/settings\.json\n@@ -\d/);
    expect(out).toContain('+    "cleanupPeriodDays": 99999,\n');
    expect(out).toContain("+++ ");
    expect(out).toContain("+name: session-finder\n");
    // Nothing goes; a line may get the comma that what follows it needs.
    const gone = out.match(/^-(?!--).*/gm) ?? [];
    expect(gone.filter((line) => !out.includes(`\n+${line.slice(1)},\n`))).toEqual([]);
  });

  test("asks, and does nothing without a yes", async () => {
    const { ask, state } = ground();
    const before = state();
    const { code, err } = await ask(["install"]);
    expect({ code, err }).toMatchObject({
      code: 4,
      err: expect.stringContaining("this is not a terminal"),
    });
    const terminal = (line: string): Partial<World> => ({
      stdin: {
        isTerminal: true,
        readText: async () => line,
        async *lines() {
          yield line;
        },
      },
      stderr: { isTerminal: true, columns: 80, hasColor: false, write: () => {} },
    });
    expect((await ask(["install"], terminal("n"))).code).toBe(4);
    expect(state()).toEqual(before);
    expect((await ask(["install"], terminal("y"))).code).toBe(0);
    expect(state()).not.toEqual(before);
  });

  test.each([
    ["broken settings", "claude", { ".claude/settings.json": '{"hooks": [' }],
    ["hooks of another kind", "claude", { ".claude/settings.json": '{"hooks": {"PreCompact": "x"}}' }],
    ["a broken config.toml", "codex", { ".codex/config.toml": "a = 1\nb = = 2\n" }],
    [
      "a list of servers in one line",
      "codex",
      { ".codex/config.toml": "mcp_servers = { a = { url = 'u' } }\n" },
    ],
    ["servers that are none", "opencode", { ".config/opencode/opencode.json": '{"mcp": []}' }],
  ])("%s: nothing is written for that agent, and all for the others", async (_, agent, files) => {
    const { world, ask, state } = ground(files);
    const before = state();
    const [path = ""] = Object.keys(files).map((file) => join(world.home, file));
    const alone = await ask(["install", "--agent", agent, "--yes"]);
    expect(alone.code).toBe(5);
    expect(alone.err).toContain(path);
    expect(state()).toEqual(before);
    const { code, json } = await ask(["install", "--all", "--yes", "--json"]);
    expect(code).toBe(3);
    expect(json.problems).toMatchObject([{ path }]);
    const done = new Set(json.files.map((file: { agent: string }) => file.agent));
    expect([done.has(agent), done.size]).toEqual([false, 6]);
    expect((await ask(["uninstall", "--yes", "--json"])).code).toBe(0);
    expect(state()).toEqual(before);
  });

  test("a link that leads nowhere: nothing is written for that agent, and the link stays", async () => {
    const { world, ask } = ground({ ".config/opencode/README": "" });
    const link = join(world.home, ".config/opencode/opencode.json");
    fs.symlinkSync("../../dotfiles/opencode.json", link);
    const alone = await ask(["install", "--agent", "opencode", "--yes"]);
    expect([alone.code, alone.err]).toEqual([
      5,
      expect.stringContaining("a link to a file that does not exist"),
    ]);
    const { code, json } = await ask(["install", "--all", "--yes", "--json"]);
    expect(code).toBe(3);
    expect(json.problems).toEqual([
      { path: link, line: 0, what: "it is a link to a file that does not exist" },
    ]);
    expect(fs.readlinkSync(link)).toBe("../../dotfiles/opencode.json");
  });

  test("a folder that can't be made: the other files are written and listed", async () => {
    const { world, ask, state } = ground({ ".qwen": "a file" });
    const before = state();
    const alone = await ask(["install", "--agent", "qwen", "--yes"]);
    expect([alone.code, alone.err]).toEqual([5, expect.stringContaining("Cannot make the folder")]);
    const { code, json } = await ask(["install", "--all", "--yes", "--json"]);
    expect(code).toBe(3);
    expect(json.problems).toMatchObject([{ path: join(world.home, ".qwen/settings.json") }]);
    const done = new Set(json.files.map(({ path }: { path: string }) => path));
    for (const path of [".claude.json", ".copilot/mcp-config.json"])
      expect(done.has(join(world.home, path))).toBe(true);
    expect((await ask(["install", "--all", "--yes"])).code).toBe(3);
    expect((await ask(["uninstall", "--yes"])).code).toBe(0);
    expect(state()).toEqual(before);
  });

  test("a problem of a file says where in it", async () => {
    const { ask } = ground({ ".qwen/settings.json": '{\n  "a": }\n' });
    const { err } = await ask(["install", "--all", "--yes"]);
    expect(err).toMatch(/\.qwen\/settings\.json:2: a value is missing \(column \d+\)/);
  });

  test("uninstall leaves a file that was broken since, and does the rest", async () => {
    const { world, ask } = ground({});
    await ask(["install", "--agent", "copilot", "--agent", "gemini", "--yes"]);
    const broken = join(world.home, ".copilot/mcp-config.json");
    fs.writeFileSync(broken, "{");
    const { code, err } = await ask(["uninstall", "--yes"]);
    expect(code).toBe(3);
    expect(err).toContain(".copilot/mcp-config.json");
    expect(fs.existsSync(join(world.home, ".gemini"))).toBe(false);
    expect(fs.existsSync(join(world.home, ".copilot/skills"))).toBe(false);
    // Nothing else is left to do.
    expect((await ask(["uninstall", "--yes"])).code).toBe(5);
    fs.rmSync(broken);
    expect((await ask(["uninstall", "--yes"])).code).toBe(0);
  });

  test.each(["cron", "systemd", "launchd"])("a ready text for %s, and nothing written", async (timer) => {
    const { world, ask, state } = ground({});
    const before = state();
    const { code, out } = await ask(["install", "--timer", timer], {
      program: { command: "/opt/my node/bin/node", args: ["/opt/100%/dist/sessions.cjs"] },
    });
    expect(code).toBe(0);
    expect(out.replaceAll(world.root, "/root")).toMatchSnapshot();
    expect(state()).toEqual(before);
    expect([...filesBelow(world.home).keys()]).toEqual([]);
  });
});
