import process from "node:process";
import { parseArguments } from "../arguments.ts";
import { command } from "../commands/mcp.ts";
import { takeProcess } from "../process-world.ts";
import { runReported } from "../run-command.ts";
import { isWorker, runWorker, startWorker } from "../worker-threads.ts";

/** For the main bundle, which does not have the server. */
export { serveMcp, toolDescriptions } from "../../integrations/mcp/serve-mcp.ts";

/** Runs the MCP server. Help and wrong arguments are left to the main bundle. */
export async function runProcess(host: NodeJS.Process, keepCode: () => void): Promise<boolean> {
  const argv = host.argv.slice(3);
  if (!/^(?:--json|--plugin [\w-]+)?$/.test(argv.join(" "))) return false;
  const args = parseArguments("mcp", command, argv);
  const { world, finish } = takeProcess(host, startWorker(import.meta.filename, host));
  host.exitCode = await runReported("mcp", command, argv, args, { ...world, keepCode });
  await finish();
  return true;
}

// A thread that reads logs loads this file without the launcher.
if (isWorker(process)) void runWorker(process);
