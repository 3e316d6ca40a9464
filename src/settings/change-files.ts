import { Buffer } from "node:buffer";
import { dirname } from "node:path";
import { exitCodes, UserError } from "../errors.ts";
import { sameMark } from "../fs/disk.ts";
import { diskError, errorCode } from "../fs/disk-error.ts";
import type { Library } from "../fs/library.ts";
import { makeFolders } from "../fs/make-folders.ts";
import { replaceFile } from "../fs/replace-file.ts";
import { sweepTempFiles } from "../fs/sweep-temp-files.ts";
import { type Locking, withStore } from "../fs/with-store.ts";
import { type FilePlan, planFile, type WantedFile } from "./plan-file.ts";
import { type FileRecord, keepBackup, readReceipt, sha256, writeReceipt } from "./receipt.ts";

/**
 * Brings files of agents to what is wanted. One file after the other, each whole: who is killed in between is
 * brought to the end by running it again. A file that must not be changed stops it before anything is.
 */
export async function changeFiles(
  library: Library,
  targets: readonly WantedFile[],
  locking: Locking,
): Promise<readonly FilePlan[]> {
  return withStore(library, locking, () => {
    const plans = targets.map((target) => planFile(library, target));
    // What is taken back goes the other way round: folders are made for the first file, and used by the next.
    const [stays, goes] = [plans.filter(isKeeping), plans.filter((plan) => !isKeeping(plan))];
    for (const plan of [...stays, ...goes.toReversed()]) act(library, plan);
    return plans;
  });
}

function isKeeping({ changes }: FilePlan): boolean {
  return changes.length > 0;
}

/** What would be done. Reads, and changes nothing. */
export function planFiles(library: Library, targets: readonly WantedFile[]): readonly FilePlan[] {
  return targets.map((target) => planFile(library, target));
}

export function isSame({ before, after }: FilePlan): boolean {
  if (before === undefined || after === undefined) return before === after;
  return Buffer.compare(before, after) === 0;
}

/*
 * In this order: a copy of the file as it is and as it was before us; the receipt, with the state before and the
 * state after; the file. Whenever this ends, the receipt names the state that the file is in.
 */
function act(library: Library, plan: FilePlan): void {
  const { disk, places } = library;
  const { target, record, before, after, original, changes } = plan;
  const { path } = target;
  if (plan.foreign) return;
  sweepTempFiles(disk, dirname(path), { now: library.now() });
  const others = readReceipt(disk, places).filter((each) => each.path !== path);
  const keep = (bytes: Uint8Array): { backup: string; sha256: string } => ({
    backup: keepBackup(disk, places, { path, bytes }, library.now()),
    sha256: sha256(bytes),
  });
  const folders = [...(record?.folders ?? []), ...missingFolders(library, path)];
  if (!isSame(plan) || (changes.length > 0 && !isRecorded(plan))) {
    if (before !== undefined) keep(before);
    const next: FileRecord = {
      ...{ path, agent: target.agent, scope: target.scope },
      original: original === undefined ? null : keep(original),
      now: { changes: [...changes], sha256: digestOf(after) },
      before: { changes: [...plan.presentChanges], sha256: digestOf(before) },
      folders,
      ...(plan.settled.length === 0 ? {} : { settled: plan.settled }),
      at: new Date(library.now()).toISOString(),
    };
    writeReceipt(disk, places, [...others, next]);
    if (!isSame(plan)) put(library, plan);
  }
  if (changes.length > 0 || plan.settled.length > 0) return;
  if (after === undefined) removeFolders(library, folders);
  if (record !== undefined || !isSame(plan)) writeReceipt(disk, places, others);
}

/** Also where others changed the file since: the receipt still tells what of it is ours. */
function isRecorded({ record, changes }: FilePlan): boolean {
  return record !== undefined && JSON.stringify(record.now.changes) === JSON.stringify(changes);
}

function put(library: Library, { target, file, after }: FilePlan): void {
  const { disk } = library;
  const { path, scope } = target;
  if (after === undefined) {
    const found = disk.stat(path);
    if (file.kind !== "read" || found === undefined || !sameMark(found, file.stat)) throw moved(path);
    try {
      disk.unlink(path);
      disk.fsyncFolder(dirname(path));
    } catch (error) {
      throw diskError("remove", path, error);
    }
    return;
  }
  makeFolders(disk, dirname(path));
  const replaced = replaceFile(
    disk,
    path,
    after,
    file.kind === "read"
      ? { mode: "keep", expect: file.stat }
      : { mode: scope === "project" ? 0o644 : 0o600, exclusive: true },
  );
  if (replaced.kind !== "done") throw moved(path);
}

function moved(path: string): UserError {
  return new UserError(`Cannot change ${JSON.stringify(path)}: another program is writing it`, {
    exitCode: exitCodes.refused,
    hint: "run this again",
  });
}

/** Those above a file that do not exist, the outermost first. */
function missingFolders({ disk }: Library, path: string): readonly string[] {
  const missing: string[] = [];
  for (let folder = dirname(path); disk.lstat(folder) === undefined; folder = dirname(folder)) {
    if (folder === dirname(folder)) break;
    missing.unshift(folder);
  }
  return missing;
}

/** Those that were made for a file which is gone, as far as nobody else uses them. */
function removeFolders({ disk }: Library, folders: readonly string[]): void {
  for (const folder of folders.toReversed()) {
    // What a killed run left in a folder of ours would keep it. Nobody else writes there now.
    sweepTempFiles(disk, folder, { now: Number.POSITIVE_INFINITY });
    try {
      disk.rmdir(folder);
      disk.fsyncFolder(dirname(folder));
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
    }
  }
}

function digestOf(bytes: Uint8Array | undefined): string | null {
  return bytes === undefined ? null : sha256(bytes);
}
