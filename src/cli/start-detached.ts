import { constants, setPriority } from "node:os";
import type { World } from "./world.ts";

/**
 * Starts this program again in a session of its own: it outlives its parent, and what ends the parent's
 * group does not end it. It gives way to everything else on the machine.
 */
export async function startDetached(
  { command, args: ownArgs }: World["program"],
  args: readonly string[],
  variables: World["variables"],
): Promise<void> {
  // Takes a tenth of the start of the program, which nearly never needs it.
  const { spawn } = await import("node:child_process");
  const child = spawn(command, [...ownArgs, ...args], { detached: true, stdio: "ignore", env: variables });
  // Nobody is left to hear of it.
  child.on("error", () => {});
  child.unref();
  if (child.pid === undefined) return;
  try {
    setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It may be gone already, or the system may not allow it.
  }
}
