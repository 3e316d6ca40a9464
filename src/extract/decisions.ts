import type { ToolCall } from "../session/session.ts";
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

/** Gathers plans that were put before the user, answers to questions that the agent asked, and sentences that decide. */
export interface Decisions {
  /** What someone said. */
  words(turn: number, text: string): void;
  call(turn: number, call: ToolCall): void;
  readonly found: readonly DigestDecision[];
}

export function createDecisions(): Decisions {
  const found: DigestDecision[] = [];
  const known = new Set<string>();
  const add = (turn: number, text: string): void => {
    const key = text.toLowerCase();
    if (text === "" || known.has(key) || found.length >= MAX_DECISIONS) return;
    known.add(key);
    found.push({ turn, text });
  };
  return {
    found,
    words(turn, text) {
      // The cheap test first: most texts decide nothing, and this runs over all of them.
      if (found.length >= MAX_DECISIONS || !DECIDES.test(text)) return;
      for (const sentence of sentences(text))
        if (DECIDES.test(sentence)) add(turn, shorten(sentence, DECISION_CHARS));
    },
    call(turn, { name, plan, result }) {
      if (plan !== undefined && result?.isError !== true) add(turn, shortenPlan(plan));
      if (name === "AskUserQuestion" && result?.isError === false)
        add(turn, shorten(result.text, DECISION_CHARS));
    },
  };
}

function shortenPlan(plan: string): string {
  const text = plan.trim();
  return text.length <= PLAN_CHARS ? text : `${text.slice(0, PLAN_CHARS).trimEnd()}…`;
}
