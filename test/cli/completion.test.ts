import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { describe, expect, test } from "vitest";
import { commandTable } from "../../src/cli/command-table.ts";
import { completionScript, shells } from "../../src/cli/completion/shell-scripts.ts";
import { run } from "../../src/cli/run.ts";
import { makeWorld, type TestWorld } from "../support/make-world.ts";
import { bundle } from "../support/run-bundle.ts";
import { hasTmux, openPane } from "../support/tmux.ts";

const NOW = Date.UTC(2026, 10, 16, 12);

function write(world: TestWorld, number: number, cwd: string, request: string): string {
  const id = `${number}0000000-0000-4000-8000-000000000000`;
  const path = join(world.home, ".claude/projects", cwd.replaceAll("/", "-"), `${id}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  const line = {
    type: "user",
    uuid: `u${number}`,
    parentUuid: null,
    sessionId: id,
    cwd,
    gitBranch: `fix/${number}`,
    timestamp: new Date(NOW - number * 60_000).toISOString(),
    message: { role: "user", content: request },
  };
  writeFileSync(path, `${JSON.stringify(line)}\n`);
  return id;
}

async function ground(): Promise<TestWorld> {
  const world = makeWorld({ nowMs: NOW, variables: { SHELL: "/bin/bash" } });
  write(world, 1, "/work/shop", "Add a cart to the shop");
  write(world, 2, "/work/notes", "Sort the notes by date");
  expect(await run(["index"], world)).toBe(0);
  return world;
}

async function complete(world: TestWorld, ...words: readonly string[]): Promise<readonly string[]> {
  const before = world.out().length;
  expect(await run(["complete", "--", ...words], world)).toBe(0);
  return world.out().slice(before).split("\n").slice(0, -1);
}

const values = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => line.split("\t")[0] ?? "");

describe("sessions complete", () => {
  test("completes every command that help shows, with its summary", async () => {
    const world = makeWorld();
    const shown = commandTable.filter(({ hidden }) => hidden !== true);
    expect(await complete(world, "")).toEqual(shown.map(({ name, summary }) => `${name}\t${summary}`));
    expect(values(await complete(world, "sea"))).toEqual(["search"]);
    expect(values(await complete(world, "--v"))).toEqual([]);
    expect(values(await complete(world, "--j"))).toEqual(["--json"]);
  });

  test("completes flags of the command, and the values of those with choices", async () => {
    const world = makeWorld();
    expect(values(await complete(world, "list", "--st"))).toEqual(["--stubs"]);
    expect(values(await complete(world, "search", "x", "--no-"))).toContain("--no-color");
    expect(values(await complete(world, "list", "--agent", "c"))).toEqual([
      "claude",
      "claw",
      "codex",
      "copilot",
    ]);
    expect(values(await complete(world, "export", "x", "--format", ""))).toEqual(["md", "html", "json"]);
    expect(values(await complete(world, "help", "pro"))).toEqual(["projects"]);
    expect(values(await complete(world, "completion", "z"))).toEqual(["zsh"]);
    expect(await complete(world, "nonsense", "")).toEqual([]);
  });

  test("completes session ids with titles, projects and branches from the index", async () => {
    const world = await ground();
    const ids = await complete(world, "show", "");
    expect(ids[0]).toMatch(/^last\t/);
    expect(ids.slice(1)).toEqual([
      "10000000-0000-4000-8000-000000000000\tAdd a cart to the shop · shop",
      "20000000-0000-4000-8000-000000000000\tSort the notes by date · notes",
    ]);
    expect(values(await complete(world, "show", "2"))).toEqual(["20000000-0000-4000-8000-000000000000"]);
    expect(await complete(world, "list", "--project", "")).toEqual([
      "/work/shop\t1 session",
      "/work/notes\t1 session",
    ]);
    expect(values(await complete(world, "list", "--branch", "fix/2"))).toEqual(["fix/2"]);
    expect(await complete(world, "files", "")).toEqual([":files"]);
    expect(await complete(world, "show", "x", "-o", "")).toEqual([":files"]);
  });

  test("a value that is no file is not completed with files: dates, words, names of people", async () => {
    const world = makeWorld();
    for (const [name, { load }] of commandTable.map((row) => [row.name, row] as const)) {
      for (const [flag, row] of Object.entries((await load()).command.flags)) {
        if (row.type === "boolean") continue;
        const isFile = row.type !== "number" && row.values === "file";
        const isPath = /^(FILE|DIR|PROJECT_DIR|PATH)$/.test(row.placeholder ?? "") && flag !== "project";
        expect({ name, flag, isFile }).toEqual({ name, flag, isFile: isPath });
      }
    }
    expect(await complete(world, "search", "--since", "")).toEqual([]);
    expect(await complete(world, "list", "--title", "")).toEqual([]);
    expect(await complete(world, "list", "--file", "")).toEqual([":files"]);
  });

  test("completes machines that the index knows, and remotes of the kind that fits", async () => {
    const world = await ground();
    expect(await complete(world, "list", "--machine", "")).toEqual(["local\t2 sessions"]);
    for (const argv of [
      ["nas", join(world.root, "nas")],
      ["team", "https://localhost:9200"],
    ])
      expect(await run(["remote", "add", ...argv], world)).toBe(0);
    expect(await complete(world, "sync", "")).toEqual(["nas\tfolder"]);
    expect(await complete(world, "search", "--remote", "")).toEqual(["team\topensearch"]);
    expect(values(await complete(world, "remote", "remove", ""))).toEqual(["nas", "team"]);
  });

  test("completes values of fields inside a query, and after --flag=", async () => {
    const world = await ground();
    expect(values(await complete(world, "search", "token", "agent:co"))).toEqual([
      "agent:codex",
      "agent:copilot",
    ]);
    expect(values(await complete(world, "search", "-branch:"))).toEqual(["-branch:fix/1", "-branch:fix/2"]);
    expect(values(await complete(world, "list", "project:/work/s"))).toEqual(["project:/work/shop"]);
    expect(values(await complete(world, "list", "--branch=fix/2"))).toEqual(["--branch=fix/2"]);
    expect(await complete(world, "search", "since:", "")).toEqual([]);
    expect(await complete(world, "search", "nosuch:")).toEqual([]);
  });

  test("a value with a space is quoted in a query, where it would be two words", async () => {
    const world = makeWorld({ nowMs: NOW });
    write(world, 6, "/work/my shop", "Add a cart");
    expect(await run(["index"], world)).toBe(0);
    expect(values(await complete(world, "search", "project:"))).toEqual(['project:"/work/my shop"']);
    expect(values(await complete(world, "list", "project:"))).toEqual(["project:/work/my shop"]);
  });

  test("does not read logs: a session that is not indexed is not there", async () => {
    const world = await ground();
    write(world, 3, "/work/shop", "A third one");
    expect(values(await complete(world, "show", "3"))).toEqual([]);
    expect(await complete(makeWorld(), "show", "3")).toEqual([]);
  });

  test("shows nothing of an index that was masked by other rules", async () => {
    const world = await ground();
    const config = join(world.home, ".sessions/config.json");
    mkdirSync(dirname(config), { recursive: true });
    writeFileSync(config, JSON.stringify({ redact: ["cart"] }));
    expect(values(await complete(world, "show", "1"))).toEqual([]);
    expect(await run(["index"], world)).toBe(0);
    expect((await complete(world, "show", "1"))[0]).toMatch(/\tAdd a \[masked: custom\] to the shop · shop$/);
  });

  test("cuts a long title, but always shows the project", async () => {
    const world = makeWorld({ nowMs: NOW });
    write(world, 5, "/work/shop", `Please ${"look into it ".repeat(8)}`);
    expect(await run(["index"], world)).toBe(0);
    const [line = ""] = await complete(world, "show", "5");
    expect(line.split("\t")[1]).toMatch(/^Please look into it .*… · shop$/);
    expect(line.split("\t")[1]?.length).toBeLessThanOrEqual(60);
  });

  test("hands out no control characters", async () => {
    const world = makeWorld({ nowMs: NOW });
    write(world, 4, "/work/shop", "Mind the \u001b[31mescape\u0007 here, please");
    expect(await run(["index"], world)).toBe(0);
    const [line = ""] = await complete(world, "show", "4");
    expect(line.replace("\t", "")).not.toMatch(/[\u0000-\u001f\u007f]/);
  });
});

describe("sessions completion", () => {
  test.each(shells)("prints the script for %s", async (shell) => {
    const world = makeWorld();
    expect(await run(["completion", shell], world)).toBe(0);
    expect(world.out()).toBe(completionScript(shell));
  });

  test("install writes one file and says which; uninstall removes it, and the folders", async () => {
    const world = makeWorld({ variables: { SHELL: "/usr/bin/fish" } });
    const path = join(world.home, ".config/fish/completions/sessions.fish");
    expect(await run(["completion", "install", "--dry-run"], world)).toBe(0);
    expect(existsSync(path)).toBe(false);
    expect(world.out()).toContain(`+++ ${path}`);
    expect(await run(["completion", "install"], world)).toBe(4);
    expect(await run(["completion", "install", "--yes"], world)).toBe(0);
    expect(world.out()).toContain("written  ~/.config/fish/completions/sessions.fish");
    expect(readFileSync(path, "utf8")).toBe(completionScript("fish"));
    expect(await run(["completion", "install", "--yes"], world)).toBe(0);
    expect(world.out()).toContain("up to date");
    expect(await run(["uninstall", "--yes"], world)).toBe(0);
    expect(existsSync(join(world.home, ".config"))).toBe(false);
  });

  test("install leaves a file of somebody else alone", async () => {
    const world = makeWorld();
    const path = join(world.home, ".local/share/zsh/site-functions/_sessions");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "# mine\n");
    expect(await run(["completion", "install", "zsh", "--yes"], world)).toBe(3);
    expect(readFileSync(path, "utf8")).toBe("# mine\n");
    expect(await run(["uninstall", "--yes"], world)).toBe(0);
    expect(readdirSync(dirname(path))).toEqual(["_sessions"]);
  });

  test("install asks for the shell if it is not known", async () => {
    const world = makeWorld({ variables: { SHELL: "/bin/tcsh" } });
    expect(await run(["completion", "install", "--yes"], world)).toBe(2);
    expect(world.err()).toContain("sessions completion install bash|zsh|fish");
  });

  test("answers in JSON", async () => {
    const world = makeWorld({ variables: { SHELL: "/bin/bash" } });
    expect(await run(["completion", "install", "--yes", "--json"], world)).toBe(0);
    const text = JSON.stringify(JSON.parse(world.out()), undefined, 2).replaceAll(world.root, "/root");
    await expect(`${text}\n`).toMatchFileSnapshot("./golden/completion.json");
  });
});

/** A program that prints the words it got, in place of `sessions`. */
const STUB = `#!/bin/sh
shift; shift
for word; do printf '%s|' "$word" >> "$LOG"; done
printf "10000000-aaaa\\tAdd a cart: the shop\\n10000001-bbbb\\tIt's sorted\\n"
`;

function withStub(): {
  readonly world: TestWorld;
  readonly env: Record<string, string>;
  readonly log: string;
} {
  const world = makeWorld();
  const bin = join(world.root, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "sessions"), STUB, { mode: 0o755 });
  const log = join(world.root, "words");
  writeFileSync(log, "");
  return { world, log, env: { PATH: `${bin}:/usr/bin:/bin`, HOME: world.home, LOG: log, COLUMNS: "60" } };
}

const has = (program: string): boolean => spawnSync(program, ["--version"]).status === 0;

describe("the script for a real shell", () => {
  test.skipIf(!has("bash"))("bash gets values, and descriptions beside them", () => {
    const { env, log } = withStub();
    const script = `${completionScript("bash")}
compopt() { :; }
COMP_LINE="sessions show --json 10"; COMP_WORDS=(sessions show --json 10); COMP_CWORD=3; COMP_TYPE=9
_sessions
printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr, status } = spawnSync("bash", ["-c", script], { env, encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toBe("10000000-aaaa  (Add a cart: the shop)\n10000001-bbbb  (It's sorted)\n");
    expect(readFileSync(log, "utf8")).toBe("show|--json|10|");
  });

  test.skipIf(!has("bash"))(
    "bash cuts descriptions by characters, and starts nothing but the program",
    () => {
      const { world, env } = withStub();
      const bin = join(world.root, "bin");
      const lines = Array.from({ length: 300 }, (_, index) => `${1000 + index}\tBúsqueda`);
      writeFileSync(join(bin, "list"), `${lines.join("\n")}\n`);
      writeFileSync(
        join(bin, "sessions"),
        '#!/bin/sh\nwhile read -r line; do echo "$line"; done < "$LIST"\n',
      );
      const script = `${completionScript("bash")}
compopt() { :; }
COMP_LINE="sessions show "; COMP_WORDS=(sessions show ""); COMP_CWORD=2; COMP_TYPE=9; COLUMNS=11
_sessions
printf '%s\\n' "\${#COMPREPLY[@]}" "\${COMPREPLY[0]}"`;
      // A PATH without other programs.
      const alone = { ...env, PATH: bin, LIST: join(bin, "list"), LC_ALL: "C.UTF-8" };
      const bash = ["/bin/bash", "/usr/bin/bash"].find((path) => existsSync(path)) ?? "bash";
      const { stdout, stderr } = spawnSync(bash, ["-c", script], { env: alone, encoding: "utf8" });
      expect({ stdout, stderr }).toEqual({ stdout: "300\n1000  (Bú\n", stderr: "" });
    },
  );

  test.skipIf(!has("bash"))(
    "bash hands over a word with a colon or = as one, and replaces what follows",
    () => {
      const { world, env, log } = withStub();
      writeFileSync(
        join(world.root, "bin/sessions"),
        `#!/bin/sh\nfor word; do printf '%s|' "$word" >> "$LOG"; done\nprintf 'agent:claude\\nagent:claw\\n'\n`,
      );
      const script = (words: string, line: string): string => `${completionScript("bash")}
compopt() { :; }
COMP_LINE="${line}"; COMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); COMP_TYPE=9
_sessions
printf '%s\\n' "\${COMPREPLY[@]}"`;
      const replies = [
        script("sessions search x agent : cl", "sessions search x  agent:cl"),
        script("sessions search agent :", "sessions search agent:"),
      ].map((text) => spawnSync("bash", ["-c", text], { env, encoding: "utf8" }).stdout);
      expect(replies).toEqual(["claude\nclaw\n", "claude\nclaw\n"]);
      expect(readFileSync(log, "utf8")).toBe("complete|--|search|x|agent:cl|complete|--|search|agent:|");
    },
  );

  test.skipIf(!has("bash") || !hasTmux)("a Tab in bash completes a field's value", async () => {
    const { home, folder, root } = makeWorld();
    const bin = join(root, "bin");
    mkdirSync(bin);
    const runtime = process.versions.deno === undefined ? "" : "run -A --quiet ";
    const program = `#!/bin/sh\nexec '${process.execPath}' ${runtime}'${bundle}' "$@"\n`;
    writeFileSync(join(bin, "sessions"), program, { mode: 0o755 });
    const variables = { HOME: home, SESSIONS_GUARD: "off", PATH: `${bin}:${process.env.PATH}` };
    const pane = await openPane({ columns: 80, rows: 20, folder, variables });
    await pane.shell('eval "$(sessions completion bash)"');
    pane.type("sessions search agent:claw");
    pane.keys("Tab");
    pane.type("end");
    await pane.waitFor("sessions search agent:claw end");
    pane.keys("C-u");
    pane.type("sessions list --agent=cop");
    pane.keys("Tab");
    await pane.waitFor("--agent=copilot ");
  });

  test.skipIf(!has("fish"))("fish gets values and descriptions", () => {
    const { env, log } = withStub();
    const script = `${completionScript("fish")}\ncomplete -C 'sessions show 10'`;
    const { stdout, status } = spawnSync("fish", ["--no-config", "-c", script], { env, encoding: "utf8" });
    expect(status).toBe(0);
    expect(stdout).toBe("10000000-aaaa\tAdd a cart: the shop\n10000001-bbbb\tIt's sorted\n");
    expect(readFileSync(log, "utf8")).toBe("show|10|");
  });

  test.skipIf(!has("zsh"))("zsh reads the script, and hands the words over", () => {
    const { env, log } = withStub();
    const script = `compdef() { :; }
${completionScript("zsh")}
_describe() { print -rl -- "\${found[@]}"; }
words=(sessions show 10); CURRENT=3
_sessions`;
    const { stdout, stderr, status } = spawnSync("zsh", ["-f", "-c", script], { env, encoding: "utf8" });
    expect({ status: stderr === "" ? 0 : status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toBe("10000000-aaaa:Add a cart: the shop\n10000001-bbbb:It's sorted\n");
    expect(readFileSync(log, "utf8")).toBe("show|10|");
  });
});
