import { basename, isAbsolute, join } from "node:path";
import { readFields, sealJson, unsealJson } from "../archive/raw/sealed-json.ts";
import { ArchiveDamage } from "../fs/damage.ts";
import type { Disk } from "../fs/disk.ts";
import { makeFolders, namesIn } from "../fs/folders.ts";
import { removeQuietly } from "../fs/lock.ts";
import { isSecondName, isTempName, replaceFile } from "../fs/replace-file.ts";

/*
 *   rewrites/open/<temp name>.json    a log is being replaced; the next run completes what a killed one began
 */

/** Everything needed to complete a replacement after its process was killed. */
export interface JournalRecord {
  /** The log, with no link on the way. */
  readonly path: string;
  /** Names of files next to it that are removed at the end. */
  readonly temps: readonly string[];
  /** A second name (hard link) of the old file, to which lines may still be appended; null if there is none. */
  readonly old: string | null;
  /** How many bytes of the old file the plan covers, and how many bytes replace them. */
  readonly plannedTo: number;
  readonly made: number;
  /** The new file; null as long as it is being written. */
  readonly inode: number | null;
  /** Order among open replacements of the same log: the latest is completed first. */
  readonly round: number;
}

const MAX_BYTES = 1024 * 1024;

export interface Journal {
  update(record: JournalRecord): void;
  close(): void;
}

/** Opens the journal of a temp file that will replace nothing: after a crash it is removed. */
export function openTempJournal(disk: Disk, rewrites: string, path: string, temp: string): Journal {
  const nothingYet = { old: null, plannedTo: 0, made: 0, inode: null, round: 0 };
  return openJournal(disk, rewrites, { path, temps: [basename(temp)], ...nothingYet });
}

/** Writes the journal before any file is created next to the log. Durable when it returns. */
export function openJournal(disk: Disk, rewrites: string, record: JournalRecord): Journal {
  const folder = openFolder(rewrites);
  makeFolders(disk, folder);
  const path = join(folder, `${basename(record.temps[0] ?? "")}.json`);
  const update = (now: JournalRecord): void => {
    replaceFile(disk, path, sealJson({ version: 1, ...now }));
  };
  update(record);
  return {
    update,
    close: () => {
      removeQuietly(disk, path);
      disk.fsyncFolder(folder);
    },
  };
}

export interface OpenedJournal {
  readonly path: string;
  readonly record: JournalRecord;
  readonly close: () => void;
}

/** Lists replacements that killed processes left, latest first. One whose record cannot be read is left alone. */
export function readJournals(disk: Disk, rewrites: string): readonly OpenedJournal[] {
  const folder = openFolder(rewrites);
  const found: OpenedJournal[] = [];
  for (const name of namesIn(disk, folder)) {
    if (!name.endsWith(".json")) continue;
    const path = join(folder, name);
    const record = readRecord(disk, path);
    if (record === undefined) continue;
    found.push({
      path,
      record,
      close: () => {
        removeQuietly(disk, path);
        disk.fsyncFolder(folder);
      },
    });
  }
  return found.sort((a, b) => b.record.round - a.record.round);
}

function openFolder(rewrites: string): string {
  return join(rewrites, "open");
}

function readRecord(disk: Disk, path: string): JournalRecord | undefined {
  try {
    const bytes = disk.readFile(path, MAX_BYTES);
    if (bytes === undefined) return undefined;
    const fields = readFields(unsealJson(bytes));
    const log = fields.text("path");
    const temps = fields.list("temps").filter((name) => typeof name === "string");
    const old = fields.textOrNull("old");
    // Files next to the log are removed by these names, so only names of temp files are accepted.
    if (!isAbsolute(log) || !temps.every(isTempName)) return undefined;
    if (old !== null && !isSecondName(old)) return undefined;
    return {
      path: log,
      temps,
      old,
      plannedTo: fields.count("plannedTo"),
      made: fields.count("made"),
      inode: fields.numberOrNull("inode"),
      round: fields.count("round"),
    };
  } catch (error) {
    if (error instanceof ArchiveDamage) return undefined;
    throw error;
  }
}
