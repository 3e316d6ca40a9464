import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { bundle } from "../run-bundle.ts";
import { browserPath, launchBrowser, type RunningServer, serveHome } from "./serve-home.ts";

export { browserPath, launchBrowser, type RunningServer };

if (browserPath === undefined)
  console.warn("No Chromium on this machine: the tests of the page in a browser are skipped.");

/** Starts a server on the logs that `prepare` puts into an empty home; without any, it shows the example history. */
export async function startServer(
  prepare: (home: string) => void | Promise<void> = () => undefined,
  args: readonly string[] = [],
): Promise<RunningServer> {
  const home = mkdtempSync(join(tmpdir(), "sessions-page-"));
  await prepare(home);
  const server = await serveHome(bundle, home, join(home, ".sessions"), args);
  const end = (): void => {
    server.end();
    rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  };
  return { ...server, end };
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
