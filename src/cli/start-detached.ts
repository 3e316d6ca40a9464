import { constants, setPriority } from "node:os";

/**
 * Starts this program anew in a session of its own: it outlives its parent, and what ends the parent's
 * group does not end it. It gives way to everything else on the machine.
 */
export async function startDetached(host: NodeJS.Process, args: readonly string[]): Promise<void> {
  const script = host.argv[1];
  if (script === undefined) return;
  // Takes a tenth of the start of the program, which nearly never needs it.
  const { spawn } = await import("node:child_process");
  const runtime = host.versions.deno === undefined ? host.execArgv : ["run", "-A", "--quiet"];
  const child = spawn(host.execPath, [...runtime, script, ...args], {
    detached: true,
    stdio: "ignore",
    env: host.env,
  });
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
