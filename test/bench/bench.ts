/**
 * Indexing and searching against plain measures, as ratios in one run, because machines are noisy.
 *
 *   npm run bench                       a generated home of 1 GB, and 5,000 small files
 *   npm run bench -- --mb 200           a smaller one
 *   npm run bench -- --home DIR         logs of a real home
 *   npm run bench -- --write            also put the table into docs/BENCHMARKS.md
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { folderBytes, type Measured, measure, median } from "./support/measure.ts";
import { writeHome, writeSmallFiles } from "./support/write-logs.ts";

const { values } = parseArgs({
  options: {
    mb: { type: "string", default: "1000" },
    home: { type: "string" },
    runs: { type: "string", default: "15" },
    write: { type: "boolean", default: false },
  },
});
const program = fileURLToPath(new URL("../../dist/sessions.cjs", import.meta.url));
const floorScript = fileURLToPath(new URL("support/parse-floor.mjs", import.meta.url));
const runs = Number(values.runs);
const rows: (readonly [what: string, measured: string, budget: string])[] = [];

function note(what: string, measured: string, budget: string): void {
  rows.push([what, measured, budget]);
  console.log(`${what}: ${measured} (budget ${budget})`);
}

function sessions(argv: readonly string[], home: string, store: string): Measured {
  const env = { PATH: process.env.PATH ?? "", HOME: home, SESSIONS_HOME: store, SESSIONS_GUARD: "off" };
  return measure(process.execPath, [program, ...argv], env);
}

/** Runs of both kinds take turns, so that both meet the same noise. */
function against(
  baseline: () => Measured,
  candidate: () => Measured,
): { readonly ratio: number; readonly ms: number; readonly peakMb: number } {
  const pairs = Array.from({ length: runs }, () => ({ base: baseline(), other: candidate() }));
  return {
    ratio: median(pairs.map(({ base, other }) => other.ms / base.ms)),
    ms: median(pairs.map(({ other }) => other.ms)),
    peakMb: Math.max(...pairs.map(({ other }) => other.peakMb)),
  };
}

const bare = (): Measured => measure(process.execPath, ["-e", "0"], { PATH: process.env.PATH ?? "" });

const folder = mkdtempSync(join(tmpdir(), "sessions-bench-"));
try {
  const store = join(folder, "store");
  const home = values.home ?? join(folder, "home");
  if (values.home === undefined) writeHome(join(home, ".claude"), Number(values.mb) * 1e6, 1);
  const floors = [0, 1, 2].map(() =>
    measure(process.execPath, [floorScript, home], { PATH: process.env.PATH ?? "" }),
  );
  const bytes = Number(floors[0]?.stdout.trim());
  const builds = [0, 1, 2].map(() => sessions(["index", "--rebuild", "--json"], home, store));
  const floor = median(floors.map(({ ms }) => ms));
  const built = median(builds.map(({ ms }) => ms));
  const ratio = median(builds.map(({ ms }, index) => ms / (floors[index]?.ms ?? ms)));
  console.log(
    `${(bytes / 1e6).toFixed(0)} MB of logs; JSON.parse of every line ${floor.toFixed(0)} ms, index from nothing ${built.toFixed(0)} ms`,
  );
  note("index from nothing / JSON.parse of every line, one thread", ratio.toFixed(2), "1.0");
  note(
    "peak memory of indexing",
    `${Math.max(...builds.map(({ peakMb }) => peakMb)).toFixed(0)} MB`,
    "400 MB",
  );
  note("index on disk / logs", `${((100 * folderBytes(join(store, "index"))) / bytes).toFixed(1)} %`, "5 %");

  const queries: readonly (readonly [string, readonly string[]])[] = [
    ["three words", ["token", "refresh", "retry"]],
    ["a rare word", ["zuzuzuzu"]],
    ["a word that is nearly everywhere", ["test"]],
    ["a typo", ["tokne", "refrsh"]],
  ];
  let peak = 0;
  for (const [name, words] of queries) {
    const cold = against(bare, () => sessions(["search", ...words, "--json"], home, store));
    peak = Math.max(peak, cold.peakMb);
    note(`cold search, ${name} / node -e 0`, `${cold.ratio.toFixed(2)} (${cold.ms.toFixed(0)} ms)`, "2.5");
  }
  note("peak memory of a search", `${peak.toFixed(0)} MB`, "150 MB");

  const many = join(folder, "many");
  writeSmallFiles(join(many, ".claude"), 5_000, 3);
  const manyStore = join(folder, "many-store");
  sessions(["index", "--json"], many, manyStore);
  const asItIs = (): Measured => sessions(["search", "token", "--no-refresh", "--json"], many, manyStore);
  const pairs = Array.from(
    { length: runs },
    () => sessions(["search", "token", "--json"], many, manyStore).ms - asItIs().ms,
  );
  note("refresh with nothing changed, 5,000 files", `+ ${median(pairs).toFixed(0)} ms`, "+ 150 ms");
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const machine = `${cpus()[0]?.model ?? "unknown"}, ${availableParallelism()} threads, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.versions.node}`;
const kind = values.home === undefined ? `a generated home of ${values.mb} MB` : "real logs";
const table = [
  "| what | measured | budget |",
  "|---|---|---|",
  ...rows.map((row) => `| ${row.join(" | ")} |`),
].join("\n");
console.log(`\n${kind}, ${machine}\n\n${table}`);
if (values.write) {
  const path = fileURLToPath(new URL("../../docs/BENCHMARKS.md", import.meta.url));
  const mark = `## ${values.home === undefined ? "Generated logs" : "Real logs"}\n`;
  const text = readFileSync(path, "utf8");
  const at = text.indexOf(mark);
  if (at === -1) throw new Error(`docs/BENCHMARKS.md has no section ${mark}`);
  const next = text.indexOf("\n## ", at + mark.length);
  writeFileSync(
    path,
    `${text.slice(0, at)}${mark}\n${kind}, ${machine}\n\n${table}\n${next === -1 ? "" : text.slice(next)}`,
  );
}
