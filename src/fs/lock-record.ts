import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import type { Disk } from "./disk.ts";
import { errorCode, isAbsent, isWithoutLinks } from "./disk-error.ts";
import type { ProcessMark } from "./processes.ts";
import { writeTempFile } from "./temp-file.ts";

/** What a lock file says: who made it, and a name that no other lock file ever has. */
export interface LockRecord {
  readonly token: string;
  /** undefined where the file can't be understood: torn by a power cut, or made by something else. */
  readonly owner: ProcessMark | undefined;
}

const MAX_RECORD_BYTES = 4096;

/** undefined where there is no file. */
export function readLockRecord(disk: Disk, path: string): LockRecord | undefined {
  const bytes = disk.readFile(path, MAX_RECORD_BYTES);
  if (bytes === undefined) return undefined;
  const parsed = parseRecord(bytes.toString("utf8"));
  if (parsed !== undefined) return parsed;
  const stat = disk.stat(path);
  return stat === undefined
    ? undefined
    : { token: `unreadable-${stat.inode}-${stat.mtimeMs}-${stat.size}`, owner: undefined };
}

/**
 * Makes a lock file in one step, whole; its token, or undefined where something has that name
 * already. A hard link to a written file appears with its content; a file made with `wx` would be
 * empty for a moment, and for ever if the process died then.
 */
export function placeLockRecord(disk: Disk, path: string, owner: ProcessMark): string | undefined {
  const token = randomBytes(16).toString("hex");
  const bytes = Buffer.from(`${JSON.stringify({ token, ...owner })}\n`);
  const temp = writeTempFile(disk, path, [bytes], { mode: 0o600 });
  try {
    disk.link(temp.path, path);
    return token;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return undefined;
    if (!isWithoutLinks(error)) throw error;
    return createInPlace(disk, path, bytes) ? token : undefined;
  } finally {
    temp.discard();
  }
}

export function removeQuietly(disk: Disk, path: string): void {
  try {
    disk.unlink(path);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

/** For file systems without hard links. */
function createInPlace(disk: Disk, path: string, bytes: Buffer): boolean {
  let handle: number;
  try {
    handle = disk.open(path, "create");
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
  let whole = false;
  try {
    whole = disk.write(handle, bytes) === bytes.length;
    return whole;
  } finally {
    disk.close(handle);
    if (!whole) removeQuietly(disk, path);
  }
}

function parseRecord(text: string): LockRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const field = (name: string): unknown => Object.getOwnPropertyDescriptor(value, name)?.value;
  const textOrNull = (name: string): string | null => {
    const found = field(name);
    return typeof found === "string" ? found : null;
  };
  const token = field("token");
  const pid = field("pid");
  const host = field("host");
  if (typeof token !== "string" || !/^[0-9a-f]{32}$/.test(token)) return undefined;
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
  if (typeof host !== "string") return undefined;
  return {
    token,
    owner: {
      pid,
      host,
      started: textOrNull("started"),
      boot: textOrNull("boot"),
      machine: textOrNull("machine"),
      space: textOrNull("space"),
    },
  };
}
