import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

export interface Script {
  /** The bundled script. */
  readonly path: string;
  remove(): void;
}

/**
 * Makes one JavaScript file of a TypeScript one, so that a real process of either runtime can run it.
 * The name is relative to this folder.
 */
export function bundleScript(name: string): Script {
  const folder = fs.mkdtempSync(join(tmpdir(), "sessions-script-"));
  const path = join(folder, basename(name).replace(/\.ts$/, ".mjs"));
  buildSync({
    entryPoints: [fileURLToPath(new URL(name, import.meta.url))],
    outfile: path,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "error",
  });
  return { path, remove: () => fs.rmSync(folder, { recursive: true, force: true }) };
}

/** Starts a script with the runtime that runs the tests. */
export function spawnScript(script: string, args: readonly string[]): ChildProcess {
  const flags = process.versions.deno === undefined ? [] : ["run", "-A", "--no-config"];
  return spawn(process.execPath, [...flags, script, ...args], { stdio: ["ignore", "pipe", "pipe"] });
}
