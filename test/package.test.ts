import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundle } from "./support/run-bundle.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "sessions-installed-"));
const home = join(folder, "home");
const installed = join(folder, "installed");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Manifest {
  readonly version: string;
  readonly files: readonly string[];
  readonly dependencies?: unknown;
}
const manifest: Manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** Without the network, and without what a user has set up. */
function run(program: string, args: readonly string[], cwd: string): { status: number | null; out: string } {
  const env = { PATH: process.env.PATH, HOME: home, SESSIONS_GUARD: "off", npm_config_offline: "true" };
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, env, encoding: "utf8" });
  if (error !== undefined) throw error;
  return { status, out: `${stdout}${status === 0 ? "" : stderr}` };
}

// npm is a program of Node.
describe.skipIf(process.versions.deno !== undefined)("the package", () => {
  let tarball = "";
  beforeAll(() => {
    const source = join(folder, "source");
    for (const path of [source, home, installed]) mkdirSync(path);
    cpSync(join(root, "package.json"), join(source, "package.json"));
    for (const path of manifest.files.filter((each) => each !== "dist" && !each.startsWith("!")))
      cpSync(join(root, path), join(source, path), { recursive: true });
    cpSync(dirname(bundle), join(source, "dist"), { recursive: true });
    const packed = run("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], source);
    expect(packed.status, packed.out).toBe(0);
    tarball = join(folder, packed.out.trim());
    const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", tarball];
    const done = run("npm", args, installed);
    expect(done.status, done.out).toBe(0);
  });

  test("brings nothing along", () => {
    expect(manifest.dependencies).toBeUndefined();
    const names = readdirSync(join(installed, "node_modules")).filter((name) => !name.startsWith("."));
    expect(names).toEqual(["agent-sessions"]);
    expect(existsSync(join(installed, "node_modules", "agent-sessions", "dist", "main.cjs"))).toBe(true);
  });

  test.each([
    [["version"], manifest.version],
    [["help", "search"], "Usage: sessions search"],
    [["search", "token", "refresh"], "87f01b2f-1b5d-461b-8db4-95cd4ce864a4"],
    [["list", "--json"], '"demo":true'],
    [["show", "87f01b2f"], "Fix token refresh race"],
    [["grep", "-F", "single-flight"], "single-flight"],
  ])("runs %j where it is installed", (args, says) => {
    const { status, out } = run(join("node_modules", ".bin", "sessions"), args, installed);
    expect(out).toContain(says);
    expect(status).toBe(0);
  });

  test("runs with npx, from the tarball, without being installed", () => {
    const done = run(
      "npx",
      ["--yes", `--package=${tarball}`, "sessions", "search", "token", "refresh"],
      home,
    );
    expect(done.out).toContain("87f01b2f-1b5d-461b-8db4-95cd4ce864a4");
    expect(done.status).toBe(0);
  });

  test("installed with npm -g, `sessions` is on the PATH, with its man page and the page for the browser", () => {
    const prefix = join(folder, "global");
    const args = ["install", "-g", "--prefix", prefix, "--no-audit", "--no-fund", tarball];
    const done = run("npm", args, home);
    expect(done.status, done.out).toBe(0);
    expect(run(join(prefix, "bin", "sessions"), ["version"], home).out.trim()).toBe(manifest.version);
    expect(run(join(prefix, "bin", "sessions"), ["search", "token", "refresh"], home).out).toContain(
      "87f01b2f",
    );
    expect(run(join(prefix, "bin", "sessions"), ["export", "--help"], home).out).toContain("--site");
    const package_ = join(prefix, "lib", "node_modules", "agent-sessions");
    expect(existsSync(join(package_, "man", "sessions.1"))).toBe(true);
    expect(readdirSync(join(package_, "dist", "web"))).toContain("page.js");
  });

  test("is a library, too", () => {
    const script = 'import("agent-sessions").then((library) => console.log(typeof library.openHistory))';
    expect(run(process.execPath, ["-e", script], installed)).toEqual({ status: 0, out: "function\n" });
  });
});
