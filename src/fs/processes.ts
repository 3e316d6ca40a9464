import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { kill, pid } from "node:process";
import type { Disk } from "./disk.ts";
import { errorCode } from "./disk-error.ts";

/** Access to the system's processes. Passed in, like the disk. */
export interface Processes {
  readonly pid: number;
  readonly host: string;
  /** False only if the process certainly does not exist; another user's process does. */
  exists(pid: number): boolean;
}

/** Identifies a process permanently: a pid alone is used again, after a restart even soon. */
export interface ProcessMark {
  readonly pid: number;
  /** Its start time in units of the kernel; null if there is no /proc. */
  readonly started: string | null;
  /** The boot of the machine during which it ran. */
  readonly boot: string | null;
  readonly host: string;
  /** A hash of the machine's id, because two hosts may have the same name. */
  readonly machine: string | null;
  /** The pid namespace: in another container the same pid is another process. */
  readonly space: string | null;
}

/** `elsewhere`: on another machine or in another container, so its state is not known here. */
export type ProcessState = "alive" | "dead" | "elsewhere";

/** Makes the mark of this process. */
export function markProcess(disk: Disk, processes: Processes): ProcessMark {
  const machine = readText(disk, "/etc/machine-id");
  return {
    pid: processes.pid,
    started: procStat(disk, processes.pid)?.started ?? null,
    boot: readText(disk, "/proc/sys/kernel/random/boot_id"),
    host: processes.host,
    machine: machine === null ? null : createHash("sha256").update(machine).digest("hex").slice(0, 16),
    space: readLink(disk, "/proc/self/ns/pid"),
  };
}

/** Finds out whether a process still runs, seen from the process `self`. In doubt it is alive. */
export function stateOf(
  disk: Disk,
  processes: Processes,
  self: ProcessMark,
  other: ProcessMark,
): ProcessState {
  if (other.host !== self.host || differ(other.machine, self.machine)) return "elsewhere";
  // Checked before the namespace, because numbers of namespaces are reused after a boot.
  if (differ(other.boot, self.boot)) return "dead";
  if (differ(other.space, self.space)) return "elsewhere";
  if (!processes.exists(other.pid)) return "dead";
  const now = procStat(disk, other.pid);
  if (now === undefined) return "alive";
  return now.ended || differ(now.started, other.started) ? "dead" : "alive";
}

/** Values differ only if both are known. */
function differ(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && a !== b;
}

/** Reads fields 3 (state) and 22 (start time) of /proc/<pid>/stat; undefined if it cannot be read. */
function procStat(
  disk: Disk,
  pid: number,
): { readonly started: string | null; readonly ended: boolean } | undefined {
  const text = readText(disk, `/proc/${pid}/stat`);
  if (text === null) return undefined;
  // The program's name, in parentheses, may contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const state = fields[0];
  return { started: fields[19] ?? null, ended: state === "Z" || state === "X" };
}

function readText(disk: Disk, path: string): string | null {
  return quietly(() => {
    const text = disk.readFile(path, 4096)?.toString("utf8").trim();
    return text === undefined || text === "" ? null : text;
  });
}

function readLink(disk: Disk, path: string): string | null {
  return quietly(() => disk.readlink(path));
}

/** Values that the system does not report are null. */
function quietly(read: () => string | null): string | null {
  try {
    return read();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return null;
  }
}

/** The processes of this machine, seen from this one. */
export const nodeProcesses: Processes = {
  pid,
  host: hostname(),
  exists: (other) => {
    try {
      kill(other, 0);
      return true;
    } catch (error) {
      // EPERM: it exists, and belongs to somebody else.
      return errorCode(error) !== "ESRCH";
    }
  },
};
