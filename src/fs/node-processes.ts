import { hostname } from "node:os";
import { kill, pid } from "node:process";
import { errorCode } from "./disk-error.ts";
import type { Processes } from "./processes.ts";

/** The processes of this machine, seen from this one. */
export const nodeProcesses: Processes = {
  pid,
  host: hostname(),
  exists: (other) => {
    try {
      kill(other, 0);
      return true;
    } catch (error) {
      // EPERM: it exists, and belongs to somebody else.
      return errorCode(error) !== "ESRCH";
    }
  },
};
