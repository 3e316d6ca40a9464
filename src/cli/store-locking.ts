import { setImmediate, setTimeout } from "node:timers/promises";
import { recoverStore } from "../forget.ts";
import type { Locking } from "../fs/store.ts";
import { createStyle } from "./output/style.ts";
import type { World } from "./world.ts";

/** After this long, say what we are waiting for. */
const SILENT_MS = 1_000;

/** How commands wait for the store's lock. */
export function storeLocking(world: Pick<World, "processes" | "stderr">): Locking {
  let isShown = false;
  return {
    processes: world.processes,
    recover: recoverStore,
    wait: (ms) => setTimeout(ms),
    onWait: (by, waitedMs) => {
      if (isShown || waitedMs < SILENT_MS || !world.stderr.isTerminal) return;
      isShown = true;
      const who = by.owner === undefined ? "another process" : `process ${by.owner.pid}`;
      world.stderr.write(`${createStyle(world.stderr.hasColor).dim(`Waiting for ${who} …`)}\n`);
    },
  };
}

/** Lets Ctrl-C through between two steps of synchronous work. A timer would take a millisecond each time. */
export function pause(): Promise<void> {
  return setImmediate();
}
