import { isoTime, type SessionWhereabouts } from "../render/json/session-json.ts";
import { shellQuote } from "../render/json/shell-quote.ts";
import type { Context } from "../session/session.ts";

/** A hit as a search found it. */
export interface HitToShow {
  readonly row: SessionWhereabouts & {
    readonly digest: {
      readonly tools: Readonly<Record<string, number>>;
      readonly topFiles: readonly string[];
    };
  };
  readonly score: number;
  readonly match: string;
  readonly resume: readonly string[];
  readonly matchingTurns: number;
  readonly snippets: readonly {
    readonly turn: number;
    readonly role: string;
    readonly at: number | null;
    readonly context: Context;
    readonly text: string;
    readonly highlights: readonly (readonly [number, number])[];
    readonly before?: readonly TurnToShow[];
    readonly after?: readonly TurnToShow[];
  }[];
}

interface TurnToShow {
  readonly turn: number;
  readonly at: number | null;
  readonly context: Context;
  readonly text: string;
}

export function hitJson({ row, score, match, resume, matchingTurns, snippets }: HitToShow): object {
  const { digest, state, source, archive } = row;
  return {
    sessionId: digest.id,
    agent: digest.agent,
    title: digest.title,
    project: digest.project,
    branch: digest.branch,
    startedAt: isoTime(digest.startedAt),
    endedAt: isoTime(digest.endedAt),
    score: Math.round(score * 1000) / 1000,
    match,
    state,
    source,
    archive,
    resume: shellQuote(resume),
    files: digest.topFiles,
    tools: digest.tools,
    turns: digest.turns,
    matchingTurns,
    snippets: snippets.map(({ turn, role, at, context, text, highlights, before, after }) => ({
      ...{ turn, role, at: isoTime(at), context, text, highlights },
      ...(before === undefined ? {} : { before: before.map(turnJson) }),
      ...(after === undefined ? {} : { after: after.map(turnJson) }),
    })),
  };
}

function turnJson({ turn, at, context, text }: TurnToShow): object {
  return { turn, at: isoTime(at), context, text };
}
