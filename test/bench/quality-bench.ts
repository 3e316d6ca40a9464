/**
 * How good the order of a search is, on real logs and queries whose session is known:
 * `quality-bench [dev|held-out|all]` lists the misses of that part; figures are of both.
 */
import process from "node:process";
import { askQueries, type Figures, figuresOf, type Outcome } from "../quality/ask-queries.ts";
import { realHome, temporaryFolder } from "../real/support/real-home.ts";

const [part = "dev"] = process.argv.slice(2);
const home = realHome();
const store = temporaryFolder();

try {
  const outcomes = await askQueries(home, store.path);
  const dev = outcomes.filter(({ asked }) => asked.heldOut !== true);
  const heldOut = outcomes.filter(({ asked }) => asked.heldOut === true);
  print(
    "kind          dev: n  first   in 5    MRR   held out: n  first   in 5    MRR   all: n  first   in 5    MRR",
  );
  for (const kind of [...new Set(outcomes.map(({ asked }) => asked.kind)), undefined]) {
    const of = (some: readonly Outcome[]): string =>
      row(figuresOf(some.filter(({ asked }) => kind === undefined || asked.kind === kind)));
    print(`${(kind ?? "all").padEnd(12)} ${of(dev)}      ${of(heldOut)} ${of(outcomes)}`);
  }
  for (const outcome of part === "all" ? outcomes : part === "dev" ? dev : heldOut) {
    const { asked, rank, match, first } = outcome;
    if (rank === 1) continue;
    const place = rank === 0 ? "not in 10" : `place ${rank}`;
    print(`\n${asked.kind}: ${asked.query} (${match}, ${place})`);
    print(`  meant ${asked.sessions.map(short).join(", ")}`);
    if (first !== undefined)
      print(`  first ${short(first.id)} ${first.title.replace(/\s+/g, " ").slice(0, 80)}`);
  }
} finally {
  store.remove();
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function row({ queries, first, inFive, meanReciprocalRank }: Figures): string {
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`.padStart(8);
  return `${String(queries).padStart(6)}${percent(first)}${percent(inFive)}${meanReciprocalRank.toFixed(3).padStart(7)}`;
}

/** Ids are long, and the first letters of many are alike. */
function short(id: string): string {
  return id.length > 40 ? `${id.slice(0, 40)}…` : id;
}
