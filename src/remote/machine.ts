import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { exitCodes, UserError } from "../errors.ts";
import { makeFolders } from "../fs/folders.ts";
import type { Library } from "../fs/library.ts";
import { replaceFile } from "../fs/replace-file.ts";
import { tryParse } from "../jsonl/json-line.ts";

/** This machine, as other machines know it. */
export interface MachineName {
  /** 16 hex digits, chosen at random when the first remote is added. The name may change, but this does not. */
  readonly id: string;
  /** Its name for people: `machine` in config.json, or else the name of the host. */
  readonly name: string;
}

const MAX_BYTES = 64 * 1024;
/** Not a colon or a slash: paths of other machines are shown as `machine:/path`. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._'-]{0,59}$/u;

export function isMachineName(name: string): boolean {
  return NAME.test(name);
}

/** Filters ignore case, so two names that differ only in case are the same. */
export function isSameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** Reads the identity of this machine and creates it if there is none: `machine.json` in the store. */
export function thisMachine(library: Library, host: string): MachineName {
  const { disk, places, config } = library;
  const path = join(places.home, "machine.json");
  const name = asName(config.machine ?? host);
  const known = readId(library, path);
  if (known !== undefined) return { id: known, name };
  makeFolders(disk, places.home);
  const made = `${JSON.stringify({ version: 1, id: randomBytes(8).toString("hex") })}\n`;
  // Another process may have been faster: then its id counts.
  replaceFile(disk, path, made, { exclusive: true });
  const id = readId(library, path);
  if (id === undefined) throw damaged(path);
  return { id, name };
}

function readId({ disk }: Library, path: string): string | undefined {
  const text = disk.readFile(path, MAX_BYTES)?.toString("utf8");
  if (text === undefined) return undefined;
  const value = tryParse(text);
  const id: unknown =
    typeof value === "object" && value !== null ? Object.getOwnPropertyDescriptor(value, "id")?.value : null;
  if (typeof id === "string" && /^[0-9a-f]{16}$/.test(id)) return id;
  throw damaged(path);
}

/** The name of a host may contain anything. */
function asName(text: string): string {
  const name = text.replace(/[^\p{L}\p{M}\p{N} ._'-]+/gu, "-").replace(/^[^\p{L}\p{N}]+/u, "");
  return NAME.test(name) ? name : name.slice(0, 60) || "unnamed";
}

function damaged(path: string): UserError {
  return new UserError(`Cannot read the identity of this machine, ${JSON.stringify(path)}: it is damaged`, {
    exitCode: exitCodes.broken,
    hint: "move that file away; the sessions of this machine are then pushed again, as those of a new machine",
  });
}
