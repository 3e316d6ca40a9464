/** One search in a process of its own, as the command makes it: `index-query <folder> <json clauses>`. */
import process from "node:process";
import { nodeDisk } from "../../src/fs/node-disk.ts";
import { openIndexReader } from "../../src/search/paged/embedded-engine.ts";
import type { Clause } from "../../src/search/ranking/search-plan.ts";
import { eachTerm } from "../support/index/terms-of.ts";
import { benchSchema } from "./bench-schema.ts";

const [folder = "", query = "", repeat = "1"] = process.argv.slice(2);

const clauses = query.split(" ").map((word): Clause => {
  const terms: string[] = [];
  eachTerm(word.replace("*", ""), (term) => terms.push(term));
  return { kind: "word", terms, prefix: word.endsWith("*") };
});

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const before = performance.now();
const cpuBefore = cpuMs();
const opened = openIndexReader(nodeDisk, folder, benchSchema);
if (opened.kind !== "open") throw new Error(JSON.stringify(opened));
const openedAt = performance.now();
const times: number[] = [];
let cpuAfterFirst = 0;
let summary = {};
for (let i = 0; i < Number(repeat); i++) {
  const start = performance.now();
  const answer = await opened.reader.search({
    clauses: clauses,
    excluded: [],
    filter: {},
    sort: "relevance",
    offset: 0,
    limit: 10,
    turnsPerHit: 3,
    now: 1_720_000_000_000,
  });
  times.push(performance.now() - start);
  if (i === 0) cpuAfterFirst = cpuMs();
  if (answer.kind === "answer") {
    summary = {
      match: answer.match,
      total: answer.total,
      hits: answer.hits.length,
      terms: answer.terms.length,
    };
  } else throw new Error(answer.what);
}
// The peak that getrusage tells is inherited from the process that started this one.
const peak = nodeDisk.readFile("/proc/self/status", 65_536)?.toString("utf8") ?? "";
process.stdout.write(
  JSON.stringify({
    openMs: openedAt - before,
    searchMs: times[0],
    warmMs: Math.min(...times),
    sinceStartMs: performance.now(),
    cpuMs: cpuAfterFirst - cpuBefore,
    maxRssMb: Number(/VmHWM:\s+(\d+)/.exec(peak)?.[1] ?? 0) / 1024,
    ...summary,
  }),
);
