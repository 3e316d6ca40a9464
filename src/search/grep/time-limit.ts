/** Slow disks and long logs are no fault of the pattern. */
const BYTES_PER_MS = 10_000;
/** A file on which the pattern does not run away is done by then. */
const LEAST_MS = 2_000;

/**
 * How long a file may take. A pattern that ran away on `ended` files will do so on more: with each the limit
 * is halved, or a long history would take hours.
 */
export function timeLimitOf(timeLimitMs: number, bytes: number, ended = 0): number {
  const limitMs = Math.max(timeLimitMs / 2 ** ended, Math.min(timeLimitMs, LEAST_MS));
  return Math.ceil(limitMs + bytes / BYTES_PER_MS);
}
