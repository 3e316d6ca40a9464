import type { Session, Turn } from "../model/session.ts";
import type { DigestDecision } from "./digest.ts";
import { sentences, shorten } from "./sentences.ts";

const MAX_DECISIONS = 60;
const DECISION_CHARS = 300;
const PLAN_CHARS = 2_000;

/**
 * Sentences that decide. Few patterns, each plainly a decision: a list of wrong ones is worse than a
 * short list.
 */
const DECIDES =
  /\b(?:decided (?:to|on|that|against|not)|decision (?:is|was)\b|(?:let's|let us|we'll|we will|we should|i'll|i will|i'd|going to|gonna) (?:go|stick|stay) with|(?:chose|opted|choosing|opting) (?:to|for|not)|(?:agreed|settled) (?:on|to|that)|(?:let's|we'll|we will|we should) (?:not )?(?:use|keep|drop|switch to|avoid) .{1,200} (?:instead|rather than|because|since|so that))\b|^(?:key )?decisions?:/i;

/** Plans that were put before the user, answers to questions that the agent asked, and sentences that decide. */
export function extractDecisions(session: Session): readonly DigestDecision[] {
  const found: DigestDecision[] = [];
  const known = new Set<string>();
  const add = (turn: number, text: string): void => {
    const key = text.toLowerCase();
    if (text === "" || known.has(key) || found.length >= MAX_DECISIONS) return;
    known.add(key);
    found.push({ turn, text });
  };
  for (const turn of session.turns) {
    for (const sentence of decidingSentences(turn.request)) add(turn.number, sentence);
    takeSteps(turn, add);
  }
  return found;
}

function takeSteps(turn: Turn, add: (turn: number, text: string) => void): void {
  for (const step of turn.steps) {
    if (step.kind === "reply")
      for (const sentence of decidingSentences(step.text)) add(turn.number, sentence);
    if (step.kind !== "tool") continue;
    if (step.call.plan !== undefined && step.call.result?.isError !== true)
      add(turn.number, shortenPlan(step.call.plan));
    if (step.call.name === "AskUserQuestion" && step.call.result?.isError === false) {
      add(turn.number, shorten(step.call.result.text, DECISION_CHARS));
    }
  }
}

function decidingSentences(text: string): readonly string[] {
  // The cheap test first: most texts decide nothing, and this runs over all of them.
  if (!DECIDES.test(text)) return [];
  const found: string[] = [];
  for (const sentence of sentences(text))
    if (DECIDES.test(sentence)) found.push(shorten(sentence, DECISION_CHARS));
  return found;
}

function shortenPlan(plan: string): string {
  const text = plan.trim();
  return text.length <= PLAN_CHARS ? text : `${text.slice(0, PLAN_CHARS).trimEnd()}…`;
}
