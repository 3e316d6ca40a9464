import { constants } from "node:os";
import type { RunOptions, World } from "./world.ts";

/** Runs a program in this terminal and waits for its end. Arguments are passed as they are: no shell reads them. */
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
      stdio: [options.input === undefined ? "inherit" : "pipe", output, output],
      env: { ...variables, ...options.variables },
      ...(options.folder !== undefined && { cwd: options.folder }),
      ...(options.timeoutMs !== undefined && { timeout: options.timeoutMs, killSignal: "SIGKILL" }),
    });
    child.once("error", (error) => {
      if ("code" in error && (error.code === "ENOENT" || error.code === "EACCES")) resolve(undefined);
      else reject(error);
    });
    // Ended by a signal: the exit code is what a shell would make of it.
    child.once("close", (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
    // A pager that is left before it has read everything closes its end; nothing is wrong with that.
    child.stdin?.on("error", () => {});
    child.stdin?.end(options.input);
  });
}
