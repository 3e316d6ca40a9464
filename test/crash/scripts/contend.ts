import { Buffer } from "node:buffer";
import { join } from "node:path";
import process from "node:process";
import { errorCode } from "../../../src/fs/disk-error.ts";
import { acquireLock } from "../../../src/fs/lock.ts";
import { nodeDisk as disk } from "../../../src/fs/node-disk.ts";
import { markProcess, nodeProcesses, type ProcessMark, stateOf } from "../../../src/fs/processes.ts";
import { replaceFile } from "../../../src/fs/replace-file.ts";

/**
 * Takes a lock so many times, and each time counts one up in a file, in a way that goes wrong if anybody
 * else does the same meanwhile. Says TWO INSIDE if another living process is found inside.
 */
const folder = process.argv[2] ?? "";
const rounds = Number(process.argv[3]);
const inside = join(folder, "inside");
const counter = join(folder, "counter");
const self = markProcess(disk, nodeProcesses);
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function enter(): void {
  for (;;) {
    try {
      const handle = disk.open(inside, "create");
      disk.write(handle, Buffer.from(JSON.stringify(self)));
      disk.close(handle);
      return;
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
    // Who was killed in here left this behind; who lives must not be here.
    const text = disk.readFile(inside, 4096)?.toString() ?? "";
    const other: ProcessMark | undefined = text === "" ? undefined : JSON.parse(text);
    if (other !== undefined && stateOf(disk, nodeProcesses, self, other) !== "dead") {
      process.stdout.write("TWO INSIDE\n");
      process.exit(3);
    }
    disk.unlink(inside);
  }
}

process.stdout.write("begun\n");
for (let round = 0; round < rounds; round++) {
  const lock = await acquireLock(disk, join(folder, "lock"), nodeProcesses, { wait, timeoutMs: 120_000 });
  enter();
  const count = Number(disk.readFile(counter, 100)?.toString() ?? "0");
  replaceFile(disk, counter, String(count + 1));
  disk.unlink(inside);
  lock.release();
  process.stdout.write("round\n");
}
