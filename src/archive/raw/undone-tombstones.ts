import { join } from "node:path";
import { isAgent } from "../../agents/agents.ts";
import { ArchiveDamage } from "../../fs/damage.ts";
import type { Disk } from "../../fs/disk.ts";
import { makeFolders } from "../../fs/folders.ts";
import { replaceFile } from "../../fs/replace-file.ts";
import { type LogKey, logKey } from "../../session/session.ts";
import { invalidRecord, readFields, sealJson, unsealJson } from "./sealed-json.ts";

/*
 * `forgotten/undone.json`: sessions of this machine that another machine forgot and that were brought back here. The
 * tombstone of the other machine may stay forever, so the machine that owns the session declares it void.
 */

/** A session whose tombstones on other machines are void. */
export interface UndoneTombstone extends LogKey {
  /** Tombstones set up to this time are void; null until the next sync has seen which exist. */
  readonly until: number | null;
  /** The repository that contains the tombstones. */
  readonly via: string | null;
}

const MAX_BYTES = 16 * 1024 * 1024;

/** Returns none if the file is damaged: then a session is forgotten again, and can be brought back again. */
export function readUndone(disk: Disk, forgotten: string): readonly UndoneTombstone[] {
  const bytes = disk.readFile(join(forgotten, "undone.json"), MAX_BYTES);
  if (bytes === undefined) return [];
  try {
    return readFields(unsealJson(bytes)).list("undone").map(undoneFrom);
  } catch (error) {
    if (error instanceof ArchiveDamage) return [];
    throw error;
  }
}

/** Writes them durably. Requires the store's lock. */
export function writeUndone(disk: Disk, forgotten: string, undone: readonly UndoneTombstone[]): void {
  makeFolders(disk, forgotten);
  replaceFile(disk, join(forgotten, "undone.json"), sealJson({ version: 1, undone }));
}

/** Records that a session that another machine forgot was brought back. */
export function noteUndone(
  disk: Disk,
  forgotten: string,
  { agent, id, copy, via }: Omit<UndoneTombstone, "until">,
): void {
  const others = readUndone(disk, forgotten).filter((each) => logKey(each) !== logKey({ agent, id, copy }));
  writeUndone(disk, forgotten, [...others, { agent, id, copy, until: null, via }]);
}

function undoneFrom(value: unknown): UndoneTombstone {
  const read = readFields(value);
  const agent = read.text("agent");
  if (!isAgent(agent)) return invalidRecord("agent");
  return {
    agent,
    id: read.text("id"),
    copy: read.textOrNull("copy"),
    until: read.numberOrNull("until"),
    via: read.textOrNull("via"),
  };
}
