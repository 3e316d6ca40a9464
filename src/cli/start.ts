import { type CommandRow, commandTable } from "./command-table.ts";
import { takeProcess } from "./process-world.ts";
import { neverFails, run } from "./run.ts";
import { isWorker, runWorker, startWorker } from "./worker-threads.ts";

/** Runs the command line of a process, or the task of a thread. */
export async function start(
  host: NodeJS.Process,
  table: readonly CommandRow[] = commandTable,
): Promise<void> {
  if (isWorker(host)) return runWorker(host);
  const argv = host.argv.slice(2);
  const startThread = startWorker(import.meta.filename, host);
  const { world, finish } = takeProcess(host, startThread, neverFails(argv, table));
  const exitCode = await run(argv, world, table);
  await finish();
  // Not process.exit: it would cut off what is still being written to a pipe.
  host.exitCode = exitCode;
}
