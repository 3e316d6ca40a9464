import type { Buffer } from "node:buffer";
import { type CodeName, keepCode } from "../store/code-cache.ts";
import { nodeDisk } from "../store/node-disk.ts";
import type { Places } from "../store/places.ts";
import { commandTable } from "./command-table.ts";
import { rehearse, start } from "./start.ts";
import { isWorker, runWorker } from "./worker-threads.ts";

/** What the bundle is to the one that starts it. */
export interface Program {
  run(host: NodeJS.Process, compiled?: Compiled): Promise<void>;
}

/** Code that is not kept yet. */
export interface Compiled {
  readonly places: Places;
  readonly name: CodeName;
  /** All that was compiled up to now. */
  code(): Buffer;
}

/** Runs the command line of a process, or the task of a thread. */
export async function run(host: NodeJS.Process, compiled?: Compiled): Promise<void> {
  if (isWorker(host)) return runWorker(host);
  // Not process.exit: it would cut off what is still being written to a pipe.
  host.exitCode = await start(host);
  if (compiled !== undefined) await keep(host, compiled);
}

/** Only in a store that exists, and can be written. */
async function keep(host: NodeJS.Process, { places, name, code }: Compiled): Promise<void> {
  const row = commandTable.find((each) => each.name === name.command);
  if (row === undefined || nodeDisk.stat(places.home)?.kind !== "folder") return;
  try {
    keepCode(nodeDisk, places, name, code());
    if (await rehearse(host, row)) keepCode(nodeDisk, places, name, code());
  } catch {
    // Without it the next run is slower, and that is all.
  }
}
