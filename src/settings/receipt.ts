import { createHash } from "node:crypto";
import { basename, isAbsolute, join, resolve } from "node:path";
import * as z from "zod/mini";
import { exitCodes, UserError } from "../errors.ts";
import type { Disk } from "../fs/disk.ts";
import { diskError } from "../fs/disk-error.ts";
import { makeFolders } from "../fs/folders.ts";
import { insideOf, type Places } from "../fs/places.ts";
import { replaceFile } from "../fs/replace-file.ts";
import { tryParse } from "../jsonl/json-line.ts";
import type { SettingsChange } from "./settings-change.ts";

/*
 * The receipt says what this program wrote into files of others, so that it can be taken back. It is written
 * before such a file is: which of the states that it names a file is in, the file's own hash tells.
 */

/** Something of ours in a file. `content`: the whole file is ours. */
export type FileChange = SettingsChange | { readonly kind: "content"; readonly sha256: string };

export interface FileState {
  readonly changes: readonly FileChange[];
  /** Of the whole file then; null if there was none. */
  readonly sha256: string | null;
}

export interface FileRecord {
  readonly path: string;
  /** Whose file it is: the short name of an agent. */
  readonly agent: string;
  readonly scope: "user" | "project";
  /** The file before us: a name in `backups/`; null if there was none. */
  readonly original: { readonly backup: string; readonly sha256: string } | null;
  /** What it is to be, and what it was before the last step. */
  readonly now: FileState;
  readonly before: FileState;
  /** Folders that were made for it, the outermost first. */
  readonly folders: readonly string[];
  /** Values that were given back to the user, whose own they are from then on. */
  readonly settled?: readonly string[] | undefined;
  /** ISO 8601. */
  readonly at: string;
}

const hookSchema = z.object({
  kind: z.literal("hook"),
  event: z.string(),
  matcher: z.optional(z.string()),
  command: z.string(),
  args: z.array(z.string()),
  timeoutSeconds: z.number(),
});
const settingSchema = z.object({
  kind: z.literal("value"),
  key: z.string(),
  value: z.number(),
  by: z.enum(["install", "retention"]),
});
const contentSchema = z.object({ kind: z.literal("content"), sha256: z.string() });
const stateSchema = z.object({
  changes: z.array(z.discriminatedUnion("kind", [hookSchema, settingSchema, contentSchema])),
  sha256: z.nullable(z.string()),
});
const recordSchema = z.object({
  path: z.string(),
  agent: z.string(),
  scope: z.enum(["user", "project"]),
  original: z.nullable(z.object({ backup: z.string(), sha256: z.string() })),
  now: stateSchema,
  before: stateSchema,
  folders: z.array(z.string()),
  settled: z.optional(z.array(z.string())),
  at: z.string(),
});
const receiptSchema = z.object({ version: z.literal(1), files: z.array(recordSchema) });

function checkReceipt(value: unknown): readonly FileRecord[] | undefined {
  const result = receiptSchema.safeParse(value);
  return result.success ? result.data.files : undefined;
}

/** Settings of agents, and skills. */
const OWN_PLACE = /[/\\](?:settings(?:\.local)?\.json|skills[/\\][\w-]+[/\\]SKILL\.md)$/;

/** Is it one of the files that we write, with folders above it? Whoever changes the receipt must not choose others. */
function isConfined({ path, folders, original }: FileRecord): boolean {
  if (!isAbsolute(path) || resolve(path) !== path || path.includes("\0") || !OWN_PLACE.test(path))
    return false;
  if (original !== null && basename(original.backup) !== original.backup) return false;
  return folders.every((folder) => insideOf(folder, path));
}

const MAX_RECEIPT_BYTES = 4 * 1024 * 1024;

/** What was written into files of others; nothing if there is no receipt. A broken one is a UserError. */
export function readReceipt(disk: Disk, places: Pick<Places, "receipt">): readonly FileRecord[] {
  const path = places.receipt;
  let text: string | undefined;
  try {
    text = disk.readFile(path, MAX_RECEIPT_BYTES)?.toString("utf8");
  } catch (error) {
    throw diskError("read", path, error);
  }
  if (text === undefined) return [];
  const files = checkReceipt(tryParse(text));
  if (files?.every(isConfined) === true) return files;
  const what = files === undefined ? "it is damaged" : "it names files that this program never writes";
  throw new UserError(`Cannot read the receipt ${JSON.stringify(path)}: ${what}`, {
    exitCode: exitCodes.broken,
    hint: "move it away; `sessions uninstall` then still takes out the hooks that it recognises",
  });
}

/** Durable when it returns. */
export function writeReceipt(
  disk: Disk,
  places: Pick<Places, "receipt">,
  files: readonly FileRecord[],
): void {
  replaceFile(disk, places.receipt, `${JSON.stringify({ version: 1, files }, undefined, 2)}\n`);
}

/** Keeps a file as it was. The same bytes are kept once. Returns the name of the copy. */
export function keepBackup(
  disk: Disk,
  places: Pick<Places, "backups">,
  file: { readonly path: string; readonly bytes: Uint8Array },
  now: number,
): string {
  const folder = places.backups;
  makeFolders(disk, folder);
  const digest = sha256(file.bytes);
  const ending = `_${digest.slice(0, 16)}_${basename(file.path)}`;
  const present = disk.readdir(folder).find(({ name }) => name.endsWith(ending));
  if (present !== undefined && readBackup(disk, places, present.name, digest) !== undefined)
    return present.name;
  const name = `${new Date(now).toISOString().slice(0, 19).replaceAll(":", "-")}${ending}`;
  replaceFile(disk, join(folder, name), file.bytes);
  return name;
}

/** undefined if it is gone, or no longer what it was. */
export function readBackup(
  disk: Disk,
  places: Pick<Places, "backups">,
  name: string,
  digest: string,
): Uint8Array | undefined {
  const bytes = disk.readFile(join(places.backups, basename(name)), MAX_RECEIPT_BYTES);
  return bytes !== undefined && sha256(bytes) === digest ? bytes : undefined;
}

export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
