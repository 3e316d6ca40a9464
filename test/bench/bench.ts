/**
 * Indexing and searching against plain measures, as ratios in one run, because machines are noisy.
 *
 *   npm run bench                       a generated home of 1 GB, and 5,000 small files
 *   npm run bench -- --mb 200           a smaller one
 *   npm run bench -- --home DIR         logs of a real home
 *   npm run bench -- --write            also put the table into docs/BENCHMARKS.md
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { folderBytes, type Measured, measure, median, peakMbOf } from "./support/measure.ts";
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

function environment(home: string, store: string): Readonly<Record<string, string>> {
  return { PATH: process.env.PATH ?? "", HOME: home, SESSIONS_HOME: store, SESSIONS_GUARD: "off" };
}

function sessions(argv: readonly string[], home: string, store: string, input = ""): Measured {
  return measure(process.execPath, [program, ...argv], environment(home, store), input);
}

function peakMb(argv: readonly string[], home: string, store: string): number {
  return peakMbOf([program, ...argv], environment(home, store));
}

/** Runs of both kinds take turns, so that both meet the same noise. */
function against(
  baseline: () => Measured,
  candidate: () => Measured,
): { readonly ratio: number; readonly ms: number } {
  const pairs = Array.from({ length: runs }, () => ({ base: baseline(), other: candidate() }));
  return {
    ratio: median(pairs.map(({ base, other }) => other.ms / base.ms)),
    ms: median(pairs.map(({ other }) => other.ms)),
  };
}

const bare = (): Measured => measure(process.execPath, ["-e", "0"], { PATH: process.env.PATH ?? "" });

/** The folders that agents write to, for who looks through all of it. */
const agentFolders = [".claude", ".pi", ".claw", ".codex"];

const folder = mkdtempSync(join(tmpdir(), "sessions-bench-"));
try {
  const store = join(folder, "store");
  const home = values.home ?? join(folder, "home");
  if (values.home === undefined) writeHome(join(home, ".claude"), Number(values.mb) * 1e6, 1);
  const rounds = [0, 1, 2].map(() => ({
    floor: measure(process.execPath, [floorScript, home], { PATH: process.env.PATH ?? "" }),
    build: sessions(["index", "--rebuild", "--json"], home, store),
  }));
  const bytes = Number(rounds[0]?.floor.stdout.trim());
  console.log(
    `${(bytes / 1e6).toFixed(0)} MB of logs; JSON.parse of every line ${median(rounds.map(({ floor }) => floor.ms)).toFixed(0)} ms, index from nothing ${median(rounds.map(({ build }) => build.ms)).toFixed(0)} ms`,
  );
  note(
    "index from nothing / JSON.parse of every line, one thread",
    median(rounds.map(({ floor, build }) => build.ms / floor.ms)).toFixed(2),
    "3.6",
  );
  note(
    "peak memory of indexing",
    `${peakMb(["index", "--rebuild", "--json"], home, store).toFixed(0)} MB`,
    "400 MB",
  );
  note("index on disk / logs", `${((100 * folderBytes(join(store, "index"))) / bytes).toFixed(1)} %`, "8 %");

  // What the background does after a while: it merges what several threads have built.
  sessions(["index", "--json"], home, store);
  const queries: readonly (readonly [string, readonly string[]])[] = [
    ["three words", ["token", "refresh", "retry"]],
    ["a rare word", ["zuzuzuzu"]],
    ["a word that is nearly everywhere", ["test"]],
    ["a typo", ["tokne", "refrsh"]],
  ];
  let peak = 0;
  for (const [name, words] of queries) {
    // The first run of a program keeps its code, the second may still tidy up behind it.
    for (let run = 0; run < 2; run++) sessions(["search", ...words, "--json"], home, store);
    const cold = against(bare, () => sessions(["search", ...words, "--json"], home, store));
    peak = Math.max(peak, peakMb(["search", ...words, "--json"], home, store));
    note(`cold search, ${name} / node -e 0`, `${cold.ratio.toFixed(2)} (${cold.ms.toFixed(0)} ms)`, "3.5");
  }
  note("peak memory of a search", `${peak.toFixed(0)} MB`, "150 MB");

  const questions = queries.map(([, words]) => words.join(" "));
  const batch = (rounds: number): number => {
    const lines = Array.from({ length: rounds }, () => questions).flat();
    return sessions(["search", "--batch"], home, store, `${lines.join("\n")}\n`).ms;
  };
  const warm = Array.from({ length: 5 }, () => (batch(51) - batch(1)) / (50 * questions.length));
  note("warm search, one of many in a process", `${median(warm).toFixed(1)} ms`, "");
  if (hasRipgrep()) {
    const paths = agentFolders.map((name) => join(home, name)).filter((path) => existsSync(path));
    const scan = (): Measured =>
      measure("rg", ["-c", "-i", "refresh", ...paths], { PATH: process.env.PATH ?? "" });
    const { ratio } = against(scan, () => sessions(["search", "refresh", "--json"], home, store));
    note("cold search, one word / ripgrep over the same logs", ratio.toFixed(2), "");
  }

  const many = join(folder, "many");
  writeSmallFiles(join(many, ".claude"), 5_000, 3);
  const manyStore = join(folder, "many-store");
  sessions(["index", "--json"], many, manyStore);
  const skipRefresh = (): Measured =>
    sessions(["search", "token", "--no-refresh", "--json"], many, manyStore);
  const pairs = Array.from(
    { length: runs },
    () => sessions(["search", "token", "--json"], many, manyStore).ms - skipRefresh().ms,
  );
  note("refresh with nothing changed, 5,000 files", `+ ${median(pairs).toFixed(0)} ms`, "+ 150 ms");
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function hasRipgrep(): boolean {
  return spawnSync("rg", ["--version"]).status === 0;
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
