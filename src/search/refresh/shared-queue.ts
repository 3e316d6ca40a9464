/**
 * A queue that several threads take from without asking each other: only numbers are shared. Each entry goes to one
 * of them.
 */
export interface QueueCounts {
  /** Taken in all, from the front, from the back. */
  readonly counts: Int32Array;
}

const ALL = 0;
const FRONT = 1;
const BACK = 2;

export function createQueueCounts(): QueueCounts {
  return { counts: new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT)) };
}

/** The numbers of the entries that fall to who takes from this end, until there are no more. */
export function* takeFrom(
  end: "front" | "back",
  length: number,
  { counts }: QueueCounts,
): Generator<number, void, void> {
  while (Atomics.add(counts, ALL, 1) < length) {
    yield end === "front" ? Atomics.add(counts, FRONT, 1) : length - 1 - Atomics.add(counts, BACK, 1);
  }
}
