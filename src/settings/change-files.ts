import { Buffer } from "node:buffer";
import { dirname } from "node:path";
import { exitCodes, UserError } from "../errors.ts";
import { sameMark } from "../fs/disk.ts";
import { diskError, errorCode } from "../fs/disk-error.ts";
import { makeFolders } from "../fs/folders.ts";
import type { Library } from "../fs/library.ts";
import { replaceFile } from "../fs/replace-file.ts";
import { type Locking, withStore } from "../fs/store.ts";
import { sweepTempFiles } from "../fs/sweep-temp-files.ts";
import { removeSetting } from "./edit-settings.ts";
import { parseSettings, settingAt } from "./parse-settings.ts";
import {
  type FileChange,
  type FileRecord,
  keepBackup,
  readBackup,
  readReceipt,
  sha256,
  writeReceipt,
} from "./receipt.ts";
import {
  applyChange,
  changeName,
  type SettingsChange,
  type SettingsFormat,
  undoChange,
} from "./settings-change.ts";
import { checkEditable, readTextFile, refuseBrokenLink, type TextFile } from "./settings-file.ts";

/**
 * Applies the requested changes to the agents' files. Each file is replaced as a whole, one after the other; a killed run
 * is completed by running it again. If one file must not be changed, none is.
 */
export async function changeFiles(
  library: Library,
  targets: readonly RequestedFile[],
  locking: Locking,
): Promise<readonly FilePlan[]> {
  return withStore(library, locking, () => {
    const plans = planFiles(library, targets);
    for (const plan of inOrder(plans)) act(library, plan);
    return plans;
  });
}

/** What became of several files. */
export interface ChangedFiles {
  /** Those that are as requested now. */
  readonly plans: readonly FilePlan[];
  /** Those that the disk refused. */
  readonly refused: readonly UnusableFile[];
}

/** Does the same for files that do not depend on each other: one that can't be written keeps nobody from the others. */
export async function changeEachFile(
  library: Library,
  targets: readonly RequestedFile[],
  locking: Locking,
): Promise<ChangedFiles> {
  return withStore(library, locking, () => {
    const plans = planFiles(library, targets);
    const refused: UnusableFile[] = [];
    for (const plan of inOrder(plans)) {
      try {
        act(library, plan);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        refused.push({ target: plan.target, error, isOurs: plan.record !== undefined });
      }
    }
    return { plans: plans.filter(({ target }) => refused.every((each) => each.target !== target)), refused };
  });
}

/** Removal goes in reverse order: a folder is created for the first file and then used by the next. */
function inOrder(plans: readonly FilePlan[]): readonly FilePlan[] {
  const [stays, goes] = [plans.filter(isKeeping), plans.filter((plan) => !isKeeping(plan))];
  return [...stays, ...goes.toReversed()];
}

function isKeeping({ changes }: FilePlan): boolean {
  return changes.length > 0;
}

/** Plans the changes without writing anything. */
export function planFiles(library: Library, targets: readonly RequestedFile[]): readonly FilePlan[] {
  return targets.map((target) => planChanges(library, target));
}

export function isSameFile({ before, after }: FilePlan): boolean {
  if (before === undefined || after === undefined) return before === after;
  return Buffer.compare(before, after) === 0;
}

/*
 * Writes in this order: backups of the file as it is and as it was before us; the receipt, with the state before and
 * after; the file. If the process dies at any point, the receipt names the state that the file is in.
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
  const folders = [...(record?.folders ?? []), ...(after === undefined ? [] : missingFolders(library, path))];
  if (!isSameFile(plan) || (changes.length > 0 && !isRecorded(plan))) {
    if (before !== undefined) keep(before);
    const next: FileRecord = {
      path,
      agent: target.agent,
      scope: target.scope,
      original: original === undefined ? null : keep(original),
      now: { changes: [...changes], sha256: digestOf(after) },
      before: { changes: [...plan.presentChanges], sha256: digestOf(before) },
      folders,
      ...(plan.settled.length === 0 ? {} : { settled: plan.settled }),
      at: new Date(library.now()).toISOString(),
    };
    writeReceipt(disk, places, [...others, next]);
    if (!isSameFile(plan)) put(library, plan);
  }
  if (after === undefined) removeFolders(library, folders);
  if (changes.length > 0 || plan.settled.length > 0) return;
  if (record !== undefined || !isSameFile(plan)) writeReceipt(disk, places, others);
}

/** Works even if others changed the file since: the receipt still records which parts are ours. */
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
      : { mode: target.mode ?? (scope === "project" ? 0o644 : 0o600), exclusive: true },
  );
  if (replaced.kind !== "done") throw moved(path);
}

function moved(path: string): UserError {
  return new UserError(`Cannot change ${JSON.stringify(path)}: another program is writing it`, {
    exitCode: exitCodes.refused,
    hint: "run this again",
  });
}

/** Lists the parent folders of a file that do not exist, outermost first. */
function missingFolders({ disk }: Library, path: string): readonly string[] {
  const missing: string[] = [];
  for (let folder = dirname(path); disk.lstat(folder) === undefined; folder = dirname(folder)) {
    if (folder === dirname(folder)) break;
    missing.unshift(folder);
  }
  return missing;
}

/** Removes the folders that were created for a removed file, unless something else is in them. */
function removeFolders({ disk }: Library, folders: readonly string[]): void {
  for (const folder of folders.toReversed()) {
    // Temp files of a killed run would keep our folder from being empty. Nobody else writes there now.
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

/** A file of an agent that this program adds something to. */
export interface RequestedFile {
  readonly path: string;
  readonly agent: FileRecord["agent"];
  readonly scope: FileRecord["scope"];
  /** `content`: the whole file is ours. */
  readonly kind: "settings" | "content";
  /** Of settings; JSON if absent. */
  readonly format?: SettingsFormat;
  /** Of a new file; absent: only the user can read it, unless it is a project's. */
  readonly mode?: number;
  /** Returns our changes that the file should have from now on, given those that it has. */
  readonly changesFor: (present: readonly FileChange[]) => readonly FileChange[];
  /** For `content`. */
  readonly text?: string;
  /** A name for a file of ours, for people: "a skill". */
  readonly what?: string;
  /** A change to a value that is not ours, requested by the user. */
  readonly editOriginal?: (text: string) => string;
  /**
   * A value to reset to what it was before us, or to remove if it never was ours. Values that were reset before are
   * left alone, so that running this twice is the same as once.
   */
  readonly resets?: string;
}

type Bytes = Uint8Array | undefined;

/** The action for one file, and how to undo it. */
export interface FilePlan {
  readonly target: RequestedFile;
  readonly file: TextFile;
  /** undefined if the file does not or will not exist. */
  readonly before: Bytes;
  readonly after: Bytes;
  readonly original: Bytes;
  readonly changes: readonly FileChange[];
  readonly presentChanges: readonly FileChange[];
  readonly record: FileRecord | undefined;
  /** The user's own values, which stay. */
  readonly settled: readonly string[];
  /** The file is not ours, or others have changed it: it stays. */
  readonly foreign: boolean;
}

/**
 * Plans a file from its original and the changes to apply. If the file is still what we wrote, the original itself is
 * the base, so that undoing leaves no trace. If others changed it since, the base is their version without our entries.
 */
function planChanges(library: Library, target: RequestedFile): FilePlan {
  const file = readTextFile(library.disk, target.path);
  if (file.kind === "absent") refuseBrokenLink(library.disk, target.path);
  checkEditable(file, target.kind === "settings" ? (target.format ?? "json") : undefined);
  const records = readReceipt(library.disk, library.places);
  const record = records.find(({ path }) => path === target.path);
  const before = file.kind === "read" ? file.bytes : undefined;
  const present = presentChanges(record, before);
  const given: Given = {
    target,
    file,
    record,
    before,
    present,
    requested: target.changesFor(present),
    isIntact: isIntact(record, before),
    kept: originalOf(library, record),
  };
  try {
    return target.kind === "content" ? planContent(given) : planSettings(given);
  } catch (error) {
    throw error instanceof UserError ? withPath(error, target.path) : error;
  }
}

/** Adds the path to an error, because code that edits a text does not know its file. */
function withPath(error: UserError, path: string): UserError {
  const { message, exitCode, hint } = error;
  if (message.includes(path)) return error;
  const named = message.replace(
    /^Cannot change (?:the settings: )?/,
    `Cannot change the settings: ${path}: `,
  );
  return new UserError(named, {
    exitCode,
    ...(hint === undefined ? {} : { hint }),
    cause: error,
  });
}

/** A file that can't be changed, and why. */
export interface UnusableFile {
  readonly target: RequestedFile;
  readonly error: UserError;
  /** Something of ours is in it, as the receipt says. */
  readonly isOurs: boolean;
}

/** Finds the files that can't be changed: broken ones, those that can't be read, and those that can't be written. */
export function findUnusable(library: Library, targets: readonly RequestedFile[]): readonly UnusableFile[] {
  const records = readReceipt(library.disk, library.places);
  return targets.flatMap((target) => {
    try {
      planChanges(library, target);
      return [];
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return [{ target, error, isOurs: records.some(({ path }) => path === target.path) }];
    }
  });
}

interface Given {
  readonly target: RequestedFile;
  readonly file: TextFile;
  readonly record: FileRecord | undefined;
  readonly before: Bytes;
  readonly present: readonly FileChange[];
  readonly requested: readonly FileChange[];
  /** The file is in a state that the receipt names. */
  readonly isIntact: boolean;
  /** undefined if the original is not known. */
  readonly kept: { readonly bytes: Bytes } | undefined;
}

/** Finds which of the receipt's states the file is in. If it is in none of them, others have changed it. */
function presentChanges(record: FileRecord | undefined, before: Bytes): readonly FileChange[] {
  if (record === undefined) return [];
  const digest = before === undefined ? null : sha256(before);
  if (digest === record.now.sha256) return record.now.changes;
  if (digest === record.before.sha256) return record.before.changes;
  if (digest === (record.original?.sha256 ?? null)) return [];
  return record.now.changes;
}

function isIntact(record: FileRecord | undefined, before: Bytes): boolean {
  const digest = before === undefined ? null : sha256(before);
  const known = [record?.now.sha256, record?.before.sha256, record?.original?.sha256 ?? null];
  return record !== undefined && known.includes(digest);
}

function originalOf(
  { disk, places }: Library,
  record: FileRecord | undefined,
): { readonly bytes: Bytes } | undefined {
  if (record === undefined) return undefined;
  if (record.original === null) return { bytes: undefined };
  const bytes = readBackup(disk, places, record.original.backup, record.original.sha256);
  return bytes === undefined ? undefined : { bytes };
}

function planSettings({ target, file, record, before, present, requested, isIntact, kept }: Given): FilePlan {
  const bom = file.kind === "read" ? file.bom : "";
  const text = file.kind === "read" ? file.text : "";
  const { resets } = target;
  const known = isIntact ? (record?.settled ?? []) : [];
  const isOurs = present.some((change) => nameOfChange(change) === resets);
  const hasReset = resets !== undefined && (isOurs || known.includes(resets));
  const edit = (original: string): string => {
    const rest = resets === undefined || hasReset ? original : removeSetting(original, [resets]);
    return target.editOriginal?.(rest) ?? rest;
  };
  const isRequested = (name: string): boolean => requested.some((change) => nameOfChange(change) === name);
  const settled = [...known, ...(hasReset ? [resets] : [])].filter((name) => !isRequested(name));
  const common = { target, file, before, presentChanges: present, record, foreign: false };
  const plan = (original: Bytes): FilePlan => {
    const unchanged = textOf(original);
    const edited = edit(unchanged);
    // A value that was there before is not ours.
    const changes = requested.filter((change) => applied(edited, change) !== edited);
    const base = edited === unchanged ? original : encodeText(edited, bom);
    const after = changes.length === 0 ? base : encodeText(changes.reduce(applied, edited), bom);
    const stays = (name: string): boolean => {
      const own = parseSettings(edited);
      return own.kind === "parsed" && settingAt(own, [name]) !== undefined;
    };
    return { ...common, original: base, changes, after, settled: [...new Set(settled)].filter(stays) };
  };
  if (isIntact && kept !== undefined) return plan(kept.bytes);
  // Changed by others since, or never ours.
  const isAsRequested = present.length > 0 && edit(text) === text && requested.reduce(applied, text) === text;
  const isDropping = present.some(
    (change) => !requested.some((each) => nameOfChange(each) === nameOfChange(change)),
  );
  if (isAsRequested && !isDropping)
    return { ...common, after: before, original: before, changes: requested, settled };
  const first = textOf(kept?.bytes);
  const withoutOurs = present.reduceRight((rest, change) => undone(rest, change, first), text);
  return plan(withoutOurs === text ? before : encodeText(withoutOurs, bom));
}

function planContent({ target, file, record, before, present, requested, isIntact, kept }: Given): FilePlan {
  const common = { target, file, before, presentChanges: present, record, settled: [] };
  const text = Buffer.from(target.text ?? "");
  const isOurs = before === undefined || isIntact || Buffer.compare(before, text) === 0;
  if (!isOurs) return { ...common, after: before, original: before, changes: [], foreign: true };
  const original = isIntact ? kept?.bytes : undefined;
  const after = requested.some(({ kind }) => kind === "content") ? text : original;
  return { ...common, after, original, changes: requested, foreign: false };
}

function applied(text: string, change: FileChange): string {
  return isOfContent(change) ? text : applyChange(text, change);
}

function undone(text: string, change: FileChange, original: string): string {
  return isOfContent(change) ? text : undoChange(text, change, original);
}

export function nameOfChange(change: FileChange): string {
  return isOfContent(change) ? "content" : changeName(change);
}

/** Whether the change concerns the whole file. */
function isOfContent(change: FileChange): change is Exclude<FileChange, SettingsChange> {
  return change.kind === "content" || change.kind === "elsewhere";
}

/** Compares without a BOM: an editor may have removed or added one since. */
function textOf(bytes: Bytes): string {
  return bytes === undefined
    ? ""
    : Buffer.from(bytes)
        .toString("utf8")
        .replace(/^\ufeff/, "");
}

function encodeText(text: string, bom: string): Uint8Array {
  return Buffer.from(bom + text);
}
