import type { Library } from "../fs/library.ts";
import { findFiles } from "../fs/sources.ts";
import { sessionKey } from "../session/session.ts";
import type { SessionFiles } from "./agent.ts";
import { agents } from "./agents.ts";
import { diskSource } from "./byte-source.ts";

/** A file that changed this recently is being written. */
const RECENT_MS = 10_000;
const REGISTRY_BYTES = 64 * 1024;

/** Lists the keys of sessions that a running process claims. Entries of dead processes are ignored. */
export function runningSessions(library: Library): ReadonlySet<string> {
  const running = new Set<string>();
  const source = diskSource(library.disk);
  for (const { name: agent, registry } of agents) {
    for (const folder of registry?.folders(library.environment) ?? []) {
      for (const { path } of findFiles(library.disk, { folder, depth: 1, extensions: [".json"] }).files) {
        const entry = registry?.read(source.text(path, REGISTRY_BYTES) ?? "");
        if (entry !== undefined && library.isRunning(entry.pid))
          running.add(sessionKey({ agent, id: entry.sessionId }));
      }
    }
  }
  return running;
}

/** Whether a file was just written, by its mtime. An mtime in the future proves nothing: see `mayBeWritten`. */
export function isBeingWritten(mtimeMs: number, nowMs: number): boolean {
  return mtimeMs <= nowMs && mayBeWritten(mtimeMs, nowMs);
}

/** The same for a rewrite, which must be certain: a file with an mtime in the future may have been written just now. */
export function mayBeWritten(mtimeMs: number, nowMs: number): boolean {
  return nowMs - mtimeMs < RECENT_MS;
}

/** The state of a session whose files exist. `stub`: only fragments of it are left. */
export function sessionState(
  library: Library,
  files: SessionFiles,
  running: ReadonlySet<string>,
): "live" | "idle" | "stub" {
  if (!files.files.some((file) => file.role === "main")) return "stub";
  if (running.has(sessionKey(files))) return "live";
  const changedAt = Math.max(...files.files.map((file) => file.mtimeMs));
  return isBeingWritten(changedAt, library.now()) ? "live" : "idle";
}
