import type { Buffer } from "node:buffer";
import { exitCodes, UserError } from "../errors.ts";
import type { Disk, FileStat } from "../fs/disk.ts";
import { errorCode, explainDiskError, isAbsent } from "../fs/disk-error.ts";
import { type ParsedSettings, parseSettings } from "./parse-settings.ts";
import type { SettingsFormat } from "./settings-change.ts";
import { findTomlError } from "./toml-tables.ts";

/** A file of another program as it is on disk. */
export type TextFile =
  | { readonly kind: "absent"; readonly path: string }
  | {
      readonly kind: "read";
      readonly path: string;
      readonly bytes: Buffer;
      /** Without its BOM. */
      readonly text: string;
      readonly bom: string;
      readonly stat: FileStat;
    }
  | { readonly kind: "unreadable"; readonly path: string; readonly what: string };

/** Anything larger is not a settings file. */
export const MAX_FILE_BYTES: number = 32 * 1024 * 1024;
const BOM = "\ufeff";

/** Reads a text file, following links. Disk errors are returned, not thrown. */
export function readTextFile(disk: Disk, path: string): TextFile {
  try {
    // Stat before reading: a change in between is then noticed.
    const stat = disk.stat(path);
    const bytes = disk.readFile(path, MAX_FILE_BYTES);
    if (bytes === undefined || stat === undefined) return { kind: "absent", path };
    const whole = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const bom = whole.startsWith(BOM) ? BOM : "";
    return { kind: "read", path, bytes, text: whole.slice(bom.length), bom, stat };
  } catch (error) {
    if (isAbsent(error)) return { kind: "absent", path };
    if (error instanceof TypeError) return { kind: "unreadable", path, what: "it is not valid UTF-8" };
    if (error instanceof UserError)
      return { kind: "unreadable", path, what: `it is larger than ${MAX_FILE_BYTES} bytes` };
    if (errorCode(error) === undefined) throw error;
    return { kind: "unreadable", path, what: explainDiskError(error) };
  }
}

/** The parsed settings of another program, or why they cannot be parsed. */
export type SettingsFile =
  | { readonly kind: "absent"; readonly path: string }
  | { readonly kind: "parsed"; readonly path: string; readonly settings: ParsedSettings }
  /** `place` is `path:line:column` where it breaks, or the path alone. */
  | { readonly kind: "broken"; readonly path: string; readonly place: string; readonly what: string };

export function readSettingsFile(disk: Disk, path: string): SettingsFile {
  const file = readTextFile(disk, path);
  if (file.kind === "absent") return file;
  if (file.kind === "unreadable") return { kind: "broken", path, place: path, what: file.what };
  const parsed = parseSettings(file.text);
  if (parsed.kind === "parsed") return { kind: "parsed", path, settings: parsed };
  return { kind: "broken", path, place: `${path}:${parsed.line}:${parsed.column}`, what: parsed.what };
}

/** Refuses a file that must not be changed: one that does not parse, or that is read-only. No format: it is not parsed. */
export function checkEditable(file: TextFile, format: SettingsFormat | undefined): void {
  if (file.kind === "absent") return;
  if (file.kind === "unreadable") throw untouched(file.path, file.what, "check the file, and run this again");
  if ((file.stat.mode & 0o200) === 0) {
    const mode = file.stat.mode.toString(8).padStart(4, "0");
    throw untouched(
      file.path,
      `it is read-only (mode ${mode})`,
      "make it writable (`chmod u+w`), and run this again",
    );
  }
  if (format === undefined) return;
  const parsed = format === "json" ? parseSettings(file.text) : findTomlError(file.text);
  if (parsed?.kind === "broken") {
    const place = `${file.path}:${parsed.line}:${parsed.column}`;
    throw untouched(place, parsed.what, "correct that place, and run this again");
  }
}

/** Refuses a link that leads nowhere: a file in its place would be lost to whoever keeps the linked one. */
export function refuseBrokenLink(disk: Disk, path: string): void {
  if (disk.lstat(path) === undefined) return;
  throw untouched(path, "it is a link to a file that does not exist", "make that file, and run this again");
}

function untouched(where: string, why: string, hint: string): UserError {
  return new UserError(`Cannot change the settings: ${where}: ${why}; nothing was changed`, {
    exitCode: exitCodes.broken,
    hint,
  });
}
