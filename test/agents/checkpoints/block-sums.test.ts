import { appendFileSync, closeSync, mkdtempSync, openSync, rmSync, truncateSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  BLOCK_BYTES,
  createBlockSummer,
  isPrefixUnchanged,
  noSums,
} from "../../../src/agents/checkpoints/checkpoint-file.ts";
import { nodeDisk } from "../../../src/fs/node-disk.ts";

const BLOCKS = 11;

/** Most of it is a hole: it takes no room. */
function longFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "sessions-blocks-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "log.jsonl");
  appendFileSync(path, "the first line\n");
  truncateSync(path, BLOCKS * BLOCK_BYTES - 1_000);
  appendFileSync(path, "the last line\n");
  return path;
}

function overwrite(path: string, at: number, byte: number): void {
  const file = openSync(path, "r+");
  writeSync(file, Buffer.of(byte), 0, 1, at);
  closeSync(file);
}

describe("stillBeginsSo()", () => {
  test("sees a byte that was changed anywhere in a long file that has grown", () => {
    const path = longFile();
    const summer = createBlockSummer(noSums);
    for (const chunk of nodeDisk.readChunks(path, {})) summer.take(chunk);
    const sums = summer.sums();
    expect(sums.sums).toHaveLength(BLOCKS);
    appendFileSync(path, "and one more\n");
    expect(isPrefixUnchanged(nodeDisk, path, sums)).toBe(true);
    for (let block = 0; block < BLOCKS; block++) {
      const at = block * BLOCK_BYTES + 5_000;
      overwrite(path, at, 0x20);
      expect(isPrefixUnchanged(nodeDisk, path, sums), `block ${block}`).toBe(false);
      overwrite(path, at, 0);
    }
    expect(isPrefixUnchanged(nodeDisk, path, sums)).toBe(true);
    truncateSync(path, BLOCK_BYTES);
    expect(isPrefixUnchanged(nodeDisk, path, sums)).toBe(false);
  });

  test("goes on summing where it ended, in whatever chunks", () => {
    const path = longFile();
    const whole = createBlockSummer(noSums);
    for (const chunk of nodeDisk.readChunks(path, {})) whole.take(chunk);
    const begun = createBlockSummer(noSums);
    const middle = 3 * BLOCK_BYTES + 77;
    for (const chunk of nodeDisk.readChunks(path, { to: middle, chunkSize: 999_983 })) begun.take(chunk);
    const resumed = createBlockSummer(begun.sums());
    for (const chunk of nodeDisk.readChunks(path, { from: middle })) resumed.take(chunk);
    expect(resumed.sums()).toEqual(whole.sums());
  });
});
