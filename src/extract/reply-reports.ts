import { outlineOf } from "./reply-outline.ts";
import { sentences } from "./sentences.ts";

/** Words that say that something is done. */
const DONE =
  /\b(?:complete|completed|done|finished|addressed|implemented|resolved|fixed|merged|committed)\b/i;
/** ... unless these say that it is not, or not completely. */
const NOT_DONE = /\b(?:not|n't|isn't|partially|partly|remaining|almost|nearly|except|until|once|when|if)\b/i;
/** Words that mean all of the work. */
const WHOLE =
  /^(?:done|all|everything|both|(?:the |this )?(?:plan|implementation|work|feature|refactoring|migration)|(?:the|this) (?:task|fix))\b/i;
/** The summary of a reply is in its titles and first sentences. */
const FIRST_SENTENCES = 2;

/** Whether a reply reports that an item of a todo list is done, or everything. */
export function reportsDone(reply: string, item: string): boolean {
  const outline = outlineOf(reply);
  const titles = new Set(outline.flatMap((line) => line.titles));
  const texts = outline.flatMap(({ text }) => [...sentences(text)]);
  const statements = [...titles, ...texts].filter((text) => DONE.test(text) && !NOT_DONE.test(text));
  if (statements.some((statement) => isAbout(statement, item))) return true;
  const summary = new Set([...titles, ...texts.slice(0, FIRST_SENTENCES)]);
  return statements.some((statement) => summary.has(statement) && WHOLE.test(statement));
}

/** "Batch 2 complete" is about "Run batch 2 of the review": its subject is in the item, or contains the item. */
function isAbout(statement: string, item: string): boolean {
  const named = wordsOf(statement);
  const wanted = wordsOf(item);
  const common = [...named].filter((word) => wanted.has(word)).length;
  return common >= 2 && (common === named.size || common === wanted.size);
}

function wordsOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return new Set(words.filter((word) => !DONE.test(word) && !SMALL_WORDS.has(word)));
}

const SMALL_WORDS: ReadonlySet<string> = new Set(
  "a an the of to in on for and or with by from at is are was were be been has have now all it its this that".split(
    " ",
  ),
);
