import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runBundle } from "../support/run-bundle.ts";
import { browserPath, launchBrowser, openPage } from "../support/web/browser.ts";
import { DOT, pastedInClaude } from "../support/web/pasted-image.ts";

const demo = fileURLToPath(new URL("../../fixtures/demo/", import.meta.url));
const HOSTILE = "</script><img src=x onerror=alert(1)><script>alert(2)</script> walrus";

/** What went wrong, without the requests for the files of the site itself. */
const notOwn = (wrong: readonly string[], site: string): readonly string[] =>
  wrong.filter((what) => !what.startsWith(`request: ${pathToFileURL(site).href}/`));

describe.skipIf(browserPath === undefined)("an exported site, opened from disk", () => {
  const root = mkdtempSync(join(tmpdir(), "sessions-site-"));
  const site = join(root, "site");
  const url = pathToFileURL(join(site, "index.html")).href;
  let browser: Browser;
  beforeAll(async () => {
    cpSync(demo, root, { recursive: true });
    const project = join(root, ".claude/projects/-home-ana-evil");
    mkdirSync(project, { recursive: true });
    const id = "0e0e0e0e-1b5d-461b-8db4-95cd4ce864a4";
    const line = { sessionId: id, cwd: "/home/ana/evil", timestamp: "2026-10-20T08:30:00.000Z" };
    const lines = [
      { ...line, type: "user", uuid: "a", parentUuid: null, message: { role: "user", content: HOSTILE } },
      { type: "custom-title", customTitle: HOSTILE, sessionId: id },
    ];
    writeFileSync(join(project, `${id}.jsonl`), lines.map((each) => `${JSON.stringify(each)}\n`).join(""));
    const pasted = pastedInClaude("a pasted narwhal", DOT);
    mkdirSync(dirname(join(root, pasted.place)), { recursive: true });
    writeFileSync(join(root, pasted.place), pasted.lines.map((each) => `${JSON.stringify(each)}\n`).join(""));
    const { code, err } = await runBundle(["export", "--site", site], { home: root });
    if (code !== 0) throw new Error(err);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    rmSync(root, { recursive: true, force: true });
  });

  test("lists the sessions, searches as one types, and opens the page of a hit at its turn", async () => {
    const { page, wrong } = await openPage(browser, url);
    await page.getByText(/^15 sessions, exported/).waitFor();
    await page.locator("html[data-ready=yes]").waitFor({ state: "attached" });
    await page.getByRole("searchbox").pressSequentially("token refresh race");
    const hit = page.locator(".session", { hasText: "Fix token refresh race" });
    await hit.locator("mark").first().waitFor();
    expect(await page.locator(".session .title").first().textContent()).toMatch(/Fix token refresh race/);
    await page.getByText(/^\d+ sessions?, and \d+ with some of the words$/).waitFor();
    await hit.locator("a.turn").first().click();
    await page.getByRole("heading", { name: "Fix token refresh race in the auth client" }).waitFor();
    expect(page.url()).toMatch(/#turn-\d+$/);
    await page.goBack();
    await page.locator("mark").first().waitFor();
    await hit.locator("a.turn").first().click();
    await page.getByRole("link", { name: "All sessions" }).click();
    await page.getByText(/^15 sessions, exported/).waitFor();
    expect(notOwn(wrong, site)).toEqual([]);
  });

  test("shows hostile titles and messages as text, and runs nothing of them", async () => {
    const { page, wrong } = await openPage(browser, `${url}#q=walrus`);
    await page.locator("mark").first().waitFor();
    expect(await page.locator(".title").first().textContent()).toContain("<img src=x");
    await page.locator(".title").first().click();
    await page.locator("#turn-1").waitFor();
    expect(await page.locator("img, script").count()).toBe(0);
    expect(notOwn(wrong, site)).toEqual([]);
  });

  test("shows an image that was pasted into a request, and loads nothing for it", async () => {
    const { page, wrong } = await openPage(browser, `${url}#q=narwhal`);
    await page.locator(".title").first().click();
    const image = page.getByAltText("Image 1 of the request");
    await image.waitFor();
    expect(await image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBe(1);
    const elsewhere = notOwn(wrong, site).filter((what) => !what.startsWith("request: data:image/png"));
    expect(elsewhere).toEqual([]);
  });

  test("says so if nothing matches, and which fields need the program", async () => {
    const { page } = await openPage(browser, `${url}#q=zuzuzuzu`);
    await page.getByText("0 sessions").waitFor();
    await page.getByRole("searchbox").fill("token since:7d");
    await page.getByText("since: needs the program").waitFor();
  });
});
