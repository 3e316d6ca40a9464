import { spawn } from "node:child_process";
import process from "node:process";
import { inject } from "vitest";

/** What `node build.mjs` makes, and users run. */
export const bundle: string = inject("bundle");

export interface BundleRun {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly err: string;
}

export interface RunBundleOptions {
  /** Another file than the bundle. */
  readonly program?: string;
  /** A temporary folder: the real home is never seen. */
  readonly home: string;
  readonly folder?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Nothing says that the input has ended. */
  readonly keepInputOpen?: boolean;
  /** It is killed after this time. */
  readonly timeoutMs?: number;
  /** Close the other end of stdout before anything is written. */
  readonly closeOutput?: boolean;
}

/** Runs the bundled program in a process of its own, with the runtime that runs the tests. */
export function runBundle(args: readonly string[], options: RunBundleOptions): Promise<BundleRun> {
  const runtime = process.versions.deno === undefined ? [] : ["run", "-A", "--quiet"];
  const child = spawn(process.execPath, [...runtime, options.program ?? bundle, ...args], {
    cwd: options.folder ?? options.home,
    // Only tests that mean to start something in the background do.
    env: { PATH: process.env.PATH, HOME: options.home, SESSIONS_GUARD: "off", ...options.variables },
    stdio: "pipe",
    ...(options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs, killSignal: "SIGKILL" }),
  });
  if (options.closeOutput === true) child.stdout.destroy();
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  child.stdin.on("error", () => {});
  if (options.keepInputOpen === true) child.stdin.write(options.input ?? "");
  else child.stdin.end(options.input ?? "");
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal, out, err }));
  });
}
