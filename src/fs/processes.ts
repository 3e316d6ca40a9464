import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { kill, pid } from "node:process";
import type { Disk } from "./disk.ts";
import { errorCode } from "./disk-error.ts";

/** What the system tells about processes. Passed in, like the disk. */
export interface Processes {
  readonly pid: number;
  readonly host: string;
  /** False only where the system is sure that there is none; one of another user exists. */
  exists(pid: number): boolean;
}

/** Names a process for good: a pid alone is used again, after a restart even at once. */
export interface ProcessMark {
  readonly pid: number;
  /** When it started, in the kernel's own units; null where /proc does not tell. */
  readonly started: string | null;
  /** The boot of the machine during which it ran. */
  readonly boot: string | null;
  readonly host: string;
  /** A hash of the machine's id: hosts of one name exist. */
  readonly machine: string | null;
  /** The pid namespace: in another container the same pid is another process. */
  readonly space: string | null;
}

/** `elsewhere`: on another machine or in another container, where nobody here can look. */
export type ProcessState = "alive" | "dead" | "elsewhere";

/** The mark of the process that asks. */
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

/** What became of a process, seen from the one that `self` marks. In doubt it lives. */
export function stateOf(
  disk: Disk,
  processes: Processes,
  self: ProcessMark,
  other: ProcessMark,
): ProcessState {
  if (other.host !== self.host || differ(other.machine, self.machine)) return "elsewhere";
  // Before the namespace: those of an earlier boot have numbers that may be in use again.
  if (differ(other.boot, self.boot)) return "dead";
  if (differ(other.space, self.space)) return "elsewhere";
  if (!processes.exists(other.pid)) return "dead";
  const now = procStat(disk, other.pid);
  if (now === undefined) return "alive";
  return now.ended || differ(now.started, other.started) ? "dead" : "alive";
}

/** Only what both know can differ. */
function differ(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && a !== b;
}

/** Fields 3 (state) and 22 (start time) of /proc/<pid>/stat; undefined where that is not to be had. */
function procStat(
  disk: Disk,
  pid: number,
): { readonly started: string | null; readonly ended: boolean } | undefined {
  const text = readText(disk, `/proc/${pid}/stat`);
  if (text === null) return undefined;
  // The name of the program, in parentheses, may hold spaces and parentheses itself.
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

/** Whatever the system does not tell is unknown, and treated so. */
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
