import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Put together here, so that this file does not name them either. */
const hosts: readonly string[] = [
  ["npmjs", "org"],
  ["npmjs", "com"],
  ["yarnpkg", "com"],
  ["unpkg", "com"],
  ["jsdelivr", "net"],
  ["esm", "sh"],
  ["jsr", "io"],
  ["pypi", "org"],
  ["pypi", "python", "org"],
  ["pythonhosted", "org"],
  ["crates", "io"],
  ["rubygems", "org"],
  ["packagist", "org"],
  ["nuget", "org"],
  ["golang", "org"],
  ["pkg", "go", "dev"],
  ["maven", "org"],
  ["ghcr", "io"],
  ["docker", "io"],
  ["quay", "io"],
  ["hex", "pm"],
  ["pub", "dev"],
].map((parts) => parts.join("."));

const named = new RegExp(
  `(?<![\\w-])(?:[\\w-]+\\.)*(?:${hosts.map((host) => host.replaceAll(".", "\\.")).join("|")})(?![\\w-])`,
  "gi",
);

const IGNORED: ReadonlySet<string> = new Set([".git", "node_modules", "dist", "coverage"]);

/** All files that are tracked; without git, all but what is made. */
function filesOfRepository(): readonly string[] {
  try {
    const listed = execFileSync("git", ["ls-files", "-z"], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return listed.split("\0").filter((path) => path !== "");
  } catch {
    const walk = (folder: string): readonly string[] =>
      readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
        if (IGNORED.has(entry.name)) return [];
        const path = join(folder, entry.name);
        if (entry.isDirectory()) return walk(path);
        return entry.isFile() ? [path] : [];
      });
    return walk("");
  }
}

test("no file of the repository names the host of a package registry", () => {
  const files = filesOfRepository();
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((path) => {
    let text: string;
    try {
      text = readFileSync(join(root, path), "utf8");
    } catch (error) {
      // Deleted, and not yet committed.
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
      throw error;
    }
    return text
      .split("\n")
      .flatMap((line, at) => (line.match(named) ?? []).map((host) => `${path}:${at + 1}: ${host}`));
  });
  expect(found).toEqual([]);
});
