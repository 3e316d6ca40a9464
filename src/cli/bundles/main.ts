import process from "node:process";
import { start } from "../run.ts";
import { isWorker } from "../worker-threads.ts";

/** Runs any command. */
export async function run(host: NodeJS.Process): Promise<boolean> {
  await start(host);
  return true;
}

// In another thread this file is loaded by itself, without the launcher.
if (isWorker(process)) void start(process);
