import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** Kept between runs, beside the code and ignored by git: unpacking takes longer than many a test. */
const unpacked = fileURLToPath(new URL("../../../.tmp", import.meta.url));
const archive = fileURLToPath(new URL("../../../../shared/data/real-home.tar.xz", import.meta.url));

/**
 * The folder with real logs, to be used as HOME and never written to: SESSIONS_REAL_HOME where it is set,
 * else the archive beside the checkout, unpacked once per version of it. Without either the suite fails:
 * a suite that passes on nothing says nothing.
 */
export function realHome(): string {
  const given = process.env.SESSIONS_REAL_HOME;
  if (given !== undefined && given !== "") return mustHoldLogs(given);
  if (!existsSync(archive)) {
    throw new Error(`Cannot run over real logs: ${archive} is missing, and SESSIONS_REAL_HOME is not set`);
  }
  const { size, mtimeMs } = statSync(archive);
  const home = join(unpacked, `real-home-${size}-${Math.floor(mtimeMs)}`);
  if (!existsSync(home)) unpackInto(home);
  return mustHoldLogs(home);
}

/** Unpacked beside its final place and renamed, so that a run that was ended leaves no half of it. */
function unpackInto(home: string): void {
  mkdirSync(unpacked, { recursive: true });
  const part = mkdtempSync(`${home}.part-`);
  const tar = spawnSync("tar", ["-xJf", archive, "-C", part], { encoding: "utf8" });
  if (tar.status !== 0) {
    rmSync(part, { recursive: true, force: true });
    throw new Error(`Cannot unpack ${archive}: ${tar.stderr || String(tar.error)}`);
  }
  try {
    renameSync(part, home);
  } catch (error) {
    // Another run was faster; its folder is as good.
    rmSync(part, { recursive: true, force: true });
    if (!existsSync(home)) throw error;
  }
}

function mustHoldLogs(home: string): string {
  if (!existsSync(join(home, ".claude", "projects"))) {
    throw new Error(`Cannot run over real logs: ${home} has no .claude/projects`);
  }
  return home;
}

/** A folder for one run's own files; `remove` it afterwards. */
export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "sessions-real-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
