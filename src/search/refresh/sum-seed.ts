import { createHash } from "node:crypto";
import type { SessionFiles } from "../../agents/agent.ts";
import type { ByteSource } from "../../agents/byte-source.ts";
import type { SumSeed } from "../ranking/document-sum.ts";

/** So much of a log has random names that stand nowhere else, dozens of them. */
const HEAD_BYTES = 16 * 1024;

/**
 * The seed for sums of a session's plain texts. The index holds those sums, beside the masked texts: without the
 * seed a secret of few characters could be guessed until the sum is right. It comes from the beginning of the log,
 * so it is the same as long as the log begins so, and who has the log needs not guess. undefined for logs that are
 * too short. Other secrets to be masked make other sums.
 */
export function sumSeed(
  source: ByteSource,
  { files }: SessionFiles,
  redact: readonly string[],
): SumSeed | undefined {
  const head = files[0] === undefined ? undefined : source.head(files[0].path);
  if (head === undefined || head.length < HEAD_BYTES) return undefined;
  const hash = createHash("sha256").update(JSON.stringify(redact)).update(head.subarray(0, HEAD_BYTES));
  const bytes = hash.digest();
  return [bytes.readInt32LE(0), bytes.readInt32LE(4)];
}
