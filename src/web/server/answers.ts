import type { ExportFormat } from "../../index.ts";
import type { CallDetail } from "../../render/call-view.ts";
import type { Outcome } from "../../render/words.ts";

/** The answers of the server to the page. Types only, because the page runs in a browser. Times are milliseconds. */

type Context = "current" | "compacted" | "branch" | "subagent";

/** A session in a list. */
export interface SessionLine {
  /** Names it in calls and links: its agent and its id. */
  readonly key: string;
  readonly id: string;
  readonly agent: string;
  readonly title: string | null;
  readonly project: string | null;
  /** What lists call the folder of a worktree, which may be named "1": its repository and its name, "shop/1". */
  readonly worktree: string | null;
  readonly branch: string | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly turns: number;
  readonly bytes: number;
  readonly compactions: number;
  readonly state: "live" | "idle" | "kept" | "stub";
  /** Of a shown session: its present state. */
  readonly isArchived: boolean;
  readonly copies: number;
  /** The machine that it was pulled from, or in a search of a team is on; null: this one. */
  readonly machine: string | null;
}

interface Snippet {
  readonly turn: number;
  readonly role: string;
  readonly at: number | null;
  readonly context: Context;
  readonly text: string;
  readonly highlights: readonly (readonly [number, number])[];
}

export interface HitLine extends SessionLine {
  readonly snippets: readonly Snippet[];
  readonly matchingTurns: number;
  /** Its owner, in a search of a team. */
  readonly owner: string | null;
  /** Whether it can be shown: this machine has it. */
  readonly isHere: boolean;
}

export interface CoverageLine {
  readonly sessions: number;
  readonly turns: number;
  readonly problems: number;
  readonly indexedAt: number | null;
}

export interface FoundAnswer {
  /** How many sessions match, and how many can be paged. */
  readonly total: number;
  readonly ranked: number;
  readonly totalIsExact: boolean;
  readonly match: string;
  readonly sessions: readonly HitLine[];
  /** Words that no session has, with similar known words. */
  readonly nearestWords: readonly { readonly word: string; readonly nearest: readonly string[] }[];
  readonly coverage: CoverageLine;
  /** Why not everything was searched. */
  readonly partial: string | null;
}

/** The remotes that can be searched, by name. */
export interface TeamsReply {
  readonly teams: readonly string[];
}

export interface ListAnswer {
  readonly total: number;
  readonly sessions: readonly SessionLine[];
  readonly coverage: CoverageLine;
}

/** One step of a turn, folded: the details of a call and the text of thinking are fetched when they are opened. */
export type StepView = { readonly context: Context; readonly at: number | null } & (
  | { readonly kind: "reply"; readonly text: string; readonly isError: boolean }
  | { readonly kind: "thinking"; readonly chars: number }
  | {
      readonly kind: "call";
      readonly id: string;
      readonly name: string;
      readonly subject: string;
      readonly state: Outcome;
      readonly outcome: string;
      readonly hasDetails: boolean;
      /** The sub-agent that it started. */
      readonly agentId: string | null;
    }
  | { readonly kind: "summary"; readonly of: "compaction" | "branch"; readonly text: string }
  | { readonly kind: "note"; readonly about: string; readonly text: string }
);

/** Names a run of steps: those of a turn (0: those before the first), or of a sub-agent. */
export interface StepsPlace {
  readonly turn?: number | undefined;
  readonly agent?: string | undefined;
}

export interface StepsAnswer {
  /** The number of the first of these steps in its turn. */
  readonly from: number;
  readonly steps: readonly StepView[];
  /** The total number of steps. */
  readonly total: number;
}

export interface TurnView extends StepsAnswer {
  readonly turn: number;
  /** As typed; long ones are cut. */
  readonly request: string;
  readonly requestChars: number;
  /** The number of images that came with it: `images` returns them. */
  readonly images: number;
}

/** The images of a request, in base64. */
export interface ImagesAnswer {
  readonly images: readonly { readonly mediaType: string; readonly data: string }[];
}

/** A turn in the outline of a session. */
export interface TurnLine {
  readonly turn: number;
  readonly at: number | null;
  readonly context: Context;
  readonly via: string;
  /** The start of the request. */
  readonly line: string;
  readonly steps: number;
  readonly calls: number;
  readonly failures: number;
  readonly copiedFrom: string | null;
}

export interface SubagentLine {
  readonly id: string;
  readonly type: string | null;
  readonly description: string | null;
  readonly turn: number | null;
  readonly prompt: string | null;
  readonly calls: number;
}

/** A session without its conversation. */
export interface SessionAnswer extends SessionLine {
  /** Changes when its log does. */
  readonly mark: string;
  readonly model: string | null;
  readonly version: string | null;
  readonly source: string | null;
  readonly archive: string | null;
  /** The agent's command to resume it. */
  readonly resume: string;
  readonly otherCopies: readonly string[];
  readonly parent: { readonly kind: string; readonly session: string } | null;
  readonly continuedIn: string | null;
  readonly tokens: number;
  readonly contextTokens: number;
  /** The usage of its messages and those of sub-agents; null if its log does not say. */
  readonly usage: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cacheReadTokens: number;
    readonly cacheWriteTokens: number;
    /** In US dollars; null if its models have no price. */
    readonly cost: number | null;
  } | null;
  readonly outline: readonly TurnLine[];
  /** Steps before the first turn. */
  readonly preamble: number;
  readonly compactionList: readonly {
    readonly at: number | null;
    readonly trigger: "manual" | "auto" | null;
    readonly tokensBefore: number | null;
    readonly tokensAfter: number | null;
    readonly afterTurn: number;
    /** Its summary is a step of that turn; the summaries of a turn are in the order of its compactions. */
    readonly hasSummary: boolean;
  }[];
  readonly branches: readonly {
    readonly fromTurn: number;
    readonly turns: readonly number[];
    readonly context: Context;
    readonly parentTurn: number | null;
  }[];
  readonly subagents: readonly SubagentLine[];
  readonly files: readonly { readonly path: string; readonly reads: number; readonly writes: number }[];
  readonly tools: readonly {
    readonly name: string;
    readonly count: number;
    readonly errors: number;
  }[];
  /** `from`: where it comes from, or its progress, in words. */
  readonly pending: readonly { readonly text: string; readonly turn: number | null; readonly from: string }[];
  readonly labels: readonly { readonly text: string; readonly turn: number | null }[];
  /** Lines of its log that could not be read. */
  readonly problems: number;
}

export interface TurnsAnswer {
  readonly mark: string;
  readonly turns: readonly TurnView[];
}

export interface DetailsAnswer {
  /** Of a call. */
  readonly details: readonly CallDetail[];
  /** Of thinking. */
  readonly text: string | null;
  /** Whether the log has more of the result, or an image: `result` returns it. */
  readonly hasMore: boolean;
}

/** The complete result of a call. */
export interface ResultAnswer {
  readonly blocks: readonly (
    | { readonly kind: "text"; readonly text: string; readonly isCut: boolean }
    /** `data` is base64. */
    | { readonly kind: "image"; readonly mediaType: string; readonly data: string }
    | { readonly kind: "other"; readonly mediaType: string | null; readonly bytes: number }
  )[];
}

/** What the agent would load if the session were resumed now. */
export interface ContextAnswer {
  readonly items: readonly (
    | { readonly kind: "request"; readonly turn: number; readonly text: string }
    | { readonly kind: "step"; readonly turn: number; readonly step: StepView; readonly index: number }
  )[];
  /** The number of hidden items before the others. */
  readonly left: number;
}

export interface ChangesAnswer extends Pick<SessionLine, "state" | "isArchived"> {
  readonly mark: string;
}

export interface ArchiveReply {
  readonly archived: number;
  readonly unchanged: number;
  readonly problems: readonly { readonly path: string; readonly what: string }[];
}

export interface RestoreReply {
  readonly sessions: readonly {
    readonly outcome: "restored" | "unchanged" | "refused" | "damaged";
    readonly files: readonly { readonly path: string }[];
    /** Differences from the original, in sentences. */
    readonly notes: readonly string[];
  }[];
  readonly problems: readonly { readonly what: string }[];
}

export interface ExportAnswer {
  readonly name: string;
  readonly type: string;
  readonly text: string;
}

export interface ExportRequest {
  readonly key: string;
  readonly format: ExportFormat;
}

/** A project with its sessions counted. */
export interface ProjectLine {
  readonly project: string | null;
  readonly name: string;
  /** The other machine that all its sessions belong to. */
  readonly machine: string | null;
  readonly sessions: number;
  readonly turns: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly agents: readonly { readonly agent: string; readonly sessions: number }[];
  readonly worktrees: readonly {
    readonly worktree: string;
    readonly project: string | null;
    readonly sessions: number;
    readonly endedAt: number | null;
  }[];
}

export interface ProjectsReply {
  readonly projects: readonly ProjectLine[];
}

/** Sessions that read or wrote a file. */
export interface FilesReply {
  readonly total: number;
  readonly sessions: readonly (SessionLine & {
    readonly files: readonly {
      readonly path: string;
      readonly reads: number;
      readonly writes: number;
      readonly mentions: number;
      readonly lastAt: number | null;
    }[];
  })[];
}

/** Work that sessions left open. */
export interface WorkReply {
  readonly total: number;
  readonly sessions: readonly (SessionLine & {
    readonly items: readonly {
      readonly text: string;
      readonly turn: number | null;
      readonly sign: string;
      /** Where it comes from, or its progress. */
      readonly says: string;
    }[];
  })[];
}

/** The sessions that an agent will delete, and when. */
export interface KeepingReply {
  readonly agents: readonly {
    readonly agent: string;
    readonly name: string;
    readonly folder: string;
    readonly days: number;
    /** The settings file that says so; `default` if none does. */
    readonly from: string;
    /** Why nothing is deleted for now. */
    readonly paused: string | null;
    readonly sweepsAt: number;
    readonly sessions: number;
    readonly notArchived: number;
    /** How many will be deleted within 30 days. */
    readonly deleted: { readonly sessions: number; readonly notArchived: number };
    /** The first of them. */
    readonly atRisk: readonly {
      readonly key: string;
      readonly title: string | null;
      readonly project: string | null;
      readonly deletedAfter: number;
      readonly isArchived: boolean;
    }[];
  }[];
}

/** The activity and usage of sessions. */
export interface CountLine {
  readonly sessions: number;
  readonly turns: number;
  readonly toolCalls: number;
  readonly failures: number;
  readonly tokens: number;
  /** In US dollars; null if no model has a price. */
  readonly cost: number | null;
}

export interface ActivityReply {
  readonly total: CountLine;
  /** Days as `2026-11-18`, the first one first; days without activity are left out. */
  readonly days: readonly (CountLine & { readonly day: string })[];
  readonly projects: readonly (CountLine & { readonly name: string; readonly project: string | null })[];
  readonly agents: readonly (CountLine & { readonly name: string })[];
  readonly models: readonly (CountLine & { readonly name: string })[];
  /** Models without a price: their tokens are in no cost. */
  readonly unpriced: readonly string[];
}

/** An error, in the form that the page shows. */
export interface ErrorAnswer {
  readonly error: { readonly message: string; readonly hint: string | null };
}
