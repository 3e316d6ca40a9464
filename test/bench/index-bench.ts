/**
 * Measures the index on a generated history: `npx tsx test/bench/index-bench.ts [turns]`.
 * Figures that are quoted in docs come from here.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { nodeDisk } from "../../src/fs/node-disk.ts";
import { nodeProcesses } from "../../src/fs/processes.ts";
import { createEmbeddedEngine } from "../../src/search/paged/embedded-engine.ts";
import { eachTerm } from "../support/index/terms-of.ts";
import { benchSchema } from "./bench-schema.ts";
import { generateHistory } from "./generated-history.ts";

const turns = Number(process.argv[2] ?? 115_000);
const rounds = 7;

const queries: Readonly<Record<string, string>> = {
  "three words": "token refresh kubernetes",
  "rare word": "zirconium",
  "word nearly everywhere": "the",
  "three common words": "everywhere the npm",
  typo: "kubernetse",
  "two typos": "zircnoium kubernets",
  prefix: "zirco*",
  "short prefix": "co*",
  nothing: "qqqqxqqqq",
};

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const base = fs.mkdtempSync(join(tmpdir(), "sessions-bench-"));
try {
  await build(join(base, "index"));
  measureQueries(join(base, "index"), join(base, "query.mjs"));
} finally {
  fs.rmSync(base, { recursive: true, force: true });
}

async function build(folder: string): Promise<void> {
  const engine = createEmbeddedEngine(nodeDisk, folder, nodeProcesses, benchSchema);
  const opened = await engine.write();
  if (opened.kind !== "open") throw new Error("locked");
  let bytes = 0;
  let sessions = 0;
  // Processor time: other programs may be running.
  const now = (): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  let putMs = 0;
  let analysisMs = 0;
  for (const session of generateHistory({ turns, seed: 1 })) {
    for (const { fields } of session.documents)
      for (const text of Object.values(fields)) bytes += text.length;
    sessions++;
    // The analysis alone, first: its cost is part of `put` and is shown apart.
    const start = now();
    for (const { fields } of session.documents) {
      for (const text of Object.values(fields)) eachTerm(text, () => {}, benchSchema.createAnalyzer);
    }
    const analysed = now();
    await opened.writer.put(session);
    putMs += now() - analysed;
    analysisMs += analysed - start;
  }
  const start = now();
  const committed = await opened.writer.commit({ tidy: "little" });
  if (committed.kind !== "committed") throw new Error(committed.what);
  const commitMs = now() - start;
  await opened.writer.close();
  const files = fs.readdirSync(folder).filter((name) => name.endsWith(".seg"));
  const onDisk = files.reduce((sum, name) => sum + fs.statSync(join(folder, name)).size, 0);
  const all = putMs + commitMs;
  print(`${sessions} sessions, ${turns} turns, ${mb(bytes)} MB of text`);
  print(`analysis alone   ${analysisMs.toFixed(0)} ms, ${(bytes / 1000 / analysisMs).toFixed(1)} MB/s`);
  print(
    `build, one thread ${all.toFixed(0)} ms (commit ${commitMs.toFixed(0)}), ${(bytes / 1000 / all).toFixed(1)} MB/s`,
  );
  print(`without analysis ${(bytes / 1000 / (all - analysisMs)).toFixed(1)} MB/s`);
  print(
    `on disk          ${mb(onDisk)} MB in ${files.length} segments, ${((100 * onDisk) / bytes).toFixed(1)} % of the text`,
  );
  print(`peak memory      ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB`);
}

function measureQueries(folder: string, script: string): void {
  buildSync({
    entryPoints: [fileURLToPath(new URL("index-query.ts", import.meta.url))],
    outfile: script,
    bundle: true,
    minify: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "error",
  });
  print("");
  print("query, new process each        open  search    cpu   warm  total   RSS  answer");
  for (const [name, query] of Object.entries(queries)) {
    const runs = Array.from({ length: rounds }, () => runQuery(script, folder, query, 1));
    const warm = runQuery(script, folder, query, 5);
    const least = (key: string): number => Math.min(...runs.map((run) => Number(run[key])));
    const { match, total, terms } = runs[0] ?? {};
    print(
      [
        name.padEnd(28),
        ms(least("openMs")),
        ms(least("searchMs")),
        ms(least("cpuMs")),
        ms(Number(warm.warmMs)),
        ms(least("sinceStartMs")),
        least("maxRssMb").toFixed(0).padStart(4),
        ` ${String(match)} ${String(total)} (${String(terms)} terms)`,
      ].join(" "),
    );
  }
}

function runQuery(script: string, folder: string, query: string, repeat: number): Record<string, unknown> {
  const output = execFileSync(process.execPath, [script, folder, query, String(repeat)], {
    encoding: "utf8",
  });
  const parsed: Record<string, unknown> = JSON.parse(output);
  return parsed;
}

function mb(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

function ms(value: number): string {
  return value.toFixed(1).padStart(6);
}
