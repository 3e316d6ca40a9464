import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Disk } from "../../src/fs/disk.ts";
import { crashOptions } from "./commands/crash-options.ts";
import { type DeathOptions, diskThatDiesAfter } from "./disk-that-dies.ts";
import { describeCall } from "./intercept.ts";
import { randomFrom } from "./kill-at-random.ts";
import { type Aftermath, aftermaths, cuttableDisk } from "./power-cut.ts";
import { quickDisk } from "./quick-disk.ts";

/** How a run ended, as `check` sees it. */
export interface Ending {
  /** The call that was not made any more; undefined where the operation completed. */
  readonly diedAt: string | undefined;
  readonly aftermath: Aftermath;
}

export interface EveryDeathOptions {
  readonly counting?: DeathOptions["counting"];
  readonly aftermaths?: readonly Aftermath[];
  /** 1: at every call, whatever was asked for. */
  readonly stride?: number;
}

export interface Deaths {
  readonly count: number;
  /** The calls of the operation when nothing kills it, as `rename`, `fsyncFolder`. */
  readonly calls: readonly string[];
}

type Maybe<T> = T | Promise<T>;

/**
 * Kills an operation at its first call to the disk, at its second, and so on until it completes, each
 * time in an empty folder, and once for every aftermath; then lets `check` recover with a living disk
 * and look. Completed runs are checked too, also with the power cut right behind them: what has
 * been promised must be durable then.
 *
 * `setup` prepares the folder; what it returns is handed on.
 */
export async function everyDeath<S>(
  setup: (disk: Disk, folder: string) => Maybe<S>,
  operation: (disk: Disk, folder: string, state: S) => unknown,
  check: (disk: Disk, folder: string, state: S, ending: Ending) => unknown,
  options: EveryDeathOptions = {},
): Promise<Deaths> {
  // One folder for all: on some file systems removing a folder costs more than the rest of a run.
  const base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "sessions-death-")));
  const folder = join(base, "folder");
  const grave = join(base, "grave");
  fs.mkdirSync(folder);
  fs.mkdirSync(grave);
  const { stride = STRIDE } = options;
  const random = randomFrom(crashOptions.seed);
  let count = 0;
  let calls: readonly string[] = [];

  /** True where the operation completed. */
  const live = async (n: number, aftermath: Aftermath, written: number): Promise<boolean> => {
    try {
      const state = await setup(quickDisk, folder);
      const cuttable = cuttableDisk(quickDisk, grave);
      const mortal = diskThatDiesAfter(cuttable.disk, n, {
        counting: options.counting ?? "mutating",
        written,
      });
      let failure: { readonly error: unknown } | undefined;
      try {
        await operation(mortal.disk, folder, state);
      } catch (error) {
        failure = { error };
      }
      const died = mortal.diedAt();
      if (died === undefined) {
        if (failure !== undefined) throw failure.error;
        if (mortal.leftOpen().length > 0) throw new Error(`left open: ${mortal.leftOpen().join(", ")}`);
        calls = mortal.calls().map(({ name }) => name);
      } else count += stride;
      cuttable.cut(aftermath);
      const diedAt = died === undefined ? undefined : describeCall(died);
      try {
        await check(quickDisk, folder, state, { diedAt, aftermath });
      } catch (error) {
        const when =
          diedAt === undefined ? "when it had completed" : `at call ${n} (${diedAt}; written: ${written})`;
        const message = error instanceof Error ? error.message : String(error);
        throw new Error(`Died ${when}, ${aftermath}: ${message}`, { cause: error });
      }
      return died === undefined;
    } finally {
      empty(folder);
      empty(grave);
    }
  };

  try {
    for (let from = 0; ; from += stride) {
      const n = from + Math.floor(random() * stride);
      let completed = true;
      for (const aftermath of options.aftermaths ?? aftermaths) {
        completed = await live(n, aftermath, 0.5);
        // A process that is killed before its write, and one that is killed in it, leave different files.
        if (aftermath === "kill" && !completed) await live(n, aftermath, 0);
      }
      if (completed) break;
    }
  } finally {
    fs.rmSync(base, { recursive: true, force: true });
  }
  if (calls.length === 0)
    throw new Error("The operation made no call to the disk: there was nothing to kill");
  return { count, calls };
}

/** At one call out of so many, which the seed picks; with `npm run test:crash -- --all` at every one. */
const STRIDE = crashOptions.all ? 1 : 5;

function empty(folder: string): void {
  for (const name of fs.readdirSync(folder)) fs.rmSync(join(folder, name), { recursive: true, force: true });
}
