import { exitCodes } from "../core/errors.ts";
import { type CommandRow, commandTable } from "./command-table.ts";
import { createInterrupts } from "./interrupts.ts";
import { reportError } from "./report-error.ts";
import { neverFails, run } from "./run.ts";
import { type Output, realWorld, type World } from "./world.ts";

/** Runs the command line of a process in the real world, and says how the process is to end. */
export async function start(
  host: NodeJS.Process,
  table: readonly CommandRow[] = commandTable,
): Promise<number> {
  const interrupts = createInterrupts((exitCode) => {
    // What stands in the line, be it only the ^C, is not to stand before the prompt.
    if (exitCode === exitCodes.interrupted && world.stderr.isTerminal) world.stderr.write("\n");
    host.exit(exitCode);
  });
  const afterwards: (() => Promise<void>)[] = [];
  const world: World = realWorld(host, interrupts, (work) => afterwards.push(work));
  host.on("SIGINT", () => interrupts.request(exitCodes.interrupted));
  // Also promises that nobody waits for end here.
  host.on("uncaughtException", (error) => {
    const exitCode = reportError(error, world, false);
    host.exit(neverFails(host.argv.slice(2), table) ? exitCodes.done : exitCode);
  });
  const exitCode = await run(host.argv.slice(2), world, table);
  for (const work of afterwards) await work();
  return exitCode;
}

/** Runs what a command wants to be compiled for, without anybody seeing it. False: there is nothing. */
export async function rehearse(host: NodeJS.Process, row: CommandRow): Promise<boolean> {
  const { command } = await row.load();
  const { rehearsal = [] } = command;
  const unheard: Output = { write: () => {}, isTerminal: false, columns: undefined, hasColor: false };
  const world = {
    ...realWorld(
      host,
      createInterrupts(() => {}),
      () => {},
    ),
    ...{ stdout: unheard, stderr: unheard },
  };
  for (const line of rehearsal) await run([row.name, ...line], world, [row]);
  return rehearsal.length > 0;
}
