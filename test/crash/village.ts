import type { Processes } from "../../src/fs/processes.ts";

/** Made-up processes that live on one machine and die when told to. */
export interface Village {
  /** A new process, alive. */
  readonly born: () => Processes;
  readonly kill: (process: Processes) => void;
}

/** No system has so many: what /proc tells of real processes never mixes in. */
const FIRST_PID = 90_000_000;

export function village(host = "village"): Village {
  const alive = new Set<number>();
  let next = FIRST_PID;
  return {
    born: () => {
      const pid = next++;
      alive.add(pid);
      return { pid, host, exists: (other) => alive.has(other) };
    },
    kill: ({ pid }) => {
      alive.delete(pid);
    },
  };
}
