import type { Disk, Handle } from "../../src/fs/disk.ts";
import { type Call, describeCall, intercept } from "./intercept.ts";

/** Thrown where a killed process would have ceased to be. It has no `code`: nothing may explain it away. */
export class Death extends Error {
  override readonly name: string = "Death";
}

export interface DeathOptions {
  /** What counts: calls that change the disk (default), or all. */
  readonly counting?: "mutating" | "all";
  /** How much of a write that dies is still written: a share of it. Half by default. */
  readonly written?: number;
}

export interface MortalDisk {
  readonly disk: Disk;
  /** The call that was not made any more. */
  readonly diedAt: () => Call | undefined;
  /** The counted calls that were made. */
  readonly calls: () => readonly Call[];
  /** Files that were left open. Those of a dead process are closed by the kernel, and so here. */
  readonly leftOpen: () => readonly string[];
}

/**
 * A disk that makes `n` calls and dies instead of the next. A write that dies may have written a part.
 * Afterwards every call throws: `catch` and `finally` of the code under test do nothing any more, as
 * in a process that was killed.
 */
export function diskThatDiesAfter(under: Disk, n: number, options: DeathOptions = {}): MortalDisk {
  const counting = options.counting ?? "mutating";
  const share = options.written ?? 0.5;
  const calls: Call[] = [];
  const open = new Map<Handle, string>();
  let diedAt: Call | undefined;

  const die = (call: Call, run: () => unknown): never => {
    if (diedAt === undefined) {
      if (call.write !== undefined) {
        call.write.limit = Math.floor(call.write.length * share);
        run();
      }
      diedAt = call;
      for (const handle of open.keys()) under.close(handle);
      open.clear();
    }
    throw new Death(`died at call ${n}: ${describeCall(diedAt)}`);
  };

  const disk = intercept(under, (call, run) => {
    if (diedAt !== undefined) return die(call, run);
    if (call.mutates || counting === "all") {
      if (calls.length === n) return die(call, run);
      calls.push(call);
    }
    const result = run();
    if (call.name === "open" && typeof result === "number") open.set(result, call.path);
    if (call.name === "close" && call.handle !== undefined) open.delete(call.handle);
    return result;
  });
  return { disk, diedAt: () => diedAt, calls: () => calls, leftOpen: () => [...open.values()] };
}
