import fs from "node:fs";
import { join } from "node:path";
import type { Disk } from "../../../src/fs/disk.ts";
import { systemError } from "../../../src/fs/disk-error.ts";
import { diskThatDiesAfter } from "../disk-that-dies.ts";
import { type Call, describeCall, intercept } from "../intercept.ts";
import { type Aftermath, cuttableDisk } from "../power-cut.ts";
import { quickDisk } from "../quick-disk.ts";
import { CLAUDE, type CommandRow, prepareHome, UNSAFE } from "./command-rows.ts";
import {
  archivedHashes,
  type HomeFiles,
  hashOf,
  homeFiles,
  litter,
  steady,
  steadyFiles,
  storeState,
} from "./home-state.ts";
import { type Ended, makePlace, type Place } from "./place.ts";
import { takeSnapshot } from "./snapshot.ts";

/** How a run is ended: killed, the machine's power cut, or one call that fails with EIO or ENOSPC. */
export type Way = Aftermath | "EIO" | "ENOSPC";

/** One row of the table with its home, and what comes of it when nothing kills it. */
export interface Trial {
  readonly row: CommandRow;
  readonly place: Place;
  /** Changing calls of the command and of the guard that it starts. */
  readonly calls: number;
  /** Runs it, ends it at its call `at` (from 0), recovers and looks. False: it had ended by itself before. Throws what is wrong. */
  die(way: Way, at: number): Promise<boolean>;
  /** Puts everything back to where the command has not run yet. */
  reset(): void;
  /** Recovers from whatever was done to the place, and looks. */
  recover(): Promise<void>;
  argv: readonly string[];
  input: string;
}

const HOURS_LATER = 2;

export async function createTrial(row: CommandRow): Promise<Trial> {
  const place = makePlace();
  try {
    return await prepareTrial(row, place);
  } catch (error) {
    place.remove();
    throw error;
  }
}

async function prepareTrial(row: CommandRow, place: Place): Promise<Trial> {
  await prepareHome(place, row);
  const argv = typeof row.argv === "function" ? row.argv(place) : row.argv;
  const input = row.input?.(place) ?? "";
  const before = homeFiles(place);
  const snapshot = takeSnapshot(place.home, place.safe);

  // What comes of it when nothing happens.
  const counting = diskThatDiesAfter(quickDisk, Number.POSITIVE_INFINITY);
  const once = await place.command(argv, { input, guard: true, disk: counting.disk });
  mustBeKnown("the command", once);
  const filesOnce = homeFiles(place);
  const again = await place.command(argv, { input, guard: true });
  mustBeKnown("the second run", again);
  const codes = new Set([once.code, again.code]);
  await settle(place, argv, input);
  const expected = { files: steadyFiles(homeFiles(place)), store: await storeState(place) };
  mustHaveEverything(expected.store);
  await mustUndo(row, place, before);

  const reset = (): void => {
    snapshot.restore();
    for (const name of fs.readdirSync(place.grave)) fs.rmSync(join(place.grave, name), { recursive: true });
  };

  const recover = async (): Promise<void> => {
    mustHoldEveryByte(place, before, filesOnce);
    const second = await place.command(argv, { input, guard: true });
    mustBeKnown("the run after it", second);
    if (!codes.has(second.code))
      throw new Error(`the run after it ended with ${second.code}: ${second.out}${second.err}`);
    await settle(place, argv, input);
    mustEqual("files of the home", steadyFiles(homeFiles(place)), expected.files);
    mustEqual("the store", await storeState(place), expected.store);
    mustEqual("litter", litter(place), []);
    await mustUndo(row, place, before);
  };

  const die = async (way: Way, at: number): Promise<boolean> => {
    reset();
    const cuttable = cuttableDisk(quickDisk, place.grave);
    if (way === "EIO" || way === "ENOSPC") {
      const failing = diskThatFailsOnce(quickDisk, at, way);
      const ended = await place.command(argv, { input, guard: true, disk: failing.disk });
      const failed = failing.failedAt();
      await explain(failed, async () => {
        mustBeKnown("the run with a sick disk", ended);
        await recover();
      });
      return failed !== undefined;
    }
    const mortal = diskThatDiesAfter(cuttable.disk, at);
    const isDead = (): boolean => mortal.diedAt() !== undefined;
    await place.command(argv, { input, guard: true, disk: mortal.disk, isDead });
    cuttable.cut(way);
    await explain(mortal.diedAt(), recover);
    // A process that is killed before its write, and one that is killed in it, leave different files.
    if (way === "kill" && mortal.diedAt()?.write !== undefined) {
      reset();
      const early = diskThatDiesAfter(quickDisk, at, { written: 0 });
      const isGone = (): boolean => early.diedAt() !== undefined;
      await place.command(argv, { input, guard: true, disk: early.disk, isDead: isGone });
      await explain(early.diedAt(), recover);
    }
    return mortal.diedAt() !== undefined;
  };

  return { row, place, argv, input, reset, recover, die, calls: counting.calls().length };
}

async function explain(call: Call | undefined, look: () => Promise<void>): Promise<void> {
  try {
    await look();
  } catch (error) {
    const where = call === undefined ? "it had completed" : describeCall(call);
    const what = error instanceof Error ? error.message : String(error);
    throw new Error(`${where}: ${what}`, { cause: error });
  }
}

/** Fails once, at the changing call `at` (from 0), and is well again. */
function diskThatFailsOnce(
  under: Disk,
  at: number,
  code: string,
): { readonly disk: Disk; readonly failedAt: () => Call | undefined } {
  let made = 0;
  let failedAt: Call | undefined;
  const disk = intercept(under, (call, run) => {
    if (call.mutates && made++ === at) {
      failedAt = call;
      throw systemError(code, describeCall(call));
    }
    return run();
  });
  return { disk, failedAt: () => failedAt };
}

/** Hours later the command is run once more, the guard comes, and everything is archived and proven. */
async function settle(place: Place, argv: readonly string[], input: string): Promise<void> {
  const later = { hours: HOURS_LATER };
  mustBeKnown("a run hours later", await place.command(argv, { ...later, input }));
  for (const line of [["guard"], ["archive"], ["verify"]]) mustBeDone(line, await place.command(line, later));
}

/** What no run may lose: the session that only the guard archives, and one that is found by a word in it. */
function mustHaveEverything(store: readonly string[]): void {
  for (const start of [`newest ${UNSAFE}`, `hits ["${CLAUDE}"`]) {
    if (!store.some((line) => line.startsWith(start)))
      throw new Error(`no line of the store begins with ${start}: ${store.join("\n")}`);
  }
}

function mustBeDone(argv: readonly string[], { code, out, err }: Ended): void {
  if (code !== 0) throw new Error(`${argv.join(" ")} ended with ${code}: ${out}${err}`);
}

/** 70 says that something happened that the program does not know of. */
function mustBeKnown(what: string, { code, out, err, background }: Ended): void {
  if (code === 70) throw new Error(`${what} ended with 70: ${out}${err}`);
  for (const ended of background) mustBeKnown(`the guard of ${what}`, ended);
}

/**
 * As the killed run left it: every file of the home is the old or the new one, whole, and what a log had before is in the
 * archive if it is not in the log any more.
 */
function mustHoldEveryByte(place: Place, before: HomeFiles, after: HomeFiles): void {
  const now = homeFiles(place);
  const fresh = new Set(steadyFiles(after));
  for (const [path, text] of now) {
    if (before.get(path) === text) continue;
    if (!fresh.has(`${steady(path)}\n${steady(text)}`))
      throw new Error(`${path} is neither the old nor the new file: ${JSON.stringify(text.slice(0, 300))}`);
  }
  for (const [path, text] of before) {
    if (now.get(path) === text) continue;
    const there = now.get(path);
    if (there === undefined && after.has(path)) throw new Error(`${path} is gone`);
    // Pi's logs only ever get more lines.
    if (there?.startsWith(text) === true) continue;
    if (path.endsWith(".jsonl") && !archivedHashes(place).has(hashOf(text)))
      throw new Error(`the bytes that ${path} had are neither there nor in the archive`);
  }
}

async function mustUndo(row: CommandRow, place: Place, before: HomeFiles): Promise<void> {
  if (row.undo === undefined) return;
  mustBeDone(row.undo, await place.command(row.undo, { hours: HOURS_LATER }));
  mustEqual(`files after ${row.undo[0]}`, steadyFiles(homeFiles(place)), steadyFiles(before));
}

function mustEqual(what: string, found: readonly string[], expected: readonly string[]): void {
  const more = found.filter((each) => !expected.includes(each));
  const fewer = expected.filter((each) => !found.includes(each));
  if (more.length === 0 && fewer.length === 0) return;
  const show = (texts: readonly string[]): string =>
    texts.map((text) => JSON.stringify(text.slice(0, 400))).join("\n  ");
  throw new Error(`${what} differ:\n  there is ${show(more)}\n  and there should be ${show(fewer)}`);
}
