import { Buffer } from "node:buffer";
import { join } from "node:path";
import { makeFolders } from "../fs/folders.ts";
import type { Library } from "../fs/library.ts";

/** A failure that could not be shown to a user: in a hook, or in the background. */
export interface HookFailure {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The hook's event, as in `sessions hook pre-compact`; `guard` for the process in the background. */
  readonly event: string;
  readonly what: string;
}

type Store = Pick<Library, "disk" | "places">;

const MAX_BYTES = 64 * 1024;
const MAX_WHAT_CHARS = 1_000;

/** The files to which failures of hooks are written, and to which older ones are rotated. */
export function hookLogPaths({ places }: Pick<Library, "places">): readonly [newer: string, older: string] {
  const path = join(places.logs, "hooks.log");
  return [path, `${path}.1`];
}

/**
 * Adds a line, in one write at the end of the file, so that concurrent hooks do not mix their lines; readers skip a
 * line that a power cut truncated. Two files of 64 KB are kept at most.
 */
export function noteHookFailure(store: Store, { at, event, what }: HookFailure): void {
  const { disk, places } = store;
  const [path, older] = hookLogPaths(store);
  makeFolders(disk, places.logs);
  if ((disk.stat(path)?.size ?? 0) >= MAX_BYTES) disk.rename(path, older);
  const line = JSON.stringify({ at: new Date(at).toISOString(), event, what: what.slice(0, MAX_WHAT_CHARS) });
  const handle = disk.open(path, "append", 0o600);
  try {
    disk.write(handle, Buffer.from(`${line}\n`));
  } finally {
    disk.close(handle);
  }
}

/** All failures, the oldest first. */
export function readHookFailures(store: Store): readonly HookFailure[] {
  const [newer, older] = hookLogPaths(store);
  return [older, newer].flatMap((path) =>
    (store.disk.readFile(path, 4 * MAX_BYTES)?.toString("utf8") ?? "").split("\n").flatMap(readLine),
  );
}

function readLine(line: string): readonly HookFailure[] {
  if (line === "") return [];
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== "object" || value === null) return [];
    if (!("at" in value) || !("event" in value) || !("what" in value)) return [];
    const { at, event, what } = value;
    if (typeof at !== "string" || typeof event !== "string" || typeof what !== "string") return [];
    const time = Date.parse(at);
    return Number.isNaN(time) ? [] : [{ at: time, event, what }];
  } catch {
    return [];
  }
}
