import process from "node:process";
import { parseArguments } from "../arguments.ts";
import { command as pick } from "../commands/pick.ts";
import { command as search } from "../commands/search.ts";
import { takeProcess } from "../process-world.ts";
import { runReported } from "../run-command.ts";
import { isWorker, runWorker, startWorker } from "../worker-threads.ts";

/** For the other bundles, which do not have the picker. */
export { runPick } from "../pick/run-pick.ts";

/** Runs `pick`, or `search -i`. Help and errors are left to the main bundle. */
export async function runProcess(host: NodeJS.Process): Promise<boolean> {
  const [name = "", ...argv] = host.argv.slice(2);
  const command = name === "search" ? search : pick;
  if (!host.stdin.isTTY || !host.stderr.isTTY) return false;
  const args = parsed(name, command, argv);
  if (args === undefined || args.flags.help === true) return false;
  const { world, finish } = takeProcess(host, startWorker(import.meta.filename, host));
  host.exitCode = await runReported(name, command, argv, args, world);
  await finish();
  return true;
}

/** undefined: the main bundle will run into the same error and report it. */
function parsed(...line: Parameters<typeof parseArguments>): ReturnType<typeof parseArguments> | undefined {
  try {
    return parseArguments(...line);
  } catch {
    return undefined;
  }
}

// A thread that reads logs loads this file without the launcher.
if (isWorker(process)) void runWorker(process);
