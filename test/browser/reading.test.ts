import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { plainWords, wordPlaces } from "../../src/web/client/highlight.ts";
import { startAtMatch } from "../../src/web/client/passage.ts";
import {
  browserPath,
  launchBrowser,
  openPage,
  type RunningServer,
  startServer,
} from "../support/web/browser.ts";

const TOKEN_SESSION = "#/session/claude%3A87f01b2f-1b5d-461b-8db4-95cd4ce864a4";
const BACKFILL = "#/session/claude%3A484e4bb2-8809-49fb-92e2-d5870129d604";
const TITLE = "Fix token refresh race in the auth client";

describe("wordPlaces()", () => {
  test.each([
    ["the checkpoint", ["checkpoint"]],
    ["LastCheckpointID", ["Checkpoint"]],
    ["last_checkpoint_id", ["checkpoint"]],
    ["IDCheckpoint", ["Checkpoint"]],
    ["recheckpoint CHECKPOINT", ["CHECKPOINT"]],
    ["ACHECKPOINT", []],
    ["checkpoints of checkpointing", ["checkpoint", "checkpoint"]],
  ])("finds checkpoint in %j where a word begins", (text, found) => {
    const places = wordPlaces(text, plainWords("checkpoint"));
    expect(places.map(([from, to]) => text.slice(from, to))).toEqual(found);
  });
});

describe("startAtMatch()", () => {
  const marked = ({ text, highlights }: ReturnType<typeof startAtMatch>): readonly string[] =>
    highlights.map(([from, to]) => text.slice(from, to));

  test("starts a passage shortly before its first match, at a word", () => {
    const before = "one two three four five six seven eight nine ten eleven twelve thirteen ";
    const rest = " and then some more words that fill two lines of the list, and a few more";
    const text = `${before}match and match${rest}`;
    const at = before.length;
    const shown = startAtMatch({
      text,
      highlights: [
        [at, at + 5],
        [at + 10, at + 15],
      ],
    });
    expect(shown.text).toBe(`…eleven twelve thirteen match and match${rest}`);
    expect(marked(shown)).toEqual(["match", "match"]);
  });

  test("leaves a passage alone that begins with a match, fits as a whole, or has no match", () => {
    const fits = { text: `${"word ".repeat(14)}match`, highlights: [[70, 75]] as const };
    expect(startAtMatch(fits)).toEqual(fits);
    const near = { text: "a few words, then match", highlights: [[18, 23]] as const };
    expect(startAtMatch(near)).toEqual(near);
    const none = { text: "x".repeat(200), highlights: [] };
    expect(startAtMatch(none)).toEqual(none);
  });

  test("cuts a text without spaces anywhere", () => {
    const shown = startAtMatch({ text: `${"x".repeat(200)}match`, highlights: [[200, 205]] });
    expect(marked(shown)).toEqual(["match"]);
    expect(shown.text.length).toBeLessThan(95);
  });
});

describe.skipIf(browserPath === undefined)("a session of the example history", () => {
  let browser: Browser;
  let server: RunningServer;
  beforeAll(async () => {
    [browser, server] = await Promise.all([launchBrowser(), startServer()]);
  });
  afterAll(async () => {
    server.end();
    await browser.close();
  });

  const openAt = async (hash: string, width = 1280): Promise<{ page: Page; wrong: readonly string[] }> => {
    const viewport = { width, height: 800 };
    const opened = await openPage(browser, `${server.url}&to=${encodeURIComponent(hash.slice(1))}`, {
      viewport,
    });
    await opened.page.getByRole("heading", { level: 1 }).waitFor();
    return opened;
  };

  test("keeps room for its title while the outline is open", async () => {
    const { page, wrong } = await openAt(TOKEN_SESSION);
    await page.locator("h1").click();
    await page.keyboard.press("o");
    await page.locator(".outline.open").waitFor();
    const title = await page.locator("h1").boundingBox();
    expect(title?.width ?? 0).toBeGreaterThan(300);
    expect(title?.height ?? 0).toBeLessThan(80);
    expect(wrong).toEqual([]);
  });

  test.each([1280, 390])(
    "begins with its title at turn 1; at others a bar has it in one line (%i px)",
    async (width) => {
      const { page, wrong } = await openAt(`${TOKEN_SESSION}/1?q=token`, width);
      await page.locator("#turn-1.linked .calls").first().waitFor();
      expect(await page.locator(".reader").evaluate((reader) => reader.scrollTop)).toBe(0);
      expect(await page.locator(".bar-title").isVisible()).toBe(false);
      await page.goto(`${server.origin}/${TOKEN_SESSION}/4?q=token`);
      const bar = page.locator(".stuck .bar-title", { hasText: TITLE });
      await bar.waitFor();
      expect((await bar.boundingBox())?.height).toBe(28);
      const request = page.locator("#turn-4 .request");
      const bottom = await page
        .locator(".tab-bar")
        .evaluate((element) => element.getBoundingClientRect().bottom);
      await expect.poll(async () => (await request.boundingBox())?.y ?? 0).toBeGreaterThan(bottom);
      await page.goto(`${server.origin}/${TOKEN_SESSION}/1?q=token`);
      await bar.waitFor({ state: "hidden" });
      expect(wrong).toEqual([]);
    },
  );

  test("says when each turn was, with the time of day", async () => {
    const { page } = await openAt(TOKEN_SESSION);
    const time = await page.locator("#turn-1 h3 time").innerText();
    expect(time).toMatch(/\d\d:\d\d$/);
  });

  test("has the summary of a compaction below the line that says that it was compacted", async () => {
    const { page, wrong } = await openAt(`${TOKEN_SESSION}/3`);
    const divider = page.locator(".divider", { hasText: /^Compacted/ });
    await divider.waitFor();
    expect(await divider.count()).toBe(1);
    const summary = page.getByRole("button", { name: "Summary of what came before" });
    const [above, below] = [await divider.boundingBox(), await summary.boundingBox()];
    expect(below?.y ?? 0).toBeGreaterThan(above?.y ?? 0);
    expect(wrong).toEqual([]);
  });

  test("shows the conversation of a sub-agent, and on request the result for its caller", async () => {
    const { page, wrong } = await openAt(`${BACKFILL}/1`);
    const call = page.locator("#turn-1 .call", { hasText: /^.Agent/ }).first();
    await call.getByRole("button").first().click();
    const subagent = call.locator(".subagent");
    await subagent.locator(".calls").first().waitFor();
    const prompt = (await subagent.locator(".request").innerText()).trim().slice(0, 60);
    const whole = await call.innerText();
    expect(whole.split(prompt).length - 1).toBe(1);
    expect(await call.locator(".details").count()).toBe(0);
    await call.getByRole("button", { name: "Result for its caller" }).click();
    await call.locator(".details .result").waitFor();
    expect(await call.locator(".details .input").count()).toBe(0);
    expect(wrong).toEqual([]);
  });

  test("says what its tokens are of, and what it used and cost", async () => {
    const { page, wrong } = await openAt(TOKEN_SESSION);
    await page
      .locator(".facts")
      .getByText(/^about [\d.]+k tokens of text$/)
      .waitFor();
    await page.getByRole("tab", { name: "About" }).click();
    await page.getByText(/^[\d.]+[kM] tokens in .* out, \$\d+\.\d\d at list prices/).waitFor();
    expect(wrong).toEqual([]);
  });

  test.each([
    ["memory", "2 sessions, and 5 that nearly match"],
    ["memory leak", "2 sessions, and 5 with some of the words"],
  ])("counts the sessions that a search for %j also finds", async (query, says) => {
    const { page } = await openPage(browser, server.url);
    await page.getByText("13 sessions, newest first").waitFor();
    await page.route("**/api/search?*", async (route) => {
      const answer = await (await route.fetch()).json();
      await route.fulfill({ json: { ...answer, match: "all", total: 2, ranked: 7, totalIsExact: true } });
    });
    await page.getByRole("searchbox").fill(query);
    await page.getByRole("status").getByText(says, { exact: true }).waitFor();
  });

  test("shows the first request of a session if only filters are asked for", async () => {
    const { page, wrong } = await openPage(browser, server.url);
    await page.getByRole("searchbox").fill("project:shop");
    await page.getByText("6 sessions", { exact: true }).waitFor();
    await expect.poll(() => page.locator(".entry .snippet").count()).toBe(6);
    const texts = await page.locator(".entry .snippet").allInnerTexts();
    expect(texts.every((text) => /^turn \d+ \S.{10}/.test(text))).toBe(true);
    expect(wrong).toEqual([]);
  });

  test.each([
    [1280, 45, 53],
    [1700, 53, 53],
  ])("shows as many weeks as there is room for, a year at most (%i px)", async (width, least, most) => {
    const { page } = await openPage(browser, server.url, { viewport: { width, height: 800 } });
    const map = page.getByRole("img", { name: "Activity by day" });
    await map.waitFor();
    const { weeks, room } = await map.evaluate((svg) => ({
      weeks: (svg.getBoundingClientRect().width - 30) / 14,
      room: svg.parentElement?.scrollWidth === svg.parentElement?.clientWidth,
    }));
    expect(room).toBe(true);
    expect(weeks).toBeGreaterThanOrEqual(least);
    expect(weeks).toBeLessThanOrEqual(most);
  });
});
