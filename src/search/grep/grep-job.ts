import type { SessionFiles } from "../../agents/agent.ts";
import type { Problem } from "../../errors.ts";
import type { Library } from "../../fs/library.ts";
import { nodeDisk } from "../../fs/node-disk.ts";
import type { Checkout } from "../../session/checkout.ts";
import type { AgentName } from "../../session/entry.ts";
import type { Context } from "../../session/session.ts";
import type { TextRole } from "../../session/text-role.ts";
import type { SessionFilter } from "../query/session-filter.ts";
import type { Pattern } from "./compile-pattern.ts";
import { createScanner } from "./scan-session.ts";

/** The search, and what to report. Plain data, because it is sent to worker threads. */
export interface GrepQuery {
  readonly pattern: Pattern;
  readonly roles: readonly TextRole[];
  /** Lines to report before and after a matching one. */
  readonly contextLines: number;
  /** Report only which sessions match; the first hit of a session ends its search. */
  readonly sessionsOnly: boolean;
  readonly filter: SessionFilter;
  /** Don't mask secrets. */
  readonly reveal: boolean;
  readonly timeLimitMs: number;
}

/** Everything a worker thread needs to search. */
export interface GrepTaskData {
  readonly query: GrepQuery;
  readonly places: Library["places"];
  readonly config: Library["config"];
}

/** The session metadata that is reported with hits. */
export interface SessionFacts extends Checkout {
  readonly agent: AgentName;
  readonly id: string;
  readonly title: string | null;
  readonly project: string | null;
  readonly branch: string | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

/** One session to search. */
export interface GrepJob {
  readonly files: SessionFiles;
  /** `archive`: the agent's own files are gone. `history`: only the typed prompts are left. */
  readonly origin: "log" | "archive" | "history";
  /** The archived generations that may hold text no longer in the files. */
  readonly generations: "none" | "all" | "older";
  /** From the index if current, so filters already passed; null: the session must be read and filtered. */
  readonly facts: SessionFacts | null;
  /** The typed prompts, if `origin` is `history`. */
  readonly prompts?: readonly PlacedPrompt[];
  readonly project?: string | null;
  /** Index of the first file to search; those before it are done. */
  readonly fromFile: number;
}

/** A prompt of a session that survives only in the prompt history. */
export interface PlacedPrompt {
  readonly path: string;
  readonly line: number;
  readonly at: number | null;
  readonly text: string;
}

/** A matching line of text. */
export interface GrepHit {
  readonly path: string;
  /** Line number in the file. */
  readonly line: number;
  /** The archived generation of the file that has the line; null if the present file has it. */
  readonly generation: number | null;
  readonly role: TextRole;
  readonly turn: number | null;
  readonly at: number | null;
  readonly context: Context | null;
  /** Line number within the decoded text. */
  readonly textLine: number;
  readonly text: string;
  readonly highlights: readonly (readonly [number, number])[];
  readonly matches: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Reported while a session is searched. */
export type GrepStep =
  /** The search of the next file starts; restarts the time limit. */
  | { readonly kind: "file"; readonly file: number; readonly path: string; readonly bytes: number }
  | { readonly kind: "hits"; readonly facts: SessionFacts; readonly hits: readonly GrepHit[] }
  | { readonly kind: "problem"; readonly problem: Problem };

/** Sent to a worker thread: search a session, or continue after a batch of hits was taken. */
export type GrepRequest = { readonly kind: "search"; readonly job: GrepJob } | { readonly kind: "continue" };

export type GrepAnswer = GrepStep | { readonly kind: "done" };

/**
 * Searches sessions in a worker thread. It pauses after each batch of hits until the batch was taken, so a
 * pattern that matches everywhere does not fill the memory.
 */
export function grepTask(data: unknown, post: (message: unknown) => void): (message: unknown) => void {
  // Both ends are this program: the sender has checked the types.
  const scan = createScanner(data as GrepTaskData, nodeDisk);
  let steps: AsyncGenerator<GrepStep, void, void> | undefined;
  const answer = (message: GrepAnswer): void => post(message);

  const resume = async (): Promise<void> => {
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
    void resume();
  };
}
