import process from "node:process";
import { start } from "../run.ts";
import { isWorker } from "../worker-threads.ts";

/** Runs the commands that reach other machines: the program with what only they need. */
export async function runProcess(host: NodeJS.Process): Promise<boolean> {
  await start(host);
  return true;
}

// A thread loads this file without the launcher.
if (isWorker(process)) void start(process);
