import type { Buffer } from "node:buffer";
import { type CodeName, keepCode } from "../store/code-cache.ts";
import { nodeDisk } from "../store/node-disk.ts";
import type { Places } from "../store/places.ts";
import { commandTable } from "./command-table.ts";

import { rehearse, start } from "./start.ts";
import { isWorker, runWorker } from "./worker-threads.ts";

/** Code of a part of the program that is not kept yet. */
export interface Compiled {
  readonly places: Places;
  readonly name: CodeName;
  /** All that was compiled up to now. */
  code(): Buffer;
}

/** Runs the command line of a process, or the task of a thread. */
export async function run(host: NodeJS.Process, compiled: readonly Compiled[] = []): Promise<void> {
  if (isWorker(host)) return runWorker(host);
  // Not process.exit: it would cut off what is still being written to a pipe.
  host.exitCode = await start(host);
  if (compiled.length > 0) await keep(host, compiled);
}

/** Only in a store that exists, and can be written. */
async function keep(host: NodeJS.Process, compiled: readonly Compiled[]): Promise<void> {
  const [first] = compiled;
  const row = commandTable.find((each) => each.name === first?.name.command);
  if (first === undefined || row === undefined) return;
  if (nodeDisk.stat(first.places.home)?.kind !== "folder") return;
  const keepAll = (): void => {
    for (const { places, name, code } of compiled) keepCode(nodeDisk, places, name, code());
  };
  try {
    keepAll();
    if (await rehearse(host, row)) keepAll();
  } catch {
    // Without it the next run is slower, and that is all.
  }
}
