/**
 * How much of the open work that is listed is open, and how much of what is open is listed, on real logs whose ends
 * somebody read: `pending-bench [FILE]` judges what `sessions pending --everywhere --json --limit 9999` of any build wrote
 * to FILE, else this code. Such a FILE has each item of a project once: those of the other sessions count as missed. It lists what is wrong and missed in the part that may be looked at.
 * `pending-bench draw N [SEED]` draws items at random, with the last words of their log beside them, for reading.
 */
import { readFileSync } from "node:fs";
import process from "node:process";
import { diskSource } from "../../src/agents/byte-source.ts";
import { findSessions } from "../../src/agents/find-sessions.ts";
import { readSession } from "../../src/agents/read-session.ts";
import type { Session, Step } from "../../src/session/session.ts";
import {
  figuresOf,
  judge,
  labelledSessions,
  type Outcome,
  type ShownItem,
  shownItems,
} from "../quality/open-work.ts";
import { realHome, temporaryFolder } from "../real/support/real-home.ts";
import { libraryIn } from "../support/library-in.ts";
import { createSeededRandom } from "../support/seeded-random.ts";

const LAST_STEPS = 4;
const LAST_CHARS = 1_500;

const [first, ...more] = process.argv.slice(2);
const home = realHome();
const store = temporaryFolder();

try {
  const items = first === undefined || first === "draw" ? await shownItems(home, store.path) : itemsIn(first);
  if (first === "draw") {
    const [count = "40", seed = "1"] = more;
    draw(items, Number(count), Number(seed));
  } else report(judge(labelledSessions, items));
} finally {
  store.remove();
}

function itemsIn(file: string): readonly ShownItem[] {
  const answer: {
    readonly sessions: readonly {
      readonly agent: string;
      readonly sessionId: string;
      readonly pending: readonly Pick<ShownItem, "text" | "turn" | "source">[];
    }[];
  } = JSON.parse(readFileSync(file, "utf8"));
  return answer.sessions.flatMap(({ agent, sessionId, pending }) =>
    pending.map((item) => ({ agent, sessionId, ...item })),
  );
}

function report(outcomes: readonly Outcome[]): void {
  const parts = {
    dev: outcomes.filter(({ session }) => session.set === "dev"),
    "held out": outcomes.filter(({ session }) => session.set === "held-out"),
    both: outcomes,
  };
  print("          sessions  items shown  precision  with open work  recall  items  recall of items");
  for (const [name, part] of Object.entries(parts)) {
    const { sessions, shown, precision, withOpenWork, recall, items, itemRecall } = figuresOf(part);
    print(
      `${name.padEnd(8)}${pad(sessions, 10)}${pad(shown, 13)}${percent(precision, 11)}${pad(withOpenWork, 16)}${percent(recall, 8)}${pad(items, 7)}${percent(itemRecall, 17)}`,
    );
  }
  for (const { session, wrong, missed } of parts.dev) {
    if (wrong.length === 0 && missed.length === 0) continue;
    print(`\n${session.agent} ${session.sessionId}${session.sure ? "" : " (unsure)"}`);
    for (const { source, text } of wrong) print(`  wrong   ${source}: ${text}`);
    for (const { source, quote } of missed) print(`  missed  ${source}: ${quote}`);
  }
}

function draw(items: readonly ShownItem[], count: number, seed: number): void {
  const random = createSeededRandom(seed);
  const left = [...items];
  const sessions = new Map(
    findSessions(libraryIn(home, { store: store.path })).sessions.map((files) => [
      `${files.agent}:${files.id}`,
      files,
    ]),
  );
  const source = diskSource(libraryIn(home, { store: store.path }).disk);
  print(`${count} of ${items.length} items, seed ${seed}`);
  for (let number = 1; number <= count && left.length > 0; number++) {
    const [item] = left.splice(random.int(left.length), 1);
    if (item === undefined) continue;
    const { agent, sessionId, turn, text } = item;
    const files = sessions.get(`${agent}:${sessionId}`);
    print(`\n${number}. [${item.source}] ${text}`);
    print(`   ${agent} ${sessionId}${turn === null ? "" : `, turn ${turn}`}`);
    for (const line of files === undefined ? [] : lastWords(readSession(source, files)))
      print(`   | ${line}`);
  }
}

/** The end of a log: its list of work, the last request, and the last steps. */
function lastWords({ turns, preamble, work }: Session): readonly string[] {
  const last = turns.findLast(({ context }) => context !== "branch");
  const steps = (last?.steps ?? preamble).filter(({ kind }) => kind !== "thinking").slice(-LAST_STEPS);
  return [
    ...work.map(({ status, text }) => `list: ${status} ${text}`),
    ...(last === undefined ? [] : [`request: ${last.request.slice(0, LAST_CHARS)}`]),
    ...steps.map((step) => `${step.kind}: ${wordsOf(step)}`),
  ].flatMap((text) => text.split("\n"));
}

function wordsOf(step: Step): string {
  if (step.kind !== "tool") return step.text.slice(-LAST_CHARS);
  const { name, command, result } = step.call;
  return `${name} ${command?.slice(0, 200) ?? ""} ${result === undefined ? "(no result)" : result.isError ? "(failed)" : ""}`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function pad(value: number, width: number): string {
  return String(value).padStart(width);
}

function percent(share: number, width: number): string {
  return `${(share * 100).toFixed(1)} %`.padStart(width);
}
