import type { GrepHit } from "../../search/grep/grep-job.ts";
import type { FoundIn, GrepProgress } from "../../search/grep/grep-sessions.ts";
import type { Problem } from "../../session/session.ts";

/** What a search came to. */
export interface GrepTotal {
  readonly sessions: number;
  /** Lines that match, and matches on them. */
  readonly lines: number;
  readonly matches: number;
  /** False where it ended at the limit. */
  readonly isComplete: boolean;
  readonly problems: readonly Problem[];
  readonly searched: GrepProgress;
  readonly tookMs: number;
}

/** How a search is told, while it runs and when it has ended. */
export interface GrepTeller {
  hits(session: FoundIn, hits: readonly GrepHit[]): void;
  end(total: GrepTotal): void;
}

export interface GrepTally {
  take(session: FoundIn, hits: readonly GrepHit[]): void;
  problem(problem: Problem): void;
  finish(): void;
  /** What counts against the limit. */
  shown(): number;
  total(searched: GrepProgress, now: number): GrepTotal;
}

export function createGrepTally(startedAt: number, sessionsOnly: boolean): GrepTally {
  const sessions = new Set<string>();
  const problems = new Map<string, Problem>();
  let lines = 0;
  let matches = 0;
  let isComplete = false;
  return {
    take(session, hits) {
      sessions.add(`${session.agent}:${session.id}`);
      lines += hits.length;
      for (const hit of hits) matches += hit.matches;
    },
    problem: (problem) => void problems.set(`${problem.path}\0${problem.line}\0${problem.what}`, problem),
    finish: () => {
      isComplete = true;
    },
    shown: () => (sessionsOnly ? sessions.size : lines),
    total: (searched, now) => ({
      ...{ sessions: sessions.size, lines, matches, isComplete, searched },
      problems: [...problems.values()],
      tookMs: now - startedAt,
    }),
  };
}
