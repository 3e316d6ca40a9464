/**
 * How long a person waits in the picker: from a key until its answer is drawn. The picker's own steps are run (update,
 * fetch, render) with the index kept open, without a terminal behind them.
 *
 *   npm run bench:pick                  700 MB of generated logs
 *   npm run bench:pick -- --mb 5000     more of them
 *   npm run bench:pick -- --home DIR    logs of a home that is there, with its store in --store DIR
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createStyle } from "../../src/cli/output/style.ts";
import { createScreenWriter } from "../../src/cli/pick/draw-screen.ts";
import { fetchAnswer } from "../../src/cli/pick/fetch-answer.ts";
import {
  initialState,
  keyOf,
  needsAnswer,
  needsDigest,
  type PickState,
  requestOf,
  update,
} from "../../src/cli/pick/pick-state.ts";
import { render } from "../../src/cli/pick/pick-view.ts";
import type { Key } from "../../src/cli/pick/read-keys.ts";
import { type HistorySearcher, openHistory } from "../../src/index.ts";
import { measure, median } from "./support/measure.ts";
import { writeHome } from "./support/write-logs.ts";

const { values } = parseArgs({
  options: {
    mb: { type: "string", default: "700" },
    home: { type: "string" },
    store: { type: "string" },
    runs: { type: "string", default: "5" },
  },
});
const program = fileURLToPath(new URL("../../dist/sessions.cjs", import.meta.url));
const runs = Number(values.runs);
const QUERIES = ["token refresh retry", "everywhere test", "zuzuzuzu", "the of", "index*"];
const SIZE = { columns: 120, rows: 40 };

const clock = { now: () => Date.now(), offsetMinutesAt: () => 0 };
let drawn = 0;
const writer = createScreenWriter({
  write: (text) => {
    drawn += text.length;
  },
});

function note(what: string, measured: readonly number[]): void {
  const sorted = measured.toSorted((a, b) => a - b);
  const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN;
  const ms = (time: number): string => `${time.toFixed(1)} ms`;
  console.log(`| ${what} | ${ms(median(measured))} | ${ms(p95)} | ${measured.length} |`);
}

interface Desk {
  readonly searcher: HistorySearcher;
  readonly home: string;
}

function draw(state: PickState, { home }: Desk): void {
  writer.draw(render(state, { style: createStyle(true), clock, home }));
}

interface Pressed {
  readonly state: PickState;
  /** Until the list is drawn, and until the preview is, in milliseconds; undefined if the key asked for nothing. */
  readonly listMs?: number;
  readonly previewMs?: number;
}

/** Presses a key as the picker's loop does: draws at once, then again with the list, then with the preview. */
async function press(before: PickState, key: Key | undefined, desk: Desk): Promise<Pressed> {
  const from = performance.now();
  let state = key === undefined ? before : update(before, { kind: "key", key }).state;
  draw(state, desk);
  let listMs: number | undefined;
  if (needsAnswer(state)) {
    const answer = await fetchAnswer(desk.searcher, requestOf(state), { filter: {}, project: undefined });
    state = update(state, { kind: "answer", answer }).state;
    draw(state, desk);
    listMs = performance.now() - from;
  }
  const row = needsDigest(state);
  if (row === undefined) return listMs === undefined ? { state } : { state, listMs };
  state = update(state, {
    kind: "digest",
    key: keyOf(row),
    digest: await desk.searcher.digest(row),
  }).state;
  draw(state, desk);
  return { state, ...(listMs !== undefined && { listMs }), previewMs: performance.now() - from };
}

const named = (name: string): Key => ({ kind: "named", name });

async function measureKeys(first: PickState, desk: Desk): Promise<void> {
  const [typed, previews, moves, open]: number[][] = [[], [], [], []];
  const cpu = process.cpuUsage();
  let keys = 0;
  for (let run = 0; run < runs; run++) {
    for (const query of QUERIES) {
      let state = first;
      for (const text of query) {
        const pressed = await press(state, { kind: "text", text }, desk);
        keys++;
        state = pressed.state;
        if (pressed.listMs !== undefined) typed?.push(pressed.listMs);
        if (pressed.previewMs !== undefined) previews?.push(pressed.previewMs);
      }
      for (let at = 0; at < 5; at++) {
        const { previewMs, state: moved } = await press(state, named("down"), desk);
        state = moved;
        if (previewMs !== undefined) moves?.push(previewMs);
      }
      const { listMs } = await press(state, named("ctrl-g"), desk);
      if (listMs !== undefined) open?.push(listMs);
    }
  }
  const { user, system } = process.cpuUsage(cpu);
  console.log("\n| what | median | 95 of 100 | times |\n|---|---|---|---|");
  note("a key, until its answer is drawn", typed ?? []);
  note("the same, until the preview is drawn", previews ?? []);
  note("an arrow, until the preview is drawn", moves ?? []);
  note("^G, until open work is drawn", open ?? []);
  const each = (user + system) / 1000 / keys;
  console.log(
    `\n${each.toFixed(1)} ms of processor time for each of ${keys} keys; ${drawn} characters drawn`,
  );
}

const folder = mkdtempSync(join(tmpdir(), "sessions-pick-bench-"));
try {
  const home = values.home ?? join(folder, "home");
  const store = values.store ?? join(folder, "store");
  if (values.home === undefined) writeHome(join(home, ".claude"), Number(values.mb) * 1e6, 1);
  const variables = { HOME: home, SESSIONS_HOME: store, SESSIONS_GUARD: "off" };
  // In a process of its own: it has threads, and its memory is none of the picker's.
  const index = [program, "index", "--json"];
  const { ms } = measure(process.execPath, index, { PATH: process.env.PATH ?? "", ...variables });
  console.log(`indexed in ${(ms / 1000).toFixed(1)} s`);
  const history = await openHistory({ home, env: variables, now: Date.now });
  const searcher = await history.searcher();
  const desk = { searcher, home };
  const blank = initialState({
    size: SIZE,
    project: undefined,
    isDemo: false,
    scope: "everywhere",
    onEnter: "resume",
    query: "",
  });
  const { state, listMs = Number.NaN } = await press(blank, undefined, desk);
  console.log(`${state.answer?.total} sessions; the first list after ${listMs.toFixed(0)} ms`);
  await measureKeys(state, desk);
  await searcher.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
