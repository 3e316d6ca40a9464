import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { FoundAnswer } from "../../src/web/server/answers.ts";
import { putToolLog, toolLog } from "../support/shrink/tool-log.ts";
import {
  archiveAll,
  folderRemote,
  makeMachine,
  shareRepository,
  sync,
  testFolder,
} from "../support/sync/machines.ts";
import { browserPath, launchBrowser, openPage, startServer } from "../support/web/browser.ts";

const TOKEN_SESSION = "#/session/claude%3A87f01b2f-1b5d-461b-8db4-95cd4ce864a4";

/** Names a cluster in the list of remotes. */
function addTeam(home: string, url: string): void {
  mkdirSync(join(home, ".sessions"), { recursive: true, mode: 0o700 });
  const remotes = [
    { name: "nas", kind: "folder", url: "/nowhere" },
    { name: "crew", kind: "opensearch", url },
  ];
  writeFileSync(join(home, ".sessions", "remotes.json"), JSON.stringify({ version: 1, remotes }));
}

describe.skipIf(browserPath === undefined)("the page, with what is elsewhere", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  test("names the machine of sessions that were pulled from it, in all places, and says what a restore changes", async () => {
    const root = testFolder();
    const mine = join(root, "mine");
    const server = await startServer(async (home) => {
      const paths = { "/home/ana": mine };
      const vm = makeMachine("vm", join(root, "vm"), [".claude"]);
      const here = makeMachine("here", home, [], { paths });
      // Of the projects of the other machine only one is here, and a project with the same name.
      mkdirSync(join(mine, "shop"), { recursive: true });
      putToolLog(home, toolLog([], "/srv/shop"));
      const remote = folderRemote(join(root, "nas"));
      mkdirSync(remote.url);
      await shareRepository(remote, [vm, here]);
      await archiveAll(vm);
      await sync(vm, remote);
      await sync(here, remote);
      writeFileSync(join(home, ".sessions", "config.json"), JSON.stringify({ machine: "here", paths }));
    });
    onTestFinished(server.end);
    const { page, wrong } = await openPage(browser, server.url);
    const row = page.getByRole("link", { name: /Fix token refresh race/ });
    await row.getByText("vm:shop").waitFor();
    await row.getByText("on vm", { exact: true }).waitFor();
    expect(await row.getByText("only in archive").count()).toBe(0);
    await row.click();
    const head = page.locator(".session-head");
    await head.getByText("on vm", { exact: true }).waitFor();
    await head.getByText("vm:shop").waitFor();
    await page.getByRole("tab", { name: "About" }).click();
    await page.locator(".about").getByText("on vm; the archive here has it too").waitFor();

    await page.getByRole("button", { name: "Restore" }).click();
    const dialog = page.getByRole("dialog", { name: "Restore this session?" });
    await dialog.getByText(`/home/ana/shop → ${mine}/shop`).waitFor();
    const says = await dialog.innerText();
    expect(says).toMatch(/\d+ lines? changed: /);
    expect(says).not.toContain("byte for byte");
    expect(says).not.toContain("is not on this machine");
    await page.keyboard.press("Escape");

    await page.getByRole("searchbox").fill("machine:vm project:tally");
    await page.getByRole("link", { name: /Memory leak/ }).click();
    await page.getByRole("heading", { name: /Memory leak/ }).waitFor();
    await page.getByRole("button", { name: "Restore" }).click();
    await dialog.getByText(/Its project .*tally is not on this machine; /).waitFor();
    await page.keyboard.press("Escape");

    await page.getByRole("link", { name: "Projects" }).click();
    const cards = page.locator(".card .title");
    await cards.first().waitFor();
    const names = (await cards.allInnerTexts()).filter((name) => name.endsWith("shop"));
    expect(names.toSorted()).toEqual(["shop", "vm:shop"]);
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByText("machine:vm").waitFor();
    expect(wrong).toEqual([]);
  });

  const search = (page: Page): Promise<void> => page.getByRole("searchbox").fill("walrus");
  const where = (page: Page) => page.getByRole("tablist", { name: "Where to search" });

  test("offers to search a team only if one is configured", async () => {
    const server = await startServer((home) => void putToolLog(home, toolLog([])));
    onTestFinished(server.end);
    const { page } = await openPage(browser, server.url);
    await page.getByText("1 session, newest first").waitFor();
    await page.getByRole("region", { name: "Overview" }).locator(".heat-map").waitFor();
    expect(await where(page).count()).toBe(0);
  });

  test("says why a team can't be searched, and goes back to this machine", async () => {
    const cluster = createServer((_, response) => void response.writeHead(401).end());
    await new Promise<void>((resolve) => cluster.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void cluster.close());
    const server = await startServer((home) => {
      putToolLog(home, toolLog([]));
      addTeam(home, `http://127.0.0.1:${(cluster.address() as AddressInfo).port}`);
    });
    onTestFinished(server.end);
    const { page } = await openPage(browser, server.url);
    await expect.poll(() => where(page).getByRole("tab").allInnerTexts()).toEqual(["This machine", "crew"]);
    await where(page).getByRole("tab", { name: "crew" }).click();
    await page.getByText("Type what to find in crew").waitFor();
    await search(page);
    await page
      .getByRole("status")
      .getByText(/^Cannot use the search engine|credentials/)
      .waitFor();
    await where(page).getByRole("tab", { name: "This machine" }).click();
    await page.getByRole("status").getByText("Nothing found").waitFor();
    await page.getByRole("button", { name: "Empty the search" }).click();
    await page.getByRole("link", { name: /Read what there is/ }).waitFor();
  });

  test("shows what a team shares: whose it is and where, what can be read of it, and what is missing", async () => {
    const server = await startServer((home) => {
      putToolLog(home, toolLog([]));
      addTeam(home, "http://127.0.0.1:9");
    });
    onTestFinished(server.end);
    const { page, wrong } = await openPage(browser, server.url);
    const line = {
      agent: "claude",
      branch: "main",
      startedAt: Date.UTC(2026, 9, 1),
      endedAt: Date.UTC(2026, 9, 1),
      turns: 3,
      bytes: 100,
      worktree: null,
      compactions: 0,
      state: "idle",
      isArchived: false,
      copies: 1,
      matchingTurns: 1,
    } as const;
    const there = {
      ...line,
      key: "claude:aaaa",
      id: "aaaa",
      title: "Deploy with the walrus",
      project: "/work/shop",
      owner: "bob",
      machine: "bobs-laptop",
      isHere: false,
      snippets: [
        {
          turn: 2,
          role: "reply",
          at: null,
          context: "current",
          text: "The walrus is deployed",
          highlights: [[4, 10]],
        },
      ],
    } as const;
    const here = {
      ...line,
      ...there,
      key: "claude:0a1b2c3d-1111-4222-8333-444455556666",
      title: "One's own walrus",
      owner: "ana",
      isHere: true,
    };
    const answer: FoundAnswer = {
      total: 2,
      ranked: 2,
      totalIsExact: false,
      match: "all",
      sessions: [there, here],
      nearestWords: [],
      coverage: { sessions: 2, turns: 6, problems: 0, indexedAt: null },
      partial: "1 of 3 shards did not answer",
    };
    const asked: string[] = [];
    await page.route("**/api/search?*", async (route) => {
      asked.push(new URL(route.request().url()).searchParams.get("remote") ?? "");
      await page.getByRole("status").getByText("Searching crew …").waitFor();
      await route.fulfill({ json: answer });
    });
    await where(page).getByRole("tab", { name: "crew" }).click();
    await search(page);
    await page
      .getByRole("status")
      .getByText("not everything was searched: 1 of 3 shards did not answer")
      .waitFor();
    const hit = page.getByRole("button", { name: /Deploy with the walrus/ });
    await hit.getByText("bob on bobs-laptop:shop").waitFor();
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => hit.getAttribute("aria-current")).toBe("true");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Deploy with the walrus" });
    await dialog.getByText("bob on bobs-laptop", { exact: true }).waitFor();
    await dialog.locator("mark", { hasText: "walrus" }).waitFor();
    await dialog.getByText("can't be opened here").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("link", { name: /One's own walrus/ }).click();
    await page.getByRole("heading", { name: /Read what there is/ }).waitFor();
    expect(asked.filter((remote) => remote !== "crew")).toEqual([]);
    expect(wrong).toEqual([]);
  });

  test.each([390, 800])(
    "warns above the list of what will be deleted (%i px), and has the colours and the keys",
    async (width) => {
      const server = await startServer((home) => {
        const log = putToolLog(home, toolLog([]));
        const old = Date.now() / 1000 - 20 * 86_400;
        utimesSync(log, old, old);
      });
      onTestFinished(server.end);
      const { page, wrong } = await openPage(browser, server.url, { viewport: { width, height: 800 } });
      const warning = page.getByRole("link", { name: "1 session will be deleted within 30 days" });
      await warning.waitFor();
      await page.getByRole("button", { name: "Colours: system" }).click();
      await page.getByRole("button", { name: "Colours: light" }).waitFor();
      await page.getByRole("button", { name: "Keys" }).click();
      await page.getByRole("dialog", { name: "Keys and operators" }).waitFor();
      await page.keyboard.press("Escape");
      await warning.click();
      await page.getByRole("heading", { name: "Keeping" }).waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);

      await page.getByRole("button", { name: "Archive all" }).click();
      const dialog = page.getByRole("dialog", { name: "Archive all sessions?" });
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await dialog.waitFor({ state: "detached" });
      await page.getByText("✗ no").waitFor();
      await page.getByRole("button", { name: "Archive all" }).click();
      await dialog.getByRole("button", { name: "Archive all" }).click();
      await dialog.getByText("1 session archived, 0 as they were.").waitFor();
      await dialog.locator(".buttons").getByRole("button", { name: "Close" }).click();
      await page.getByText("✓ yes").waitFor();
      expect(await page.getByRole("button", { name: "Archive all" }).count()).toBe(0);
      expect(wrong).toEqual([]);
    },
  );

  test("draws the list of the index at once, without waiting for changed logs, and asks once if nothing has changed", async () => {
    const server = await startServer();
    onTestFinished(server.end);
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const lists: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/api/list")) lists.push(request.url());
    });
    let letRefresh = (): void => undefined;
    const isAllowed = new Promise<void>((resolve) => {
      letRefresh = resolve;
    });
    await page.route("**/api/refresh?*", async (route) => {
      await isAllowed;
      await route.continue();
    });
    await page.goto(server.url);
    await page.getByRole("link", { name: /stripe/ }).waitFor();
    letRefresh();
    await page.locator(".heat-map").waitFor();
    expect(lists).toHaveLength(1);
  });

  test("draws the first list even if the check for changed logs is answered before it", async () => {
    const server = await startServer();
    onTestFinished(server.end);
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    let count = 0;
    let letList = (): void => undefined;
    const isAllowed = new Promise<void>((resolve) => {
      letList = resolve;
    });
    await page.route("**/api/list?*", async (route) => {
      count++;
      await isAllowed;
      await route.continue();
    });
    await page.goto(server.url);
    await page.locator(".heat-map").waitFor();
    letList();
    await page.getByRole("link", { name: /stripe/ }).waitFor();
    expect(count).toBe(1);
    await page.goto(`${server.origin}/${TOKEN_SESSION}`);
    await page.getByRole("heading", { name: /Fix token refresh race/ }).waitFor();
  });
});
