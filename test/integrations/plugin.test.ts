import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { makePluginFiles } from "../../scripts/make-plugin.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { bundle } from "../support/run-bundle.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("the plugin is up to date with what `sessions install` installs (`npm run plugin`)", () => {
  const files = makePluginFiles();
  for (const [path, text] of files) expect(readFileSync(join(root, path), "utf8"), path).toBe(text);
  const byHand = ["README.md", "scripts/sessions.sh", ".claude-plugin/icon.png"].map(
    (path) => `plugin/${path}`,
  );
  const found = readdirSync(join(root, "plugin"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(root.length));
  const made = [...files.keys()].filter((path) => path.startsWith("plugin/"));
  expect(found.toSorted()).toEqual([...made, ...byHand].toSorted());
});

/** Runs the plugin's script as an agent would, with nothing but these folders on the PATH. */
function runScript(
  script: string,
  args: readonly string[],
  path: readonly string[],
): { readonly status: number | null; readonly out: string; readonly err: string } {
  const home = temporaryFolder();
  const { status, stdout, stderr } = spawnSync("/bin/sh", [script, ...args], {
    env: { PATH: path.join(":"), HOME: home, SESSIONS_GUARD: "off" },
    encoding: "utf8",
  });
  return { status, out: stdout, err: stderr };
}

/** A folder with the plugin, one with the tools that its script needs, and one with a program of that name. */
function ground(exitCode: number): {
  readonly script: string;
  readonly whole: string;
  readonly tools: string;
  readonly program: string;
} {
  const [whole, tools, program] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  for (const name of ["dirname", "sed"]) symlinkSync(`/usr/bin/${name}`, join(tools, name));
  cpSync(join(root, "plugin"), join(whole, "plugin"), { recursive: true });
  writeFileSync(join(program, "sessions"), `#!/bin/sh\necho "ran: $*"\nexit ${exitCode}\n`);
  chmodSync(join(program, "sessions"), 0o755);
  return { script: join(whole, "plugin", "scripts", "sessions.sh"), whole, tools, program };
}

describe("the script that finds the program", () => {
  test("without the program a new session says what to install, and hooks are silent and succeed", () => {
    const { script, tools } = ground(0);
    const { status, out } = runScript(script, ["hook", "session-start"], [tools]);
    expect(status).toBe(0);
    expect(JSON.parse(out)).toEqual({
      systemMessage: expect.stringContaining("npm install -g agent-sessions"),
    });
    for (const event of ["pre-compact", "post-compact", "session-end"])
      expect(runScript(script, ["hook", event], [tools])).toEqual({ status: 0, out: "", err: "" });
    expect(runScript(script, ["compact", "last"], [tools])).toMatchObject({
      status: 127,
      err: expect.stringContaining("npm install -g agent-sessions"),
    });
  });

  test("runs the program on the PATH; a hook that fails does not stop the agent", () => {
    const { script, tools, program } = ground(2);
    expect(runScript(script, ["hook", "pre-compact", "--plugin", "claude"], [tools, program])).toEqual({
      status: 0,
      out: "ran: hook pre-compact --plugin claude\n",
      err: "",
    });
    expect(runScript(script, ["compact", "a b"], [tools, program])).toMatchObject({
      status: 2,
      out: "ran: compact a b\n",
    });
  });

  // The program that it would run is Node's.
  test.skipIf(process.versions.deno !== undefined)("prefers the program that the plugin came with", () => {
    const { script, whole, tools, program } = ground(0);
    mkdirSync(join(whole, "bin"));
    symlinkSync(process.execPath, join(whole, "bin", "node"));
    symlinkSync(dirname(bundle), join(whole, "dist"));
    const { status, out } = runScript(script, ["version"], [tools, program, join(whole, "bin")]);
    expect(status).toBe(0);
    expect(out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
