import type { Library } from "../fs/library.ts";
import { findFiles } from "../fs/sources.ts";
import { sessionKey } from "../session/session.ts";
import type { SessionFiles } from "./agent.ts";
import { agents } from "./agents.ts";
import { diskSource } from "./byte-source.ts";

/** A file that changed this recently is being written. */
const RECENT_MS = 10_000;
const REGISTRY_BYTES = 64 * 1024;

/** Keys of the sessions that a running process claims. What a crash left behind names a process that is gone. */
export function runningSessions(library: Library): ReadonlySet<string> {
  const running = new Set<string>();
  const source = diskSource(library.disk);
  for (const { agent, registry } of agents) {
    for (const folder of registry?.folders(library.surroundings) ?? []) {
      for (const { path } of findFiles(library.disk, { folder, depth: 1, extensions: [".json"] }).files) {
        const entry = registry?.read(source.text(path, REGISTRY_BYTES) ?? "");
        if (entry !== undefined && library.isRunning(entry.pid))
          running.add(sessionKey({ agent, id: entry.sessionId }));
      }
    }
  }
  return running;
}

/** `stub`: only fragments of it are left. `kept`, of which only our archive is left, is for others to say. */
export function sessionState(
  library: Library,
  files: SessionFiles,
  running: ReadonlySet<string>,
): "live" | "idle" | "stub" {
  if (!files.files.some((file) => file.role === "main")) return "stub";
  if (running.has(sessionKey(files))) return "live";
  const changedAt = Math.max(...files.files.map((file) => file.mtimeMs));
  return library.now() - changedAt < RECENT_MS && changedAt <= library.now() ? "live" : "idle";
}
