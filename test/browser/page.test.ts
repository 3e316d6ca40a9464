import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Browser, Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  browserPath,
  launchBrowser,
  openPage,
  type RunningServer,
  startServer,
  watch,
} from "../support/web/browser.ts";
import { DOT, pastedInClaude } from "../support/web/pasted-image.ts";

const TOKEN_SESSION = "#/session/claude%3A87f01b2f-1b5d-461b-8db4-95cd4ce864a4";
const BACKFILL = "#/session/claude%3A484e4bb2-8809-49fb-92e2-d5870129d604";

describe.skipIf(browserPath === undefined)("the page, with the example history", () => {
  let browser: Browser;
  let server: RunningServer;
  beforeAll(async () => {
    [browser, server] = await Promise.all([launchBrowser(), startServer()]);
  });
  afterAll(async () => {
    server.end();
    await browser.close();
  });

  test("searches as one types, opens the best turn, and goes back", async () => {
    const { page, wrong } = await openPage(browser, server.url);
    await page.getByText("13 sessions, newest first").waitFor();
    expect(new URL(page.url()).hash).toBe("#/");
    await page.getByRole("searchbox").pressSequentially("token refresh race");
    const hit = page.getByRole("link", { name: /Fix token refresh race/ });
    await hit.locator("mark").first().waitFor();
    await hit.click();
    await page.getByRole("heading", { name: "Fix token refresh race in the auth client" }).waitFor();
    await page.getByText("What happens:").waitFor();
    expect(page.url()).toContain("87f01b2f");
    await page.goBack();
    await page.getByRole("region", { name: "Overview" }).waitFor();
    expect(wrong).toEqual([]);
  });

  test("needs no mouse", async () => {
    const { page, wrong } = await openPage(browser, server.url);
    await page.getByRole("link", { name: /stripe/ }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator("body").click({ position: { x: 1200, y: 850 } });
    await page.keyboard.press("/");
    await page.keyboard.type("memory leak");
    await page.getByRole("link", { name: /Memory leak in tally watch/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Memory leak in tally watch" }).waitFor();
    await page.locator("h1").click();
    await page.keyboard.press("n");
    await page.keyboard.press("c");
    await page.getByRole("tab", { name: "What the agent sees now", selected: true }).waitFor();
    await page.keyboard.press("c");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys and operators" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await page.getByRole("region", { name: "Overview" }).waitFor();
    expect(wrong).toEqual([]);
  });

  test("opens a session with Enter also if the address is about to follow what was typed", async () => {
    const { page, wrong } = await openPage(browser, server.url);
    await page.getByText("13 sessions, newest first").waitFor();
    await page.getByRole("searchbox").evaluate(async (input: HTMLInputElement) => {
      // The pause after which the address follows is over when this test says so.
      let followTyped: (() => void) | undefined;
      const start = window.setTimeout.bind(window);
      window.setTimeout = ((work: () => void, ms?: number) => {
        if (ms !== 400) return start(work, ms);
        followTyped = work;
        return 0;
      }) as typeof window.setTimeout;
      input.value = "memory leak";
      input.dispatchEvent(new InputEvent("input", { bubbles: true }));
      while (document.querySelector(".entry mark") === null || followTyped === undefined)
        await new Promise(requestAnimationFrame);
      input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
      followTyped();
    });
    await page.getByRole("heading", { name: "Memory leak in tally watch" }).waitFor();
    await expect.poll(() => new URL(page.url()).hash).toContain("#/session/");
    expect(wrong).toEqual([]);
  });

  test("keeps a key that comes at the moment when the address follows what was typed", async () => {
    const { page, wrong } = await openPage(browser, server.url);
    await page.getByText("13 sessions, newest first").waitFor();
    await page.getByRole("searchbox").evaluate((input: HTMLInputElement) => {
      const type = (text: string): void => {
        input.value = text;
        input.dispatchEvent(new InputEvent("input", { bubbles: true }));
      };
      const replace = history.replaceState.bind(history);
      history.replaceState = (...place) => {
        replace(...place);
        history.replaceState = replace;
        type("memory leak");
      };
      type("memory");
    });
    await expect.poll(() => new URL(page.url()).hash).toBe("#/?q=memory+leak");
    expect(await page.getByRole("searchbox").inputValue()).toBe("memory leak");
    expect(wrong).toEqual([]);
  });

  test("opens at the place that comes with the token, which leaves the address at once", async () => {
    const place = `${TOKEN_SESSION.slice(1)}/4?q=token`;
    const { page, wrong } = await openPage(browser, `${server.url}&to=${encodeURIComponent(place)}`);
    await page.locator("#turn-4").waitFor();
    expect(new URL(page.url()).hash).toBe(`#${place}`);
    expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(2);
    const elsewhere = `${server.url}&to=${encodeURIComponent("https://example.com/")}`;
    const { page: other } = await openPage(browser, elsewhere);
    await other.getByText("13 sessions, newest first").waitFor();
    expect(new URL(other.url()).hash).toBe("#/");
    expect(wrong).toEqual([]);
  });

  test("follows an address that changes while the page is drawn for the first time", async () => {
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.addInitScript(() => {
      const watcher = new MutationObserver(() => {
        if (document.querySelector("[type=search]") === null) return;
        watcher.disconnect();
        location.hash = "#/projects";
      });
      watcher.observe(document, { childList: true, subtree: true });
    });
    await page.goto(server.url);
    await page.getByRole("heading", { name: "Projects" }).waitFor({ timeout: 10_000 });
  });

  test("opens at the turn that a link names, with its calls, diffs and sub-agents to unfold", async () => {
    const { page, wrong } = await openPage(browser, server.url);
    await page.goto(`${server.origin}/${TOKEN_SESSION}/4`);
    const turn = page.locator("#turn-4");
    await turn.locator(".calls").first().waitFor();
    await expect.poll(async () => Math.round((await turn.boundingBox())?.y ?? 0)).toBeLessThan(200);
    await page.goto(`${server.origin}/${TOKEN_SESSION}/2`);
    const edit = page.locator("#turn-2 .call", { hasText: "Edit" }).first();
    await edit.getByRole("button").click();
    const diff = edit.locator(".diff").first();
    await diff.locator(".added").first().waitFor();
    const tops = await diff.evaluate((box) =>
      [...box.querySelectorAll("span")].map((line) => line.getBoundingClientRect().top),
    );
    expect(tops.length).toBeGreaterThan(3);
    expect(tops.every((top, at) => at === 0 || top > (tops[at - 1] ?? 0))).toBe(true);
    await page.goto(`${server.origin}/${BACKFILL}/1`);
    await page
      .locator("#turn-1 .call", { hasText: /^.Agent/ })
      .getByRole("button")
      .click();
    await page.getByText(/Sub-agent · /).waitFor();
    await page.locator(".subagent .calls").first().waitFor();
    expect(wrong).toEqual([]);
  });

  test("shows what the agent sees now, without what was compacted away", async () => {
    const { page, wrong } = await openPage(browser, server.url);
    await page.goto(`${server.origin}/${TOKEN_SESSION}`);
    await page.locator(".divider", { hasText: /^Compacted/ }).waitFor();
    await page.getByRole("tab", { name: "What the agent sees now" }).click();
    await page.getByText("3 turns of 5 were compacted away").waitFor();
    await page.getByText("Summary of what came before").click();
    const shown = await page.locator(".agent-context").innerText();
    expect(shown).toContain("Several tabs? Each has its own client");
    expect(shown).not.toContain("Support has eleven tickets");
    expect(wrong).toEqual([]);
  });

  test("has a view for projects, files, open work and activity, each of which leads to sessions", async () => {
    const { page, wrong } = await openPage(browser, server.url);
    const views = page.getByRole("navigation", { name: "Views" });
    await views.getByRole("link", { name: "Projects" }).click();
    await page.getByRole("link", { name: /shop/ }).click();
    await page.getByText("6 sessions", { exact: true }).waitFor();
    expect(await page.getByRole("searchbox").inputValue()).toBe("project:/home/ana/shop");

    await views.getByRole("link", { name: "Files" }).click();
    await page.getByRole("searchbox", { name: "File" }).fill("auth.ts");
    await page.keyboard.press("Enter");
    await page
      .getByText(/src\/auth\.ts/)
      .first()
      .waitFor();
    await page.getByRole("link", { name: /Fix token refresh race/ }).click();
    await page.getByRole("heading", { name: /Fix token refresh race/ }).waitFor();

    await views.getByRole("link", { name: "Open work" }).click();
    const item = page.locator(".open-items li", { hasText: "Drop orders.total and the trigger" });
    await item.getByRole("link", { name: "turn 3" }).click();
    await page.locator("#turn-3.linked").waitFor();

    await views.getByRole("link", { name: "Activity" }).click();
    await page.getByRole("heading", { name: "Agents" }).waitFor();
    await page.getByRole("tab", { name: "Cost" }).click();
    await page.getByRole("heading", { name: "Models" }).waitFor();
    await page.getByRole("link", { name: /^2026-09-08: / }).click();
    await page.getByRole("link", { name: /Fix token refresh race/ }).waitFor();
    expect(await page.getByRole("searchbox").inputValue()).toBe("since:2026-09-08 until:2026-09-08");

    await views.getByRole("link", { name: "Keeping" }).click();
    await page.getByText("No agent here deletes sessions.").waitFor();
    expect(wrong).toEqual([]);
  });

  test("exports after asking", async () => {
    const { page, wrong } = await openPage(browser, server.url);
    await page.goto(`${server.origin}/${TOKEN_SESSION}`);
    await page.getByRole("button", { name: "Export" }).click();
    const dialog = page.getByRole("dialog", { name: "Export this session?" });
    await dialog.getByLabel(/HTML/).check();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("button", { name: "Export" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("87f01b2f-1b5d-461b-8db4-95cd4ce864a4.html");
    expect(readFileSync(await download.path(), "utf8")).toContain("Fix token refresh race");
    expect(wrong).toEqual([]);
  });

  test("works in a second tab of the same browser, also after a reload", async () => {
    const { page, context, wrong } = await openPage(browser, server.url);
    await page.getByText("13 sessions, newest first").waitFor();
    const second = await context.newPage();
    const wrongInSecond = watch(second, server.origin);
    await second.goto(`${server.origin}/${TOKEN_SESSION}/5`);
    await second.getByRole("heading", { name: /Fix token refresh race/ }).waitFor();
    await second.reload();
    await second.getByRole("heading", { name: /Fix token refresh race/ }).waitFor();
    await page.getByRole("searchbox").fill("cors");
    await page.getByRole("link", { name: /CORS for the checkout domain/ }).waitFor();
    expect([...wrong, ...wrongInSecond]).toEqual([]);
  });

  test.each([
    ["a phone", 390, 844],
    ["a narrow window", 800, 700],
    ["a wide window", 1700, 1000],
  ])("fits %s: nothing is wider than the window", async (_, width, height) => {
    const { page, wrong } = await openPage(browser, server.url, { viewport: { width, height } });
    await page.getByRole("link", { name: /CORS for the checkout domain/ }).click();
    await page.getByRole("heading", { name: "CORS for the checkout domain" }).waitFor();
    await page.locator("#turn-1 .reply").first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    const reader = await page.locator(".reader").boundingBox();
    expect(reader?.width ?? 0).toBeGreaterThan(Math.min(width, 380) - 1);
    if (width < 1_000) {
      await page.getByRole("link", { name: "Back to the list" }).click();
      await page.getByRole("link", { name: /Log out all tabs/ }).waitFor();
    }
    expect(wrong).toEqual([]);
  });

  test("is dark or light as the system prefers, unless one is chosen", async () => {
    const { page } = await openPage(browser, server.url, { colorScheme: "dark" });
    await page.getByText("13 sessions, newest first").waitFor();
    const ground = (): Promise<string> =>
      page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await ground();
    await page.getByRole("button", { name: "Colours: system" }).click();
    const light = await ground();
    expect([dark, light]).toEqual(["rgb(23, 21, 19)", "rgb(252, 251, 249)"]);
    await page.reload();
    await page.getByRole("button", { name: "Colours: light" }).waitFor();
    expect(await ground()).toBe(light);
  });
});

describe.skipIf(browserPath === undefined)("the page, with an image in a request", () => {
  test("shows it in the turn, from the log alone", async () => {
    const { id, place, lines } = pastedInClaude("What is wrong in this picture?", DOT);
    const server = await startServer((home) => {
      mkdirSync(dirname(join(home, place)), { recursive: true });
      writeFileSync(join(home, place), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    });
    const browser = await launchBrowser();
    onTestFinished(async () => {
      server.end();
      await browser.close();
    });
    const to = encodeURIComponent(`/session/claude%3A${id}/1`);
    const { page, wrong } = await openPage(browser, `${server.url}&to=${to}`);
    const image = page.getByAltText("Image 1 of the request");
    await image.waitFor();
    expect(await image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBe(1);
    expect(wrong).toEqual([]);
  });
});

describe.skipIf(browserPath === undefined)("the list of many sessions", () => {
  const DAY = 86_400_000;
  const line = (id: string, at: number, content: string): string =>
    `${JSON.stringify({
      type: "user",
      uuid: `${at}`,
      parentUuid: null,
      sessionId: id,
      cwd: "/home/ana/shop",
      timestamp: new Date(Date.UTC(2026, 0, 1) + at * DAY).toISOString(),
      message: { role: "user", content },
    })}\n`;

  test("shows the rows in view, wherever it is scrolled to, after a log has changed", async () => {
    const MANY = 150;
    const idOf = (at: number): string => `${String(at).padStart(8, "0")}-1b5d-461b-8db4-95cd4ce864a4`;
    let oldest = "";
    const server = await startServer((home) => {
      const folder = join(home, ".claude/projects/-home-ana-shop");
      mkdirSync(folder, { recursive: true });
      for (let at = 0; at < MANY; at++)
        writeFileSync(join(folder, `${idOf(at)}.jsonl`), line(idOf(at), at, `Request of day ${at}`));
      oldest = join(folder, `${idOf(0)}.jsonl`);
    });
    const browser = await launchBrowser();
    onTestFinished(async () => {
      server.end();
      await browser.close();
    });
    const { page, wrong } = await openPage(browser, server.url);
    await page.getByText(`${MANY} sessions, newest first`).waitFor();
    const row = (at: number): Locator =>
      page.locator(".entry").getByText(`Request of day ${at}`, { exact: true });
    await page.locator(".virtual").evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await row(0).waitFor();
    appendFileSync(oldest, line(idOf(0), MANY, "Now it is the newest"));
    // As if one came back to the tab: it looks for changes at once.
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await row(0).waitFor({ state: "detached" });
    await row(1).waitFor();
    await expect.poll(() => page.locator(".ghost").count()).toBe(0);
    expect(wrong).toEqual([]);
  });
});
