import { once } from "../fs/once.ts";

/* Titles of open work, as agents write them: "Next steps", "Remaining issues (3)", "Here's what is still missing". */

/** A title is open if it is one of these states, alone or with one of the things. */
const STATES = phrases(
  "deferred|follow-up|next|open|outstanding|pending|remaining|todo|unfinished|unresolved",
);
const THINGS = phrases(
  "action|batch|blocker|change|decision|failure|gap|item|issue|phase|point|pr|problem|question|step|task|thing|thread",
  "todo|work",
);

/** Titles that are open as a whole. */
const TITLES = phrases(
  "up next|next up|what's next|what is next|what comes next|what's left|what is left|what remains|left to do|to do",
  "what's missing|what's still missing|still missing|still needed|still open|still outstanding|still pending|still to do",
  "not addressed|not done|not finished|not fixed|not implemented|not started|not yet done|not yet implemented",
  "action required|decision needed|post-merge reminder|questions|question for you|reminder|to finish",
  "次のステップ|残りの作業|残りのタスク|今後の作業|下一步|后续步骤|待办",
  "nächste schritte|noch offen|offene punkte|prochaines étapes|reste à faire|próximos pasos|próximos passos|pendiente",
);

/** A title that starts like this continues with its subject. */
const STARTS = phrases(
  "you need to|you'll need to|you will need to|you still need to|you'll have to|still needs",
);

/** Words before a title proper, and words after which it only adds details. */
const BEFORE = phrases(
  "a|any|few|here are|here is|here's|immediate|key|logical|my|natural|optional|other|our|possible|potential|proposed",
  "recommended|some|suggested|the|your",
);
const AFTER = / (?:after|before|for|from|i|if|in|on|that|to|we|when|you) .*$/;

/** Parts of a sentence that introduces remaining work: "Two things are left:". */
const LEFT = anyOf(
  "are left|is left|still left|left to do|to be done|still need|still needs|still open|still missing|still to do",
  "issues remain|items remain|steps remain|tasks remain|things remain|remains to|what remains|next step|next steps",
  "did not do|didn't do|have not done|haven't done|haven't implemented|not done yet|not implemented yet",
);
/** ... unless it says that this was dealt with. */
const DEALT_WITH = anyOf(
  "addressed|cleaned up|closed|completed|finished|fixed|handled|removed|resolved|updated",
);

/** Whether this title introduces open work. */
export function isOpenTitle(title: string): boolean {
  const folded = fold(title);
  const core = withoutStart(folded.replace(/ \(.*\)$/, ""));
  if (STARTS().some((start) => core.startsWith(`${start} `) || core === start)) return true;
  if ([core, core.replace(AFTER, "")].some((text) => isOpenPhrase(text) || isOpenPhrase(singular(text))))
    return true;
  return LEFT().test(folded) && !DEALT_WITH().test(folded);
}

function isOpenPhrase(text: string): boolean {
  return TITLES().includes(text) || STATES().some((state) => text === state || isThingOf(state, text));
}

function isThingOf(state: string, text: string): boolean {
  return text.startsWith(`${state} `) && THINGS().includes(text.slice(state.length + 1));
}

const RECOMMENDATIONS = phrases(
  "my recommendation|recommendation|recommended change|suggested change|suggestion",
);

/** Whether the agent recommends the items below this title. */
export function isRecommendation(title: string): boolean {
  const folded = fold(title);
  return RECOMMENDATIONS().some((start) => folded.startsWith(start));
}

/** Removes the words before the title proper. */
function withoutStart(text: string): string {
  const start = BEFORE().find((word) => text.startsWith(`${word} `));
  return start === undefined ? text : withoutStart(text.slice(start.length + 1));
}

function singular(text: string): string {
  return text.replace(/(?<=ch|sh)es$|s$/, "");
}

/** Normalizes a title: lower case, without emojis, numbers and punctuation around it, and one form of `to-do`. */
function fold(title: string): string {
  return title
    .toLowerCase()
    .replaceAll("\u2019", "'")
    .replace(/^[^\p{L}]+|[\s:\uff1a.!?\u2026]+$/gu, "")
    .replace(/\bto[- ]?do(?=s?\b)/g, "todo")
    .replace(/\bfollow[- ]?up(?=s?\b)/g, "follow-up")
    .replace(/\s+/g, " ");
}

/** Reads rows of a table: phrases with `|` between them. When first needed: most commands read no titles. */
function phrases(...rows: readonly string[]): () => readonly string[] {
  return once(() => rows.flatMap((row) => row.split("|")).map(fold));
}

/** Matches a text that has any of the phrases. */
function anyOf(...rows: readonly string[]): () => RegExp {
  return once(() => new RegExp(`\\b(?:${phrases(...rows)().join("|")})\\b`));
}
