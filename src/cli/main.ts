#!/usr/bin/env node
import process from "node:process";
import { start } from "./start.ts";
import { isWorker, runWorker } from "./worker-threads.ts";

// Not process.exit: it would cut off what is still being written to a pipe.
if (isWorker) await runWorker();
else process.exitCode = await start(process);
