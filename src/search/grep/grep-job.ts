import type { SessionFiles } from "../../agents/agent.ts";
import type { Problem } from "../../errors.ts";
import type { Library } from "../../fs/library.ts";
import { nodeDisk } from "../../fs/node-disk.ts";
import type { AgentName } from "../../session/entry.ts";
import type { Context } from "../../session/session.ts";
import type { SessionFilter } from "../query/session-filter.ts";
import type { Pattern } from "./compile-pattern.ts";
import { createScanner } from "./scan-session.ts";
import type { TextRole } from "./text-role.ts";

/** What is looked for, and what of it is told. Plain data: threads pass it to each other. */
export interface GrepQuery {
  readonly pattern: Pattern;
  readonly roles: readonly TextRole[];
  /** Lines before and behind a matching one. */
  readonly contextLines: number;
  /** One hit of a session is enough. */
  readonly sessionsOnly: boolean;
  readonly filter: SessionFilter;
  /** Secrets are told as they are. */
  readonly reveal: boolean;
  readonly timeLimitMs: number;
}

/** All that a thread needs to search. */
export interface GrepTaskData {
  readonly wish: GrepQuery;
  readonly places: Library["places"];
  readonly config: Library["config"];
}

/** What an answer says of a session. */
export interface SessionFacts {
  readonly agent: AgentName;
  readonly id: string;
  readonly title: string | null;
  readonly project: string | null;
  readonly branch: string | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

/** One session that is to be searched. */
export interface GrepJob {
  readonly files: SessionFiles;
  /** `archive`: the agent's own files are gone. `history`: only what was typed is left. */
  readonly origin: "log" | "archive" | "history";
  /** Which archived generations hold text that the files may have lost. */
  readonly generations: "none" | "all" | "older";
  /** Of the index, which has it as it is: it fits the filters. null: that is to be found out. */
  readonly facts: SessionFacts | null;
  /** What `history` has of it. */
  readonly prompts?: readonly HistoryPlace[];
  readonly project?: string | null;
  /** Files before this one are done. */
  readonly fromFile: number;
}

/** A prompt of a session of which nothing else is left. */
export interface HistoryPlace {
  readonly path: string;
  readonly line: number;
  readonly at: number | null;
  readonly text: string;
}

/** A line of text that matches. */
export interface GrepHit {
  readonly path: string;
  /** Of the file. */
  readonly line: number;
  /** The archived generation in which the file has it; null where it has it now. */
  readonly generation: number | null;
  readonly role: TextRole;
  readonly turn: number | null;
  readonly at: number | null;
  readonly context: Context | null;
  /** Number of the line within its text. */
  readonly textLine: number;
  readonly text: string;
  readonly highlights: readonly (readonly [number, number])[];
  readonly matches: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** What is told while a session is searched. */
export type GrepStep =
  /** The next file is begun: the clock starts anew. */
  | { readonly kind: "file"; readonly file: number; readonly path: string; readonly bytes: number }
  | { readonly kind: "hits"; readonly facts: SessionFacts; readonly hits: readonly GrepHit[] }
  | { readonly kind: "problem"; readonly problem: Problem };

/** What a thread is told: search a session; go on, what you found was taken. */
export type GrepRequest = { readonly kind: "search"; readonly job: GrepJob } | { readonly kind: "go-on" };

export type GrepAnswer = GrepStep | { readonly kind: "done" };

/**
 * Searches sessions in a thread of its own. After each batch of hits it waits until that was taken, so that
 * a pattern that matches everywhere does not fill the memory.
 */
export function grepTask(data: unknown, post: (message: unknown) => void): (message: unknown) => void {
  // Both ends are this program: what comes here was typed where it was sent.
  const scan = createScanner(data as GrepTaskData, nodeDisk);
  let steps: AsyncGenerator<GrepStep, void, void> | undefined;
  const answer = (message: GrepAnswer): void => post(message);

  const goOn = async (): Promise<void> => {
    for (;;) {
      const next = await steps?.next();
      if (next === undefined || next.done === true) {
        answer({ kind: "done" });
        return;
      }
      answer(next.value);
      if (next.value.kind === "hits") return;
    }
  };
  return (message) => {
    const request = message as GrepRequest;
    if (request.kind === "search") steps = scan(request.job);
    void goOn();
  };
}
