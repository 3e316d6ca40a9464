import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "sessions-clone-"));
const clone = join(folder, "clone");
const home = join(folder, "home");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const packaged = join(root, "node_modules", ".bin", "deno");
const deno =
  process.versions.deno === undefined ? (existsSync(packaged) ? packaged : undefined) : process.execPath;

interface DenoConfig {
  readonly imports: Readonly<Record<string, string>>;
  readonly tasks: { readonly sessions: string };
}
const config: DenoConfig = JSON.parse(readFileSync(join(root, "deno.json"), "utf8"));

/** How packages are fetched here: certificates, proxies, mirrors. */
const network = Object.fromEntries(
  Object.entries(process.env).filter(([name]) =>
    /^(SSL_|HTTPS?_PROXY|NO_PROXY|NPM_CONFIG_REGISTRY)/i.test(name),
  ),
);

interface Answer {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function sessions(args: readonly string[], cwd: string): Answer {
  const { status, stdout, stderr, error } = spawnSync(
    deno ?? "deno",
    ["task", "--quiet", "sessions", ...args],
    {
      cwd,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        SESSIONS_GUARD: "off",
        ...network,
        // Fetched once for all runs of this test.
        DENO_DIR: join(root, "node_modules", ".cache", "deno"),
        DENO_TLS_CA_STORE: "system",
      },
      encoding: "utf8",
    },
  );
  if (error !== undefined) throw error;
  return { code: status, out: stdout, err: stderr };
}

/** Why it can't be tried here; undefined: it can. */
function whyNot(): string | undefined {
  if (deno === undefined) return "there is no deno in node_modules/.bin";
  for (const path of [clone, home]) mkdirSync(path);
  for (const path of ["src", "fixtures/demo", "package.json", "deno.json"])
    cpSync(join(root, path), join(clone, path), { recursive: true });
  const { code, err } = sessions(["help", "search"], clone);
  return code !== 0 && err.includes("error sending request") ? "packages can't be fetched here" : undefined;
}

const obstacle = whyNot();
if (obstacle !== undefined) console.warn(`deno task sessions is not tested: ${obstacle}`);

describe("deno.json", () => {
  test("lists the permissions that the program gets", () => {
    expect(config.tasks.sessions).not.toMatch(/(?:^|\s)(?:-A|--allow-all|--allow-net(?!=)|--allow-ffi)\b/);
    expect(config.tasks.sessions).toContain("--allow-read --allow-write --allow-env --allow-sys --allow-run");
  });

  test("README.md and docs/TEAM.md name the hosts that it may connect to, and how to add one", () => {
    const hosts = /--allow-net=(\S+)/.exec(config.tasks.sessions)?.[1]?.split(",") ?? [];
    expect(hosts).toHaveLength(2);
    for (const page of ["README.md", "docs/TEAM.md"]) {
      const text = readFileSync(join(root, page), "utf8");
      for (const host of hosts) expect(text).toContain(`\`${host}\``);
      expect(text).toContain("--allow-net");
    }
  });

  test("names every package that the sources import", () => {
    const imported = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .flatMap((path) => [
        ...readFileSync(join(root, "src", path), "utf8").matchAll(/^import (?!type )[^"]*"([^."][^"]*)"/gm),
      ])
      .map(([, name = ""]) => name)
      .filter((name) => !name.startsWith("node:"));
    expect(imported.length).toBeGreaterThan(3);
    const mapped = Object.keys(config.imports);
    const isMapped = (name: string): boolean =>
      mapped.some((key) => (key.endsWith("/") ? name.startsWith(key) : name === key));
    expect(imported.filter((name) => !isMapped(name))).toEqual([]);
  });
});

describe.skipIf(obstacle !== undefined)("deno task sessions, in a clone without node_modules", () => {
  test.each([
    [["search", "token", "refresh"], 0, "87f01b2f-1b5d-461b-8db4-95cd4ce864a4"],
    [["list", "--json"], 0, '"demo":true'],
    [["help", "search"], 0, "Usage: sessions search"],
    [["search", "zuzuzuzu"], 1, ""],
  ])("answers %j", (args, code, says) => {
    const answer = sessions(args, clone);
    expect(answer.err).not.toContain("NotCapable");
    expect(answer).toMatchObject({ code, out: expect.stringContaining(says) });
  });

  test("archives, indexes and verifies with these permissions, and is installed as it is run", () => {
    cpSync(join(root, "fixtures/demo"), home, { recursive: true });
    for (const args of [
      ["index"],
      ["archive"],
      ["verify"],
      ["flatten", "87f01b2f", "--force"],
      ["unflatten", "87f01b2f", "--force"],
      ["doctor"],
    ]) {
      const { code, err } = sessions(args, clone);
      expect(err, args.join(" ")).not.toMatch(/NotCapable|this is a bug/);
      expect([0, 1, 3], args.join(" ")).toContain(code);
    }
    const { out } = sessions(["install", "--dry-run"], clone);
    expect(out).toContain(join(clone, "deno.json"));
    expect(existsSync(join(clone, "node_modules"))).toBe(false);
    expect(existsSync(join(clone, "deno.lock"))).toBe(false);
  });
});

test("the library can be published on JSR: its version is that of the package, and a dry run finds nothing", () => {
  const { version } = JSON.parse(readFileSync(join(root, "deno.json"), "utf8"));
  expect(version).toBe(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version);
  if (deno === undefined)
    return console.warn("deno is missing: the dry run for JSR is skipped (npm install)");
  const { status, stdout, stderr } = spawnSync(deno, ["publish", "--dry-run", "--allow-dirty"], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: home, NO_COLOR: "1", ...network },
    encoding: "utf8",
  });
  expect(`${stdout}${stderr}`).toContain("Dry run complete");
  expect(`${stdout}${stderr}`).not.toMatch(/\bwarning\b/i);
  expect(status).toBe(0);
});
