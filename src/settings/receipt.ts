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
import { MAX_FILE_BYTES } from "./settings-file.ts";

/*
 * The receipt records what this program wrote into the files of other programs, so that it can be undone. It is written
 * before the file itself: the file's hash shows which of the recorded states it is in.
 */

/**
 * Something that we put into a file. `content`: the whole file is ours. `elsewhere`: there is none, because the agent reads
 * the one at `path`.
 */
export type FileChange =
  | SettingsChange
  | { readonly kind: "content"; readonly sha256: string }
  | { readonly kind: "elsewhere"; readonly path: string };

export interface FileState {
  readonly changes: readonly FileChange[];
  /** The hash of the whole file in that state; null if there was none. */
  readonly sha256: string | null;
}

export interface FileRecord {
  readonly path: string;
  /** Whose file it is: the short name of an agent. */
  readonly agent: string;
  readonly scope: "user" | "project";
  /** The original file: a name in `backups/`; null if there was none. */
  readonly original: { readonly backup: string; readonly sha256: string } | null;
  /** The state that it should have, and the one before the last step. */
  readonly now: FileState;
  readonly before: FileState;
  /** Folders that were created for it, outermost first. */
  readonly folders: readonly string[];
  /** Values that were reset; from then on they are the user's own. */
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
const serverSchema = z.object({
  kind: z.literal("server"),
  format: z.enum(["json", "toml"]),
  scope: z.enum(["user", "project"]),
  at: z.array(z.string()),
  name: z.string(),
  command: z.string(),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  form: z.optional(z.literal("list")),
});
const contentSchema = z.object({ kind: z.literal("content"), sha256: z.string() });
const elsewhereSchema = z.object({ kind: z.literal("elsewhere"), path: z.string() });
const stateSchema = z.object({
  changes: z.array(
    z.discriminatedUnion("kind", [hookSchema, settingSchema, serverSchema, contentSchema, elsewhereSchema]),
  ),
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

/** Settings of agents, skills, our extension, and completions of shells. */
const OWN_PLACE =
  /[/\\](?:settings(?:\.local)?\.json|\.claude\.json|hooks\.json|mcp-config\.json|opencode\.json|config\.toml|commands[/\\][\w-]+\.md|skills[/\\][\w-]+[/\\]SKILL\.md|extensions[/\\]sessions\.js|completions[/\\]sessions(?:\.fish)?|site-functions[/\\]_sessions)$/;

/** Checks that a path is one of the files that we write: a tampered receipt must not name others. */
function isConfined({ path, folders, original }: FileRecord): boolean {
  if (!isAbsolute(path) || resolve(path) !== path || path.includes("\0") || !OWN_PLACE.test(path))
    return false;
  if (original !== null && basename(original.backup) !== original.backup) return false;
  return folders.every((folder) => insideOf(folder, path));
}

const MAX_RECEIPT_BYTES = 4 * 1024 * 1024;

/** Reads the receipt; empty if there is none. A broken one is a UserError. */
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

/** Writes the receipt; durable when it returns. */
export function writeReceipt(
  disk: Disk,
  places: Pick<Places, "receipt">,
  files: readonly FileRecord[],
): void {
  replaceFile(disk, places.receipt, `${JSON.stringify({ version: 1, files }, undefined, 2)}\n`);
}

/** Backs up a file and returns the name of the copy. The same bytes are stored once. */
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

/** Reads a backup; undefined if it is gone or was changed. */
export function readBackup(
  disk: Disk,
  places: Pick<Places, "backups">,
  name: string,
  digest: string,
): Uint8Array | undefined {
  const bytes = disk.readFile(join(places.backups, basename(name)), MAX_FILE_BYTES);
  return bytes !== undefined && sha256(bytes) === digest ? bytes : undefined;
}

export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
