import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** The bundled program, as it lies in an installed package. */
    readonly bundle: string;
  }
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const lockFolder = join(root, "node_modules", ".sessions-build-lock");
const LOCK_WAIT_MS = 30_000;

/**
 * vitest's global set-up: makes dist/sessions.cjs once per run, unless it is newer than all it is made of, and
 * puts it into a package of its own outside the checkout. There it cannot lean on anything that is not
 * shipped, and no later build pulls it away under the tests.
 * A failed build is told and fails the tests that run the bundle; the others still say what they know.
 */
export default async function buildOnce(project: TestProject): Promise<() => void> {
  const shipped = mkdtempSync(join(tmpdir(), "sessions-package-"));
  const locked = await takeLock();
  try {
    if (isFresh() || build()) ship(shipped);
  } finally {
    if (locked) rmSync(lockFolder, { recursive: true, force: true });
  }
  project.provide("bundle", join(shipped, "dist", "sessions.cjs"));
  return () => rmSync(shipped, { recursive: true, force: true });
}

function isFresh(): boolean {
  const built = timeOf(join(root, "dist", "sessions.cjs"));
  if (built === undefined) return false;
  // Folders count too: their time changes when a file is removed.
  const parts = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  const made = ["package.json", "build.mjs", "src", ...parts.map((part) => join("src", part))];
  return made.every((path) => (timeOf(join(root, path)) ?? 0) < built);
}

function timeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

function build(): boolean {
  const runtime = process.versions.deno === undefined ? [] : ["run", "-A"];
  const built = spawnSync(process.execPath, [...runtime, "build.mjs"], { cwd: root, encoding: "utf8" });
  if (built.status === 0) return true;
  rmSync(join(root, "dist"), { recursive: true, force: true });
  console.error(`build.mjs failed, so there is no program to run:\n${built.stderr}`);
  return false;
}

function ship(folder: string): void {
  cpSync(join(root, "dist"), join(folder, "dist"), { recursive: true });
  copyFileSync(join(root, "package.json"), join(folder, "package.json"));
  symlinkSync(join(root, "fixtures"), join(folder, "fixtures"));
}

/** Two runs at once must not build over each other. A lock that outlives any build is taken for dead. */
async function takeLock(): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < LOCK_WAIT_MS; waitedMs += 100) {
    try {
      mkdirSync(lockFolder);
      return true;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  rmSync(lockFolder, { recursive: true, force: true });
  return false;
}
