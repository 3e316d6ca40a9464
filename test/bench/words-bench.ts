/**
 * Whether `search` finds every word: rare words of real logs that are only in tool output past its beginning, in tool
 * inputs or in diffs. `words-bench [dev|held-out|all]` lists the words of that part that are not among the first five.
 */
import process from "node:process";
import { askQueries, type Outcome } from "../quality/ask-queries.ts";
import { drawRareWords, wordPlaces } from "../quality/rare-words.ts";
import { realHome, temporaryFolder } from "../real/support/real-home.ts";

const [part = "dev"] = process.argv.slice(2);
const PER_PLACE = 100;
const home = realHome();
const store = temporaryFolder();

try {
  const words = drawRareWords(home, PER_PLACE);
  const asked = words.map(({ word, place, ...rest }) => ({ query: word, kind: place, ...rest }));
  const outcomes = await askQueries(home, store.path, asked);
  print("part      place     words   in 5   shown   other words");
  for (const isHeldOut of [false, true]) {
    for (const place of [...wordPlaces, undefined]) {
      const some = outcomes.filter(
        ({ asked: { kind, heldOut } }) => heldOut === isHeldOut && (place === undefined || kind === place),
      );
      print(`${(isHeldOut ? "held out" : "dev").padEnd(10)}${(place ?? "all").padEnd(8)}${row(some)}`);
    }
  }
  for (const outcome of outcomes) {
    const { asked, rank, match } = outcome;
    const isListed = part === "all" || asked.heldOut === (part === "held-out");
    if (isListed && !(isFound(outcome) && isShown(outcome)))
      print(
        `${asked.kind}: ${asked.query} (${match}, ${rank === 0 ? "not in 10" : `place ${rank}`}) ${asked.sessions[0]}`,
      );
  }
} finally {
  store.remove();
}

function row(some: readonly Outcome[]): string {
  const count = (is: (outcome: Outcome) => boolean): string => String(some.filter(is).length).padStart(7);
  return `${String(some.length).padStart(7)}${count(isFound)}${count(isShown)}${count(({ match }) => match === "fuzzy").padStart(14)}`;
}

function isFound({ rank }: Outcome): boolean {
  return rank > 0 && rank <= 5;
}

/** Whether a snippet has the word. */
function isShown({ asked, shown }: Outcome): boolean {
  return shown.some(({ text }) => text.toLowerCase().includes(asked.query.toLowerCase()));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
