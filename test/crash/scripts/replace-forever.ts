import { Buffer } from "node:buffer";
import process from "node:process";
import { nodeDisk } from "../../../src/fs/node-disk.ts";
import { replaceFile } from "../../../src/fs/replace-file.ts";

/** Replaces a file again and again, each time with lines that all say the same number, until it is killed. */
const path = process.argv[2] ?? "";
process.stdout.write("begun\n");
for (let round = 1; ; round++) {
  const line = Buffer.from(`${round}\n`.repeat(1_000));
  replaceFile(nodeDisk, path, [line, line, line], { mtimeMs: 1_600_000_000_000 + round });
}
