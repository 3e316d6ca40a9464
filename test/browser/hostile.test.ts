import { appendFileSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { putToolLog, TOOL_SESSION, toolLog } from "../support/shrink/tool-log.ts";
import { browserPath, launchBrowser, openPage, startServer } from "../support/web/browser.ts";

const SESSION = `#/session/claude%3A${TOOL_SESSION}`;

/** Texts that have run scripts, loaded images or left the page in viewers of other programs. */
const hostile = [
  "<img src=x onerror=alert(1)>",
  "<script>alert(2)</script>",
  "</title><script>alert(3)</script>",
  "[click](javascript:alert(4))",
  "![](https://evil.example/pixel.png)",
  "![x](data:text/html,<script>alert(5)</script>)",
  '<a href="https://evil.example/" ping="https://evil.example/ping">x</a>',
  "<iframe src=https://evil.example/></iframe>",
  "<svg/onload=alert(6)>",
  "<style>@import 'https://evil.example/x.css';</style>",
  "<form action=https://evil.example><button>x</button></form>",
  "<meta http-equiv=refresh content='0;url=https://evil.example/'>",
  "<base href=https://evil.example/>",
  "{{constructor.constructor('alert(7)')()}}",
  "[x]: javascript:alert(8)\n[x]",
  "<javascript:alert(9)>",
  "`</code><script>alert(10)</script>`",
  "```html\n</code></pre><script>alert(11)</script>\n```",
  "| <img src=x onerror=alert(12)> | b |\n|---|---|\n| <script>alert(13)</script> | c |",
].join("\n\n");

const line = (rest: object): string =>
  `${JSON.stringify({ sessionId: TOOL_SESSION, cwd: "/home/ana/shop", timestamp: "2026-10-20T08:30:00.000Z", ...rest })}\n`;

function hostileLog(): string {
  const call = {
    id: "toolu_x",
    tool: "<b>Tool</b><script>alert(20)</script>",
    input: { command: hostile, x: hostile },
  };
  const log = toolLog([{ ...call, result: hostile }]);
  return (
    log +
    line({
      type: "user",
      uuid: "h-1",
      parentUuid: "u-3",
      message: { role: "user", content: hostile },
    }) +
    line({
      type: "assistant",
      uuid: "h-2",
      parentUuid: "h-1",
      message: { id: "m", role: "assistant", content: [{ type: "text", text: hostile }] },
    }) +
    `${JSON.stringify({ type: "custom-title", customTitle: `<img src=x onerror=alert(30)> ${hostile}`, sessionId: TOOL_SESSION })}\n`
  );
}

describe.skipIf(browserPath === undefined)("the page", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  test("shows hostile titles and messages as text: no script runs, nothing is loaded, nothing leaves", async () => {
    const server = await startServer((home) => void putToolLog(home, hostileLog()));
    onTestFinished(server.end);
    const { page, wrong } = await openPage(browser, server.url);
    await page.getByRole("searchbox").fill("evil");
    await page.locator(".entry").first().click();
    // Turns outside the window are not laid out.
    await page.locator("#turn-2 .reply").waitFor({ state: "attached" });
    await page.locator("#turn-2 .reply").scrollIntoViewIfNeeded();
    const call = page.locator("#turn-1 .call button").first();
    await call.click();
    await page.locator("#turn-1 .details").waitFor();
    await page.getByRole("tab", { name: "About" }).click();
    await page.getByRole("tab", { name: "What the agent sees now" }).click();
    await page.locator(".agent-context .reply").first().waitFor();
    const found = await page.evaluate(() => ({
      scripts: document.querySelectorAll("script").length,
      others: document.querySelectorAll("iframe, object, embed, base, form, style, link[href*=evil]").length,
      images: document.querySelectorAll("img").length,
      links: [...document.querySelectorAll("a")].map((a) => a.getAttribute("href") ?? ""),
    }));
    expect(found).toMatchObject({ scripts: 1, others: 0, images: 0 });
    expect(found.links.filter((href) => !/^(?:#|https:\/\/)/.test(href))).toEqual([]);
    expect(page.url().startsWith(server.origin)).toBe(true);
    expect(wrong).toEqual([]);
  });

  test("forbids scripts in its policy, even if one got into the page", async () => {
    const server = await startServer();
    onTestFinished(server.end);
    const { page } = await openPage(browser, server.url);
    await page.getByText("13 sessions, newest first").waitFor();
    const ran = await page.evaluate(() => {
      const script = document.createElement("script");
      let isBlocked = false;
      try {
        script.textContent = "window.wasRun = true";
        document.body.append(script);
        document.body.innerHTML = "<img src=x onerror='window.wasRun = true'>";
      } catch {
        isBlocked = true;
      }
      return { wasRun: "wasRun" in window, isBlocked };
    });
    expect(ran).toEqual({ wasRun: false, isBlocked: true });
  });

  test("is closed to a stranger's name that leads to this machine", async () => {
    const server = await startServer();
    onTestFinished(server.end);
    const { port } = new URL(server.origin);
    const strange = await browser.newContext();
    onTestFinished(() => strange.close());
    const page = await strange.newPage();
    // What DNS rebinding does: the stranger's name, this machine's address.
    const answer = await page.goto(`http://evil.localhost:${port}/`);
    expect(answer?.status()).toBe(421);
    const stolen = await page.evaluate(async (token) => {
      const reply = await fetch("/api/list", { headers: { "x-sessions-token": token } });
      return reply.status;
    }, server.token);
    expect(stolen).toBe(421);
  });

  test("gives another user of the machine, who can reach the port, nothing but a locked page", async () => {
    const server = await startServer();
    onTestFinished(server.end);
    const { page } = await openPage(browser, `${server.origin}/`);
    await page.getByRole("heading", { name: "This page is locked" }).waitFor();
    const { page: guessed } = await openPage(browser, `${server.origin}/#token=${"x".repeat(43)}`);
    await guessed.getByRole("heading", { name: "This page is locked" }).waitFor();
    expect(await guessed.locator(".entry").count()).toBe(0);
  });

  test("a page of another origin can neither read nor write", async () => {
    const [server, other] = [await startServer(), await startServer()];
    onTestFinished(server.end);
    onTestFinished(other.end);
    const { page } = await openPage(browser, `${other.origin}/page.css`);
    const tried = await page.evaluate(
      async ([origin, token]) => {
        const attempt = (init: RequestInit, path = "/api/list"): Promise<string> =>
          fetch(`${origin}${path}`, init).then(
            (reply) => `${reply.type} ${reply.status}`,
            () => "failed",
          );
        return Promise.all([
          attempt({ headers: { "x-sessions-token": token ?? "" } }),
          attempt({ mode: "no-cors" }),
          attempt({ method: "POST", mode: "no-cors", body: "{}" }, "/api/archive"),
        ]);
      },
      [server.origin, server.token],
    );
    for (const what of tried) expect(what).toMatch(/^failed$|^opaque 0$/);
  });

  test("follows a log that grows while it is shown", async () => {
    let log = "";
    const server = await startServer((home) => {
      log = putToolLog(home, toolLog([]));
    });
    onTestFinished(server.end);
    const { page, wrong } = await openPage(browser, `${server.url}`);
    await page.goto(`${server.origin}/${SESSION}`);
    await page.locator("#turn-1 .reply").waitFor();
    appendFileSync(
      log,
      line({
        type: "user",
        uuid: "g-1",
        parentUuid: "u-1",
        message: { role: "user", content: "What about zanzibar?" },
      }),
    );
    await page.locator("#turn-2", { hasText: "What about zanzibar?" }).waitFor({ timeout: 20_000 });
    appendFileSync(
      log,
      line({
        type: "assistant",
        uuid: "g-2",
        parentUuid: "g-1",
        message: { id: "g", role: "assistant", content: [{ type: "text", text: "It is an archipelago." }] },
      }),
    );
    await page.locator("#turn-2 .reply", { hasText: "It is an archipelago." }).waitFor({ timeout: 20_000 });
    await page.getByRole("searchbox").fill("zanzibar");
    await page.locator(".entry mark", { hasText: "zanzibar" }).waitFor({ timeout: 30_000 });
    expect(wrong).toEqual([]);
  });

  test("says what its agent will delete, when, and that the archive does not have it", async () => {
    const server = await startServer((home) => {
      const log = putToolLog(
        home,
        toolLog([]).replace("what there is", `what there is ${"and so on ".repeat(12)}`),
      );
      const old = Date.now() / 1000 - 20 * 86_400;
      utimesSync(log, old, old);
    });
    onTestFinished(server.end);
    const { page, wrong } = await openPage(browser, server.url);
    await page.getByRole("link", { name: "1 session will be deleted within 30 days" }).click();
    const row = page.getByRole("row", { name: /Read what there is/ });
    await expect.poll(() => row.innerText()).toMatch(/in 10 days\s+✗ no\s+shop/);
    for (const width of [800, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const [table, frame] = [
        await page.locator("table").boundingBox(),
        await page.locator(".wide").boundingBox(),
      ];
      expect(table?.width ?? 0).toBeLessThanOrEqual(frame?.width ?? 0);
      const title = await row.getByRole("cell").last().boundingBox();
      expect((title?.x ?? 0) + (title?.width ?? 0)).toBeLessThanOrEqual(
        (frame?.x ?? 0) + (frame?.width ?? 0),
      );
    }
    expect(wrong).toEqual([]);
  });

  test("archives and restores after asking, and says what it wrote", async () => {
    let log = "";
    const server = await startServer((home) => {
      log = putToolLog(home, toolLog([]));
      const old = Date.now() / 1000 - 3_600;
      utimesSync(log, old, old);
    });
    onTestFinished(server.end);
    const before = readFileSync(log);
    const { page, wrong } = await openPage(browser, server.url);
    await page.goto(`${server.origin}/${SESSION}`);
    await page.getByRole("button", { name: "Archive" }).click();
    const archive = page.getByRole("dialog", { name: "Archive this session?" });
    await archive.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Archive" }).click();
    await archive.getByRole("button", { name: "Archive" }).click();
    await archive.getByText("Archived.").waitFor();
    await archive.locator(".buttons").getByRole("button", { name: "Close" }).click();
    await page.locator(".actions").getByText("Archived").waitFor();
    expect(await page.getByRole("button", { name: "Archive" }).count()).toBe(0);
    rmSync(log);
    await page.locator(".session-head").getByText("only in archive").waitFor({ timeout: 30_000 });
    await page.getByRole("button", { name: "Restore" }).click();
    const restore = page.getByRole("dialog", { name: "Restore this session?" });
    await restore.getByText(log).waitFor();
    await restore.getByRole("button", { name: "Restore" }).click();
    await restore.getByText(`Restored: ${log}`).waitFor();
    expect(readFileSync(log).equals(before)).toBe(true);
    expect(statSync(log).isFile()).toBe(true);
    expect(wrong).toEqual([]);
  });
});
