import { Buffer } from "node:buffer";
import type { ChildProcess } from "node:child_process";
import { constants, setPriority } from "node:os";
import { errorCode } from "../fs/disk-error.ts";
import type { RunOptions, World } from "./world.ts";

const MAX_ERROR_BYTES = 16 * 1024;

/** Runs a program in this terminal and waits for its end. No shell reads its arguments. */
export async function runProgram(
  program: string,
  args: readonly string[],
  variables: World["variables"],
  options: RunOptions,
): Promise<number | undefined> {
  // Not at the top: a bundle would load it at every start.
  const { spawn } = await import("node:child_process");
  return new Promise((resolve, reject) => {
    const output = options.quiet === true ? "ignore" : "inherit";
    const child = spawn(program, [...args], {
      stdio: [
        options.input === undefined ? "inherit" : "pipe",
        output,
        options.takeErrors === undefined ? output : "pipe",
      ],
      env: { ...variables, ...options.variables },
      ...(options.folder !== undefined && { cwd: options.folder }),
      ...(options.timeoutMs !== undefined && { timeout: options.timeoutMs, killSignal: "SIGKILL" }),
    });
    child.once("error", (error) => {
      if ("code" in error && (error.code === "ENOENT" || error.code === "EACCES")) resolve(undefined);
      else reject(error);
    });
    let errors = Buffer.alloc(0);
    child.stderr?.on("data", (part: Buffer) => {
      errors = Buffer.concat([errors, part]).subarray(-MAX_ERROR_BYTES);
    });
    // A program that a signal ended has the exit code that a shell would report.
    child.once("close", (code, signal) => {
      options.takeErrors?.(errors.toString("utf8"));
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
    // A pager that is closed before it has read everything closes its end; that is not an error.
    child.stdin?.on("error", () => {});
    child.stdin?.end(options.input);
  });
}

/**
 * Starts this program again in another process session: it outlives its parent, and a signal to the parent's group does not
 * reach it. It runs at low priority. Returns false if the system could not start a process.
 */
export async function startDetached(
  { command, args: ownArgs }: World["program"],
  args: readonly string[],
  variables: World["variables"],
): Promise<boolean> {
  const { spawn } = await import("node:child_process");
  let child: ChildProcess;
  try {
    child = spawn(command, [...ownArgs, ...args], { detached: true, stdio: "ignore", env: variables });
  } catch (error) {
    // Some refusals of the system are exceptions, others are events.
    if (errorCode(error) === undefined) throw error;
    return false;
  }
  // The number of the process says the same, and earlier.
  child.on("error", () => {});
  if (child.pid === undefined) return false;
  child.unref();
  try {
    setPriority(child.pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It may have ended already, or the system may not allow it.
  }
  return true;
}
