import { readFileSync } from "node:fs";
import { skillText } from "../../src/integrations/skill.ts";
import { readSkill } from "../support/read-skill.ts";

/** What a user asks an agent, and the session that is meant. */
export interface SkillQuestion {
  readonly question: string;
  readonly sessions: readonly string[];
}

export const skillQuestions: readonly SkillQuestion[] = JSON.parse(
  readFileSync(new URL("skill-questions.json", import.meta.url), "utf8"),
);

export interface AgentRun {
  readonly calls: number;
  /** Of all that the agent was answered. */
  readonly tokens: number;
  readonly queries: readonly string[];
  /** Ids in the answers, in the order in which the agent saw them. */
  readonly seen: readonly string[];
}

/** Runs a call of the program: what it prints. */
export type Call = (words: readonly string[]) => string;

const MAX_CALLS = 2;

interface Answer {
  readonly match: string;
  readonly hits: readonly {
    readonly sessionId: string;
    readonly title: string | null;
    readonly snippets: readonly { readonly text: string }[];
  }[];
}

/**
 * An agent that knows the text of the skill and nothing else: it takes the first call that the text shows, puts the
 * distinctive words of the question into it, and, as the text says, asks again with fewer and rarer words where not
 * all were found or the best hit is beside the point. No model: whoever has one will do better.
 */
export function askAsAgent(question: string, call: Call): AgentRun {
  const [template] = readSkill(skillText).calls;
  if (template === undefined) throw new Error("the skill shows no call");
  const seen: string[] = [];
  const queries: string[] = [];
  let tokens = 0;
  for (const most of [6, 3].slice(0, MAX_CALLS)) {
    const words = distinctiveWords(question, most);
    queries.push(words.join(" "));
    const text = call(template.words.map((word) => (word === "token refresh" ? words.join(" ") : word)));
    tokens += Math.ceil(text.length / 4);
    const answer: Answer = JSON.parse(text);
    seen.push(...answer.hits.map(({ sessionId }) => sessionId));
    if ((answer.match === "all" || answer.match === "fuzzy") && isToThePoint(words, answer)) break;
  }
  return { calls: queries.length, tokens, queries, seen };
}

/** Does what is shown of the best hit speak of most of it? */
function isToThePoint(words: readonly string[], { hits: [best] }: Answer): boolean {
  if (best === undefined) return false;
  const shown = [best.title ?? "", ...best.snippets.map(({ text }) => text)].join(" ").toLowerCase();
  const spoken = words.filter((word) => shown.includes(word.toLowerCase().replaceAll('"', "").slice(0, 6)));
  return spoken.length >= (2 / 3) * words.length;
}

/** The words that tell most by their looks: quoted ones, names, numbers, then long ones; in the order of the question. */
export function distinctiveWords(question: string, most: number): readonly string[] {
  const words = [...question.matchAll(/"[^"]+"|[^\s"]+/g)]
    .map(([word], at) => ({ word: word.replace(/^[^\p{L}\p{N}"@]+|[^\p{L}\p{N}"]+$/gu, ""), at }))
    .filter(({ word }) => word !== "" && !COMMON.has(word.toLowerCase()));
  const chosen = words
    .toSorted((a, b) => weight(b.word, b.at) - weight(a.word, a.at) || a.at - b.at)
    .slice(0, most);
  return chosen.toSorted((a, b) => a.at - b.at).map(({ word }) => word);
}

function weight(word: string, at: number): number {
  if (word.startsWith('"')) return 100;
  if (/[\d@_./]|\p{L}-\p{L}|\p{Ll}\p{Lu}/u.test(word)) return 50;
  if (at > 0 && /^\p{Lu}/u.test(word)) return 30;
  // What somebody did is told in other words each time.
  return Math.min(word.length, 15) - (/(?:ed|ing)$/.test(word) ? 5 : 0);
}

/** Words of the language, and words that speak of the search rather than of what is sought. */
const COMMON: ReadonlySet<string> = new Set(
  (
    "a about after again all also although an and any are as asked at be because been but by came can come could did do does " +
    "each ever every find for from get got had has have he her here him his how i if in into is it its look made make me my " +
    "needed not of on once one or other our out over said say set she should so some that the their them then there these " +
    "they this those to try up us was we were what when where whether which while who why will with would you your " +
    "ago came conversation discussion found happened issue problem question session something thing was went while"
  ).split(" "),
);
