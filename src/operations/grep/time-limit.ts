/** Slow disks and long logs are no fault of the pattern. */
const BYTES_PER_MS = 10_000;

/** How long a file may take. */
export function timeLimitOf(timeLimitMs: number, bytes: number): number {
  return timeLimitMs + Math.ceil(bytes / BYTES_PER_MS);
}
