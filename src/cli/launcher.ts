#!/usr/bin/env node
/*
 * The entry point. It picks the bundle that has the command, so that a search does not load the whole program, and
 * loads it with the machine code that an earlier run of the same command compiled.
 */
import { join } from "node:path";
import process from "node:process";
import { exitCodes } from "../errors.ts";
import { type LoadedBundle, loadBundle } from "../fs/compile-cache.ts";
import { deferOptimization } from "../fs/engine-flags.ts";
import { findPlaces } from "../fs/places.ts";
import { homeFolder, workingFolder } from "../fs/process-folders.ts";

/** The interface of every bundle. */
interface Bundle {
  /**
   * Runs the command line of a process. Returns false if nothing was done or printed, and the main bundle has to do
   * it.
   */
  runProcess(host: NodeJS.Process, keepCode: () => void): Promise<boolean>;
}

/** Commands with a separate bundle next to this file. All others are in main.cjs. */
const ownBundles: ReadonlyMap<string, string> = new Map([
  ["search", "search.cjs"],
  ["mcp", "mcp.cjs"],
  ["serve", "serve.cjs"],
  ["pick", "pick.cjs"],
  ["remote", "remote.cjs"],
  ["sync", "remote.cjs"],
  ["push", "remote.cjs"],
  ["guard", "remote.cjs"],
]);

const DID_ITS_WORK: readonly number[] = [exitCodes.done, exitCodes.withProblems];

const [command = "overview", subcommand = ""] = process.argv.slice(2);
const codeFor = {
  places: findPlaces({
    home: homeFolder(),
    variables: process.env,
    folder: workingFolder(process),
  }),
  // The events of agents need different code.
  command: command === "hook" ? `${command}-${subcommand}` : command,
  now: () => Date.now(),
  ...(command === "search" && { setFlags: deferOptimization }),
};

void launch();

async function launch(): Promise<void> {
  const isInteractive =
    command === "search" && process.argv.some((arg) => arg === "-i" || arg === "--interactive");
  const isRemote = process.argv.some((arg) => arg === "--remote" || arg.startsWith("--remote="));
  const own = isRemote ? "remote.cjs" : ownBundles.get(isInteractive ? "pick" : command);
  if (own === undefined || !(await runBundle(own))) await runBundle("main.cjs");
}

/** False: the main bundle has to do it. */
async function runBundle(name: string): Promise<boolean> {
  const loaded = load(join(__dirname, name));
  if (loaded === undefined) return true;
  const isDone = await (loaded.exports as Bundle).runProcess(process, () => loaded.keepCode());
  // Only a run that did its work has compiled the code that the next one needs.
  if (isDone && DID_ITS_WORK.includes(Number(process.exitCode ?? 0))) loaded.keepCode();
  return isDone;
}

/** undefined: the file is missing, and the user has been told. */
function load(file: string): LoadedBundle | undefined {
  try {
    return loadBundle(file, codeFor, require);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND")) throw error;
    process.stderr.write(
      `sessions: Cannot use ${JSON.stringify(file)}: it is missing\nhint: try again; if that does not help, install the program again\n`,
    );
    // A hook that fails would stop the agent that calls it.
    process.exitCode = command === "hook" ? exitCodes.done : exitCodes.broken;
    return undefined;
  }
}
