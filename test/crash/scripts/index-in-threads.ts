/** Indexes the logs of a home anew in threads, however few they are: index-in-threads.mjs HOME STORE THREADS. */
import process from "node:process";
import { isWorker, runWorker, startWorker } from "../../../src/cli/worker-threads.ts";
import { nodeProcesses } from "../../../src/fs/processes.ts";
import { openEngine } from "../../../src/search/open-engine.ts";
import { readInWorkers } from "../../../src/search/refresh/index-workers.ts";
import { refreshIndex } from "../../../src/search/refresh/refresh-index.ts";
import { libraryIn } from "../../support/library-in.ts";

if (isWorker(process)) await runWorker(process);
else {
  const [, , home = "", store = "", threads = ""] = process.argv;
  const library = libraryIn(home, { store });
  const inThreads = readInWorkers(library, startWorker(import.meta.filename, process), Number(threads));
  const { read, bytes } = await refreshIndex(library, {
    engine: openEngine(library, nodeProcesses),
    rebuild: true,
    workers: {
      minBytes: 0,
      read: (...work) => {
        process.stdout.write("begun\n");
        return inThreads(...work);
      },
    },
  });
  process.stdout.write(`${read} sessions, ${bytes} bytes\n`);
}
