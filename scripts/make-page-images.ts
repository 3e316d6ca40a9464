/** Takes the pictures of the page in docs/images, from the example history, with the system's Chromium. */
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = fileURLToPath(new URL("..", import.meta.url));
const images = join(root, "docs", "images");
const DAY_MS = 86_400_000;

const SESSION = "#/session/claude%3A87f01b2f-1b5d-461b-8db4-95cd4ce864a4/2?q=token+refresh";
const wide = { width: 1240, height: 780 };
const narrow = { width: 820, height: 780 };
const phone = { width: 390, height: 780 };

const pictures = [
  { name: "page-session-light", hash: SESSION, ready: "#turn-2.linked .calls", viewport: wide, colorScheme: "light" },
  { name: "page-session-dark", hash: SESSION, ready: "#turn-2.linked .calls", viewport: wide, colorScheme: "dark" },
  { name: "page-overview-light", hash: "#/", ready: ".open-items", viewport: wide, colorScheme: "light" },
  { name: "page-overview-dark", hash: "#/", ready: ".open-items", viewport: wide, colorScheme: "dark" },
  { name: "page-activity-light", hash: "#/activity", ready: ".bars", viewport: wide, colorScheme: "light" },
  { name: "page-keeping-dark", hash: "#/keeping", ready: "table", viewport: narrow, colorScheme: "dark" },
  { name: "page-narrow-session-dark", hash: SESSION, ready: "#turn-2.linked .calls", viewport: narrow, colorScheme: "dark" },
  { name: "page-phone-list-dark", hash: "#/?q=timeout", ready: ".entry mark", viewport: phone, colorScheme: "dark" },
  { name: "page-phone-session-light", hash: SESSION, ready: "#turn-2.linked .calls", viewport: phone, colorScheme: "light" },
] as const;

/** A home with the example history as its own logs, so that the page also says what will be deleted. */
function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), "sessions-images-"));
  cpSync(join(root, "fixtures", "demo"), home, { recursive: true });
  const logs = readdirSync(home, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".jsonl"));
  for (const [at, path] of logs.sort().entries()) {
    const changed = new Date(Date.now() - (1 + ((at * 5) % 28)) * DAY_MS);
    utimesSync(join(home, path), changed, changed);
  }
  return home;
}

const home = makeHome();
const program = join(root, "dist", "sessions.cjs");
const server = spawn(process.execPath, [program, "serve", "--json"], {
  cwd: home,
  env: { PATH: process.env.PATH, HOME: home, SESSIONS_GUARD: "off" },
  stdio: ["ignore", "pipe", "inherit"],
});
const browser = await chromium.launch({
  executablePath: process.env.SESSIONS_TEST_CHROMIUM ?? "/usr/bin/chromium",
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
});
try {
  const url = await new Promise<string>((resolve, reject) => {
    server.stdout.setEncoding("utf8").once("data", (line: string) => resolve(JSON.parse(line).url));
    server.once("close", (code) => reject(new Error(`serve ended with ${code}`)));
  });
  mkdirSync(images, { recursive: true });
  for (const { name, hash, ready, viewport, colorScheme } of pictures) {
    const page = await browser.newPage({ viewport, colorScheme });
    await page.goto(url);
    await page.locator(".rail").waitFor();
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await page.locator(ready).first().waitFor();
    await page.waitForLoadState("networkidle");
    await page.screenshot({ path: join(images, `${name}.png`) });
    await page.close();
  }
} finally {
  server.kill();
  await browser.close();
  rmSync(home, { recursive: true, force: true });
}
