import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";
import { type Browser, chromium } from "playwright-core";

const places: readonly string[] = [
  process.env.SESSIONS_TEST_CHROMIUM ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** The browser that the tests run in; undefined if this machine has none. */
export const browserPath: string | undefined = places.find((path) => path !== "" && existsSync(path));

export function launchBrowser(): Promise<Browser> {
  // Chromium refuses to run as root with its sandbox.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath: browserPath ?? "", args });
}

/** The server as users run it: the bundle, in a process of its own. */
export interface RunningServer {
  readonly home: string;
  readonly url: string;
  readonly origin: string;
  readonly token: string;
  readonly pid: number;
  end(): void;
}

/** Starts a server on the logs of a home, with its store in another place; both stay when it ends. */
export async function serveHome(
  program: string,
  home: string,
  store: string,
  args: readonly string[] = [],
): Promise<RunningServer> {
  const runtime = process.versions.deno === undefined ? [] : ["run", "-A", "--quiet"];
  const child = spawn(process.execPath, [...runtime, program, "serve", "--json", ...args], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, SESSIONS_HOME: store, SESSIONS_GUARD: "off" },
  });
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  const url = await new Promise<string>((resolve, reject) => {
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
      if (out.includes("\n")) resolve(JSON.parse(out).url);
    });
    child.once("close", (code) => reject(new Error(`serve ended with ${code}: ${err}`)));
  });
  const { origin, hash } = new URL(url);
  const end = (): void => void child.kill("SIGKILL");
  return { home, url, origin, token: hash.replace("#token=", ""), pid: child.pid ?? 0, end };
}
