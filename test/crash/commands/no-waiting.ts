import type timers from "node:timers/promises";

/** Timers that let others run and do not wait: what waits for other processes here waits for nobody. */
export function withoutWaiting(original: typeof timers): typeof timers {
  const setTimeout: typeof timers.setTimeout = (_, value) => original.setImmediate(value);
  return { ...original, setTimeout };
}
