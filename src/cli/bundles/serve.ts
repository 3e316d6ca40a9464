import process from "node:process";
import { parseArguments } from "../arguments.ts";
import { command } from "../commands/serve.ts";
import { takeProcess } from "../process-world.ts";
import { runReported } from "../run-command.ts";
import { isWorker, runWorker, startWorker } from "../worker-threads.ts";

/** For the other bundles, which do not have the server. */
export { pageCalls } from "../../web/server/page-calls.ts";
export { callsInThread, quickHere } from "../../web/server/page-thread.ts";
export { HOST, readAssets, servePage } from "../../web/server/serve-page.ts";
export { pageTask } from "../page-thread.ts";

/** Serves the page. Help and wrong arguments are left to the main bundle. */
export async function runProcess(host: NodeJS.Process): Promise<boolean> {
  const argv = host.argv.slice(3);
  const isHelp = argv.some((arg) => arg === "--help" || arg === "-h");
  if (isHelp || !argv.every((arg) => /^(?:--(?:json|open|port)(?:=.*)?|\d+)$/.test(arg))) return false;
  const args = parseArguments("serve", command, argv);
  const { world, finish } = takeProcess(host, startWorker(import.meta.filename, host));
  host.exitCode = await runReported("serve", command, argv, args, world);
  await finish();
  return true;
}

// A thread loads this file without the launcher.
if (isWorker(process)) void runWorker(process);
