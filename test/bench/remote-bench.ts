/**
 * The cluster against the embedded engine, and its growth:
 * `remote-bench quality` asks all labelled queries of both, on real logs; `remote-bench scale [turns …]` pushes a made
 * history from four processes and searches it with eight clients at each size.
 */
import { spawn } from "node:child_process";
import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { sessionSchema } from "../../src/search/document-fields.ts";
import type { SearchEngine } from "../../src/search/engine.ts";
import { type Cluster, createCluster, numberIn } from "../../src/search/opensearch/cluster.ts";
import { createOpenSearchEngine } from "../../src/search/opensearch/opensearch-engine.ts";
import { parseQuery } from "../../src/search/query/parse-query.ts";
import { searchClauses } from "../../src/search/query/search-clauses.ts";
import { noFilter } from "../../src/search/query/session-filter.ts";
import { qualityQueries } from "../quality/ask-queries.ts";
import { realHome, temporaryFolder } from "../real/support/real-home.ts";
import { installCluster, startCluster } from "../remote/opensearch/support/cluster.ts";
import { compareEngines } from "../remote/opensearch/support/side-by-side.ts";
import { madeSession, TURNS_PER_SESSION, wordAt } from "./support/made-sessions.ts";

const ALIAS = "bench";
const PROCESSES = 4;
const CLIENTS = 8;
const SEARCHES = 200;

const [mode = "scale", ...args] = process.argv.slice(2);
if (mode === "push") await push(args);
else await withCluster(mode === "quality" ? compareAll : scale);

async function withCluster(use: (urls: readonly string[]) => Promise<void>): Promise<void> {
  const installed = installCluster();
  if (installed.kind === "missing") throw new Error(installed.why);
  const settings = ["cluster.routing.allocation.disk.threshold_enabled=false"];
  const cluster = await startCluster(installed, { settings });
  try {
    await use(cluster.urls);
  } finally {
    await cluster.stop();
  }
}

async function compareAll(urls: readonly string[]): Promise<void> {
  const store = temporaryFolder();
  try {
    const found = await compareEngines(realHome(), store.path, { urls, alias: ALIAS }, qualityQueries);
    const share = (part: number): string => `${((100 * part) / found.queries).toFixed(1)} %`;
    print(`${found.queries} queries: the same five sessions ${share(found.sameFive)}, in the same order`);
    print(`${share(found.sameOrder)}, the same first ${share(found.sameFirst)}`);
    print(
      `the same totals ${share(found.sameTotals)}; p50 ${at(found.times, 0.5)} ms, p95 ${at(found.times, 0.95)} ms`,
    );
    for (const query of found.others) print(`  other sessions: ${query}`);
  } finally {
    store.remove();
  }
}

async function scale(urls: readonly string[]): Promise<void> {
  const sizes = args.length === 0 ? [20_000, 100_000, 200_000] : args.map(Number);
  const cluster = clusterAt(urls);
  print("turns     push s  turns/s  index MB  KB/session  search p50 ms  p95 ms");
  let pushed = 0;
  for (const size of sizes) {
    const started = performance.now();
    const [from, to] = [pushed / TURNS_PER_SESSION, size / TURNS_PER_SESSION];
    const share = (to - from) / PROCESSES;
    await Promise.all(
      Array.from({ length: PROCESSES }, (_, i) =>
        startPush(urls, `p${i}-${size}`, Math.floor(from + i * share), Math.floor(from + (i + 1) * share)),
      ),
    );
    const seconds = (performance.now() - started) / 1000;
    const stats = await cluster.send({ method: "GET", path: `/${ALIAS}/_stats/store` });
    const bytes =
      stats.kind === "reply" ? numberIn(stats.body, "_all", "primaries", "store", "size_in_bytes") : 0;
    const times = await search(urls);
    const row = [
      String(size).padEnd(9),
      seconds.toFixed(0).padStart(6),
      ((size - pushed) / seconds).toFixed(0).padStart(8),
      (bytes / 2 ** 20).toFixed(0).padStart(9),
      (bytes / 1024 / to).toFixed(1).padStart(11),
      at(times, 0.5).padStart(14),
      at(times, 0.95).padStart(7),
    ];
    print(row.join(" "));
    pushed = size;
  }
}

/** Searches with eight clients at once: one to four words, frequent and rare ones. */
async function search(urls: readonly string[]): Promise<readonly number[]> {
  const times: number[] = [];
  const queries = Array.from({ length: SEARCHES }, (_, i) =>
    Array.from({ length: 1 + (i % 4) }, (_word, j) =>
      wordAt((i * 37 + j * 911) % (j === 0 ? 300 : 20_000)),
    ).join(" "),
  );
  let next = 0;
  const client = async (): Promise<void> => {
    const engine = engineAt(urls, "p0-20000");
    for (let query = queries[next++]; query !== undefined; query = queries[next++]) {
      const started = performance.now();
      await ask(engine, query);
      times.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return times;
}

/** A whole search, as the command does it: open, ask, close. */
async function ask(engine: SearchEngine, query: string): Promise<void> {
  const opened = await engine.read();
  if (opened.kind !== "open") throw new Error(JSON.stringify(opened));
  const answer = await opened.reader.search({
    ...searchClauses(parseQuery(query), noFilter),
    filter: {},
    sort: "relevance",
    offset: 0,
    limit: 10,
    turnsPerHit: 3,
    now: Date.now(),
  });
  await opened.reader.close();
  if (answer.kind !== "answer") throw new Error(answer.what);
}

function startPush(urls: readonly string[], owner: string, from: number, to: number): Promise<void> {
  const file = fileURLToPath(import.meta.url);
  const child = spawn(
    process.execPath,
    [...process.execArgv, file, "push", urls.join(","), owner, String(from), String(to)],
    { stdio: "inherit" },
  );
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`${owner} ended with ${code}`))));
  });
}

/** One of the processes that push: sessions `from` up to `to`, as those of one person. */
async function push([urls = "", owner = "", from = "0", to = "0"]: readonly string[]): Promise<void> {
  const opened = await engineAt(urls.split(","), owner).write();
  if (opened.kind !== "open") throw new Error(JSON.stringify(opened));
  const { writer } = opened;
  for (let number = Number(from); number < Number(to); number++) await writer.put(madeSession(number));
  const committed = await writer.commit({ tidy: "little" });
  await writer.close();
  if (committed.kind !== "committed") throw new Error(committed.what);
}

function engineAt(urls: readonly string[], owner: string): SearchEngine {
  return createOpenSearchEngine({
    cluster: clusterAt(urls),
    alias: ALIAS,
    schema: sessionSchema,
    source: { owner, machine: "bench" },
    visibilityOf: () => "team",
  });
}

function clusterAt(urls: readonly string[]): Cluster {
  return createCluster({
    urls,
    fetch: globalThis.fetch,
    now: Date.now,
    random: Math.random,
    wait,
    patienceMs: 300_000,
  });
}

function at(times: readonly number[], share: number): string {
  return (times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0).toFixed(0);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
