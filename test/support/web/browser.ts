import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { bundle } from "../run-bundle.ts";

const places: readonly string[] = [
  process.env.SESSIONS_TEST_CHROMIUM ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** The browser that the tests run in; undefined if this machine has none. */
export const browserPath: string | undefined = places.find((path) => path !== "" && existsSync(path));

if (browserPath === undefined)
  console.warn("No Chromium on this machine: the tests of the page in a browser are skipped.");

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
  end(): void;
}

/** Starts a server on the logs that `prepare` puts into an empty home; without any, it shows the example history. */
export async function startServer(
  prepare: (home: string) => void = () => undefined,
  args: readonly string[] = [],
): Promise<RunningServer> {
  const home = mkdtempSync(join(tmpdir(), "sessions-page-"));
  prepare(home);
  const runtime = process.versions.deno === undefined ? [] : ["run", "-A", "--quiet"];
  const child = spawn(process.execPath, [...runtime, bundle, "serve", "--json", ...args], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, SESSIONS_GUARD: "off" },
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
  const end = (): void => {
    child.kill("SIGKILL");
    rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  };
  return { home, url, origin, token: hash.replace("#token=", ""), end };
}

export interface OpenPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What went wrong in the page: errors of scripts, violated policies, requests to elsewhere. */
  readonly wrong: readonly string[];
}

/** Opens an address in a fresh profile, and watches it until the test ends. */
export async function openPage(
  browser: Browser,
  url: string,
  options: Parameters<Browser["newContext"]>[0] = {},
): Promise<OpenPage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const wrong = watch(page, new URL(url).origin);
  await page.goto(url);
  return { page, context, wrong };
}

/** Collects what should never happen in a page. */
export function watch(page: Page, origin: string): readonly string[] {
  const wrong: string[] = [];
  page.on("pageerror", (error) => void wrong.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") wrong.push(`console: ${message.text()}`);
  });
  page.on("dialog", (dialog) => {
    wrong.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith("blob:")) wrong.push(`request: ${url}`);
  });
  return wrong;
}
