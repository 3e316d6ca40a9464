import type { Disk } from "../../src/fs/disk.ts";
import { systemError } from "../../src/fs/disk-error.ts";
import { type Call, describeCall, intercept } from "./intercept.ts";

/** Takes so many bytes, in part of a write if need be, and no more, as a disk that fills up does. */
export function diskThatIsFull(under: Disk, afterBytes: number): Disk {
  let left = afterBytes;
  return intercept(under, (call, run) => {
    if (call.write === undefined) return run();
    if (left === 0) throw systemError("ENOSPC", `no space left on device, ${describeCall(call)}`);
    call.write.limit = Math.min(call.write.length, left);
    left -= call.write.limit;
    return run();
  });
}

/** Can be read, and refuses every change. */
export function readOnlyDisk(under: Disk): Disk {
  return intercept(under, (call, run) => {
    if (call.mutates) throw systemError("EROFS", `read-only file system, ${describeCall(call)}`);
    return run();
  });
}

/** Refuses to open, list or look behind the paths that `isUnreadable` names. */
export function unreadableDisk(under: Disk, isUnreadable: (path: string) => boolean): Disk {
  const refused: ReadonlySet<string> = new Set(["open", "readdir", "realpath", "readlink"]);
  return intercept(under, (call, run) => {
    if (refused.has(call.name) && isUnreadable(call.path)) {
      throw systemError("EACCES", `permission denied, ${describeCall(call)}`);
    }
    return run();
  });
}

/** Has no hard links, like exFAT. */
export function diskWithoutLinks(under: Disk): Disk {
  return intercept(under, (call, run) => {
    if (call.name === "link") throw systemError("EPERM", `operation not permitted, ${describeCall(call)}`);
    return run();
  });
}

export interface FailingDisk {
  readonly disk: Disk;
  /** The call that failed, if it came to that. */
  readonly failedAt: () => Call | undefined;
  readonly leftOpen: () => readonly string[];
}

/**
 * Fails once, at call `n` (from 0), and is well again: for what `catch` and `finally` do. All calls count, or those
 * that `counts` picks.
 */
export function diskThatFailsAt(
  under: Disk,
  n: number,
  code = "EIO",
  counts: (call: Call) => boolean = () => true,
): FailingDisk {
  const open = new Map<number, string>();
  let made = 0;
  let failedAt: Call | undefined;
  const disk = intercept(under, (call, run) => {
    if (counts(call) && made++ === n) {
      failedAt = call;
      // A close that reports an error has closed the file all the same.
      if (call.name === "close") {
        run();
        if (call.handle !== undefined) open.delete(call.handle);
      }
      throw systemError(code, describeCall(call));
    }
    const result = run();
    if (call.name === "open" && typeof result === "number") open.set(result, call.path);
    if (call.name === "close" && call.handle !== undefined) open.delete(call.handle);
    return result;
  });
  return { disk, failedAt: () => failedAt, leftOpen: () => [...open.values()] };
}

/**
 * Lets somebody else act just before call `n` (from 0): the process was paused there. All calls count,
 * or those that `counts` picks.
 */
export function diskThatPausesAt(
  under: Disk,
  n: number,
  meanwhile: (call: Call) => void,
  counts: (call: Call) => boolean = () => true,
): Disk {
  let made = 0;
  return intercept(under, (call, run) => {
    if (counts(call) && made++ === n) meanwhile(call);
    return run();
  });
}
