/**
 * How long a person waits for the page, in a real Chromium: first paint, a search per key, a long session, scrolling.
 *
 *   npm run bench:page                  700 MB of generated logs
 *   npm run bench:page -- --mb 5000     more of them
 *   npm run bench:page -- --home DIR    logs of a home that is there, with its store in --store DIR
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, type RunningServer, serveHome } from "../support/web/serve-home.ts";
import { median } from "./support/measure.ts";
import { writeHome, writeLog } from "./support/write-logs.ts";

const { values } = parseArgs({
  options: {
    mb: { type: "string", default: "700" },
    home: { type: "string" },
    store: { type: "string" },
    runs: { type: "string", default: "9" },
  },
});
const program = fileURLToPath(new URL("../../dist/sessions.cjs", import.meta.url));
const runs = Number(values.runs);
const LONG_LOG_BYTES = 40e6;
const QUERIES = ["token refresh retry", "everywhere test", "zuzuzuzu", "the of"];

const rows: string[] = [];
function note(what: string, measured: readonly number[], goal = ""): void {
  const sorted = measured.toSorted((a, b) => a - b);
  const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN;
  rows.push(`| ${what} | ${median(measured).toFixed(0)} ms | ${p95.toFixed(0)} ms | ${goal} |`);
  console.log(rows.at(-1));
}

/** Runs steps in a page, and returns what the server's process and its threads used meanwhile, in milliseconds. */
async function processorTime(server: RunningServer, steps: () => Promise<void>): Promise<number> {
  const read = (): number => {
    const path = `/proc/${server.pid}/stat`;
    if (!existsSync(path)) return Number.NaN;
    const fields = readFileSync(path, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    // In ticks of 10 ms.
    return (Number(fields[11]) + Number(fields[12])) * 10;
  };
  const before = read();
  await steps();
  return read() - before;
}

/**
 * Says when something is first in the page, seen from inside: asking from outside takes longer than the page does. It is
 * text, and has `__name`, because tsx calls that in the functions that are sent to the page.
 */
const WATCHER = `
globalThis.__name = (named) => named;
globalThis.seen = async (isThere) => {
  while (!isThere()) await new Promise(requestAnimationFrame);
  return performance.now();
};`;

async function openAt(browser: Browser, url: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript({ content: WATCHER });
  await page.goto(url);
  return page;
}

interface Watcher {
  seen(isThere: () => boolean): Promise<number>;
}

async function measureFirstPaint(browser: Browser, url: string): Promise<void> {
  const paints: number[] = [];
  const contents: number[] = [];
  const lists: number[] = [];
  for (let run = 0; run <= runs; run++) {
    const page = await openAt(browser, url);
    const list = await page.evaluate(() =>
      (window as unknown as Watcher).seen(() => document.querySelector(".entry") !== null),
    );
    const [paint = Number.NaN, content = Number.NaN] = await page.evaluate(() =>
      ["first-paint", "first-contentful-paint"].map(
        (name) => performance.getEntriesByName(name)[0]?.startTime,
      ),
    );
    // The browser compiles the page in the first round.
    if (run > 0) {
      paints.push(paint);
      contents.push(content);
      lists.push(list);
    }
    await page.context().close();
  }
  note("first paint", paints, "200 ms");
  note("first words of the page", contents);
  note("the list of sessions is there", lists);
}

/** Types queries; a key counts from its event until the answer to what was typed so far is in the page. */
async function measureKeys(browser: Browser, server: RunningServer): Promise<void> {
  const page = await openAt(browser, server.url);
  await page.locator(".entry").first().waitFor();
  const shown: number[] = [];
  const calls: number[] = [];
  const used = await processorTime(server, async () => {
    for (const query of QUERIES) {
      for (let length = 1; length <= query.length; length++) {
        // A space at the end changes nothing, so nothing is asked for.
        if (query[length - 1] === " ") continue;
        const { ms, call } = await page.evaluate(typeQuery, query.slice(0, length));
        shown.push(ms);
        if (call !== null) calls.push(call);
      }
    }
  });
  await page.context().close();
  note("a key: until its answer is shown", shown, "50 ms at 700 MB");
  note("a key: the call alone", calls);
  console.log(`processor time of the server: ${(used / shown.length).toFixed(0)} ms a key`);
}

/** Runs in the page: puts a text into the search, and waits for the answer to it. */
async function typeQuery(text: string): Promise<{ readonly ms: number; readonly call: number | null }> {
  const input = document.querySelector<HTMLInputElement>("input[type=search]");
  const status = document.querySelector("[role=status]");
  if (input === null || status === null) throw new Error("The page has no search");
  performance.clearResourceTimings();
  const isDrawn = new Promise<void>((resolve) => {
    const observer = new MutationObserver(() => {
      const [call] = performance.getEntriesByType("resource");
      if (call === undefined) return;
      observer.disconnect();
      resolve();
    });
    observer.observe(document.body, {
      childList: true,
      subtree: true,
      characterData: true,
      attributes: true,
    });
  });
  const start = performance.now();
  input.value = text;
  input.dispatchEvent(new InputEvent("input", { bubbles: true }));
  await Promise.race([isDrawn, new Promise((resolve) => setTimeout(resolve, 3_000))]);
  const ms = performance.now() - start;
  const [call] = performance.getEntriesByType("resource");
  // Let what else the page does come to rest.
  await new Promise((resolve) => setTimeout(resolve, 60));
  return { ms, call: call?.duration ?? null };
}

async function measureLongSession(browser: Browser, server: RunningServer, id: string): Promise<void> {
  const opened: number[] = [];
  const again: number[] = [];
  const jumps: number[] = [];
  for (let run = 0; run < 3; run++) {
    const page = await openAt(browser, server.url);
    await page.locator(".entry").first().waitFor();
    for (const times of [opened, again]) {
      const ms = await page.evaluate(async (hash) => {
        const start = performance.now();
        location.hash = hash;
        const { seen } = window as unknown as Watcher;
        return (await seen(() => document.querySelector(".turn .calls, .turn .prose") !== null)) - start;
      }, `#/session/claude%3A${id}`);
      times.push(ms);
      const last = await page.evaluate(async () => {
        const all = document.querySelectorAll(".turn[id]");
        const turn = all[all.length - 1];
        const start = performance.now();
        turn?.scrollIntoView();
        const { seen } = window as unknown as Watcher;
        return (await seen(() => turn?.querySelector(".calls, .prose") !== null)) - start;
      });
      jumps.push(last);
      await page.evaluate(() => {
        location.hash = "#/";
      });
      await page.locator(".session-head").waitFor({ state: "detached" });
    }
    await page.context().close();
  }
  note(`a session of ${LONG_LOG_BYTES / 1e6} MB: its first turn is there`, opened);
  note("the same again", again);
  note("its last turn is there", jumps);
}

/** Scrolls through the whole list in steps of a screen; a frame over 16 ms is one that is seen to be late. */
async function measureScrolling(browser: Browser, server: RunningServer): Promise<void> {
  const page = await openAt(browser, server.url);
  await page.locator(".entry").first().waitFor();
  const {
    frames,
    filled,
    rows: most,
  } = await page.evaluate(async () => {
    const box = document.querySelector(".virtual");
    if (box === null) throw new Error("The page has no list");
    const frames: number[] = [];
    const filled: number[] = [];
    let rows = 0;
    const nextFrame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));
    const STEPS = 60;
    for (let step = 1; step <= STEPS; step++) {
      const start = performance.now();
      box.scrollTop = ((box.scrollHeight - box.clientHeight) * step) / STEPS;
      const before = await nextFrame();
      frames.push((await nextFrame()) - before);
      while (box.querySelector(".ghost") !== null) await nextFrame();
      filled.push(performance.now() - start);
      rows = Math.max(rows, box.querySelectorAll(".row").length);
    }
    return { frames, filled, rows };
  });
  await page.context().close();
  note("scrolling the list: a frame", frames, "16 ms");
  note("scrolling a 60th of the list at once: until its rows are filled", filled);
  console.log(`rows in the page at once: at most ${most}`);
}

const folder = mkdtempSync(join(tmpdir(), "sessions-page-bench-"));
try {
  const home = values.home ?? join(folder, "home");
  if (values.home === undefined) {
    writeHome(join(home, ".claude"), Number(values.mb) * 1e6 - LONG_LOG_BYTES, 1);
    const path = join(home, ".claude/projects/-home-ana-long/ffffffff-0000-4000-8000-000000000000.jsonl");
    writeLog(path, LONG_LOG_BYTES, 7, "/home/ana/long", Date.UTC(2026, 5, 1));
  }
  const longest = longestLog(join(home, ".claude/projects"));
  const started = performance.now();
  const server = await serveHome(program, home, values.store ?? join(folder, "store"));
  console.log(`served after ${((performance.now() - started) / 1000).toFixed(1)} s`);
  const browser = await launchBrowser();
  try {
    await measureFirstPaint(browser, server.url);
    await measureKeys(browser, server);
    await measureLongSession(browser, server, basename(longest, ".jsonl"));
    await measureScrolling(browser, server);
  } finally {
    server.end();
    await browser.close();
  }
  console.log(`\n| what | median | 95 of 100 | goal |\n|---|---|---|---|\n${rows.join("\n")}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function longestLog(projects: string): string {
  const logs = readdirSync(projects, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(projects, name));
  return logs.reduce((a, b) => (statSync(a).size >= statSync(b).size ? a : b));
}
