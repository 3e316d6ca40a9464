import { join } from "node:path";
import { makeFolders } from "../fs/folders.ts";
import type { Library } from "../fs/library.ts";
import { replaceFile } from "../fs/replace-file.ts";
import { tryParse } from "../jsonl/json-line.ts";

const MAX_BYTES = 64 * 1024;
const MINUTE_MS = 60_000;

/**
 * Whether it is time to sync with a remote in the background. If so, that is recorded in `logs/sync.json`: if the
 * sync fails, it is tried again at the next due time. A clock that was set back must not stop syncing forever.
 */
export function claimSync({ disk, places, config, now }: Library, remote: string): boolean {
  const path = join(places.logs, "sync.json");
  const stamps = readStamps(disk.readFile(path, MAX_BYTES)?.toString("utf8") ?? "");
  const sinceMs = now() - (stamps[remote] ?? Number.NEGATIVE_INFINITY);
  if (sinceMs >= 0 && sinceMs < config.sync.everyMinutes * MINUTE_MS) return false;
  makeFolders(disk, places.logs);
  replaceFile(disk, path, `${JSON.stringify({ ...stamps, [remote]: now() })}\n`);
  return true;
}

/** Records that a sync with a remote, or a push to it, ended well: `logs/synced.json`. */
export function noteSynced({ disk, places, now }: Library, remote: string): void {
  const path = join(places.logs, "synced.json");
  makeFolders(disk, places.logs);
  const stamps = readStamps(disk.readFile(path, MAX_BYTES)?.toString("utf8") ?? "");
  replaceFile(disk, path, `${JSON.stringify({ ...stamps, [remote]: now() })}\n`);
}

/** When this machine last synced with a remote, or pushed to it, in milliseconds since 1970; by the remote's name. */
export function lastSyncs({ disk, places }: Library): ReadonlyMap<string, number> {
  const text = disk.readFile(join(places.logs, "synced.json"), MAX_BYTES)?.toString("utf8") ?? "";
  return new Map(Object.entries(readStamps(text)));
}

function readStamps(text: string): Readonly<Record<string, number>> {
  const value = tryParse(text);
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
  );
}
