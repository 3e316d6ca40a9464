import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import {
  type CrashCount,
  type CrashOptions,
  DEFAULT_SEED,
  OPTIONS_VARIABLE,
  REPORT_VARIABLE,
} from "./commands/crash-options.ts";

const USAGE = `npm run test:crash -- [flags]

  --all         at every call, not at a sample of them
  --seed N      another sample (${DEFAULT_SEED})
  --only ROW    one row of the table, as "compact pi"
  --way WAY     one way to die: kill, contents-lost, names-lost, EIO, ENOSPC, process, guard, beside
  --at N        at this call alone

Everything behind a second -- goes to vitest.
`;

const at = process.argv.indexOf("--");
const own = process.argv.slice(2, at < 0 ? undefined : at);
const rest = at < 0 ? [] : process.argv.slice(at + 1);
const { values } = parseArgs({
  args: own,
  options: {
    all: { type: "boolean", default: false },
    seed: { type: "string", default: String(DEFAULT_SEED) },
    only: { type: "string" },
    way: { type: "string" },
    at: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});

if (values.help) process.stdout.write(USAGE);
else process.exitCode = runCrash();

function runCrash(): number {
  const { all, only, way } = values;
  const options: CrashOptions = {
    all,
    seed: numberOf("seed", values.seed),
    ...(only === undefined ? {} : { only }),
    ...(way === undefined ? {} : { way }),
    ...(values.at === undefined ? {} : { at: numberOf("at", values.at) }),
  };
  const folder = fs.mkdtempSync(join(tmpdir(), "sessions-crash-report-"));
  const report = join(folder, "counts.jsonl");
  // One row alone: the other suites of this project have nothing to say about it.
  const files = only === undefined && way === undefined ? [] : ["test/crash/commands"];
  const startedAt = performance.now();
  const { status } = spawnSync(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", "run", "--project", "crash", ...files, ...rest],
    {
      stdio: "inherit",
      env: { ...process.env, [OPTIONS_VARIABLE]: JSON.stringify(options), [REPORT_VARIABLE]: report },
    },
  );
  const counts = fs.existsSync(report) ? readCounts(report) : [];
  fs.rmSync(folder, { recursive: true, force: true });
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  process.stdout.write(
    `${formatCounts(counts)}\n${all ? "every call" : `a sample of the calls, seed ${options.seed}`}, ${seconds} s\n`,
  );
  if (counts.length === 0) process.stdout.write(`No row has that name or that way to die.\n\n${USAGE}`);
  return counts.length === 0 ? 1 : (status ?? 1);
}

function numberOf(flag: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new Error(`--${flag} takes a number, not ${JSON.stringify(text)}`);
}

function readCounts(path: string): readonly CrashCount[] {
  return fs
    .readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** A line for each command, a column for each way: how often it died, of how many calls. */
function formatCounts(counts: readonly CrashCount[]): string {
  const rows = [...new Set(counts.map(({ row }) => row))];
  const ways = [...new Set(counts.map(({ way }) => way))].toSorted();
  const sum = (of: readonly CrashCount[], key: "deaths" | "failures"): number =>
    of.reduce((total, count) => total + count[key], 0);
  const cell = (of: readonly CrashCount[]): string => (of.length === 0 ? "" : String(sum(of, "deaths")));
  const table = [
    ["", ...ways, "failures"],
    ...rows.map((row) => {
      const own = counts.filter((count) => count.row === row);
      return [
        row,
        ...ways.map((way) => cell(own.filter((each) => each.way === way))),
        String(sum(own, "failures")),
      ];
    }),
    [
      "all",
      ...ways.map((way) => cell(counts.filter((each) => each.way === way))),
      String(sum(counts, "failures")),
    ],
  ];
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((line) => line[column]?.length ?? 0)),
  );
  return table
    .map((line) =>
      line
        .map((text, column) =>
          column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0),
        )
        .join("  "),
    )
    .join("\n");
}
