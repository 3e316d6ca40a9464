import type { ResumeCommand } from "../agents/agent.ts";
import type { ArchiveAnswer } from "../archive/archive-sessions.ts";
import type { GuardProgress } from "../archive/guard-stamp.ts";
import type { Progress } from "../archive/progress.ts";
import type { RestoredSession } from "../archive/restore-session.ts";
import type { RestoreAnswer } from "../archive/restore-sessions.ts";
import type { VerifyAnswer } from "../archive/verify-archive.ts";
import type { Problem } from "../errors.ts";
import type { ForgetTarget, MarkedLog, Remembered } from "../forget.ts";
import type { ExportFormat } from "../render/export-formats.ts";
import type { GuardAnswer } from "../retention/guard.ts";
import type { RetentionStatus } from "../retention/retention-status.ts";
import type { Mask } from "../search/export-session.ts";
import type { GrepEvent, GrepProgress } from "../search/grep/grep-sessions.ts";
import type { ProjectCount } from "../search/list-projects.ts";
import type { OpenSession } from "../search/open-session.ts";
import type { PendingSession } from "../search/pending-work.ts";
import type { SearchRequest, SearchResult } from "../search/search-sessions.ts";
import type { CatalogRow, Coverage, FileHit, SessionList, SessionState } from "../search/session-catalog.ts";
import type { SessionPointer } from "../search/session-pointers.ts";
import type { SessionStats } from "../search/stats/count-stats.ts";
import type { Checkout } from "../session/checkout.ts";
import type { AgentName } from "../session/entry.ts";
import type { SessionName } from "../session/session.ts";
import type { TextRole } from "../session/text-role.ts";
import type { FilePlan } from "../settings/change-files.ts";
import type { SidecarsChecked } from "../shrink/check-sidecars.ts";
import type { CompactAnswer } from "../shrink/compact-session.ts";
import type { FlattenAnswer } from "../shrink/flatten-session.ts";
import type { Retrieved } from "../shrink/retrieve-block.ts";
import type { SessionSummary } from "../shrink/summarize-session.ts";
import type { UnflattenAnswer } from "../shrink/unflatten-session.ts";
import type { SiteAnswer } from "../site/write-site.ts";
import type { Filters, SearchPage } from "./filters.ts";
import type { HistorySearcher } from "./open-searcher.ts";

/**
 * Names a session: its id, the start of one, `last`, `current`, or the path of its log. Several words name several sessions;
 * `["last", "3"]` is the three newest.
 */
export type Selector = string | readonly string[];

/** A session that `select()` found: it names exactly those files, whatever happens to `last` meanwhile. */
export type SelectedSession = SessionPointer;

/** Options of every call. */
export interface AnyCallOptions {
  /** Ends the call with the signal's reason. A step that must not be left half done is finished first. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of calls that take a selector. */
export interface SelectedOptions extends AnyCallOptions {
  /** `last` is the newest session of all projects instead of the project of the machine's folder. */
  readonly everywhere?: boolean;
  /** Takes every log with the selected id. Otherwise calls that write refuse an id that several logs have. */
  readonly allCopies?: boolean;
}

/** The progress of a long call. */
export type CallProgress = Progress;

export interface LongOptions extends SelectedOptions {
  readonly onProgress?: (progress: CallProgress) => void;
}

export interface SearchOptions extends SearchPage, AnyCallOptions {
  /** Answers from the index without checking for changed logs. */
  readonly skipRefresh?: boolean;
}

export interface ListedOptions extends AnyCallOptions {
  readonly filter?: Filters;
  /** Words of the title, or filters such as `project:shop`. */
  readonly words?: readonly string[];
  /** Answers from the index without checking for changed logs. */
  readonly skipRefresh?: boolean;
  readonly offset?: number;
  readonly limit?: number;
  /** Includes sessions of which only prompts or fragments are left. */
  readonly stubs?: boolean;
}

export interface ProjectsOptions extends AnyCallOptions {
  readonly filter?: Filters;
  readonly offset?: number;
  readonly limit?: number;
}

export interface ProjectsAnswer {
  /** How many projects match in total. */
  readonly total: number;
  readonly projects: readonly ProjectCount[];
  readonly coverage: Coverage;
}

export interface StatsCallOptions extends AnyCallOptions {
  /** `since` and `until` apply to the activity, all other filters to sessions. */
  readonly filter?: Filters;
}

export interface StatsAnswer extends SessionStats {
  readonly coverage: Coverage;
}

/** A session as it is in the index. */
export interface SessionLabel extends SessionName, Checkout {
  readonly title: string | null;
  readonly project: string | null;
  readonly branch: string | null;
  readonly tools: readonly string[];
  /** The machine that it was pulled from; absent: this one. */
  readonly machine?: string;
}

export interface FilesOptions extends AnyCallOptions {
  readonly filter?: Filters;
  /** Only sessions that wrote the file. */
  readonly written?: boolean;
  readonly limit?: number;
  readonly offset?: number;
}

export interface FilesAnswer {
  readonly total: number;
  readonly sessions: readonly FileHit[];
  readonly coverage: Coverage;
}

export interface PendingOptions extends AnyCallOptions {
  readonly filter?: Filters;
  /** All projects instead of the one of the folder. */
  readonly everywhere?: boolean;
  /** The folder whose project is meant; absent: the machine's. */
  readonly folder?: string;
  /** Answers from the index without checking for changed logs. */
  readonly skipRefresh?: boolean;
  /** Only items of todo and task lists. */
  readonly todos?: boolean;
  /** Lists an item that several sessions of a project left open once, at the newest of them. */
  readonly folded?: boolean;
  readonly limit?: number;
  readonly offset?: number;
}

export interface PendingAnswer {
  readonly total: number;
  /** With `folded`, counts also sessions whose items are all listed with a newer one; else the same as `total`. */
  readonly totalWithRepeats: number;
  /** The project that the answer is limited to. */
  readonly project: string | undefined;
  readonly sessions: readonly PendingSession[];
}

export interface GrepCallOptions extends AnyCallOptions {
  readonly ignoreCase?: boolean;
  /** The pattern is plain text. */
  readonly fixed?: boolean;
  /** One match per session is enough. */
  readonly sessionsOnly?: boolean;
  readonly contextLines?: number;
  /** Only texts of these kinds; absent: all, and fields of the format if nothing else matches. */
  readonly roles?: readonly TextRole[];
  /** Also the agents' records of their own requests to the model. */
  readonly allLines?: boolean;
  readonly filter?: Filters;
  /** Gives up on a file after this time. */
  readonly timeLimitMs?: number;
  readonly onProgress?: (progress: GrepProgress) => void;
}

export interface SiteCallOptions extends Pick<ListedOptions, "filter" | "words" | "signal"> {
  /** The folder to write: new, empty, or written by an earlier call. */
  readonly folder: string;
  /** The folder with site.js and site.css, which comes with the program: `dist/web`. */
  readonly clientFolder: string;
  /** Only sessions that have all words and phrases of a query, as `search` finds them. */
  readonly query?: string | undefined;
  readonly onProgress?: (progress: CallProgress) => void;
}

export interface ExportedDocument {
  readonly sessionId: string;
  readonly agent: AgentName;
  readonly format: ExportFormat;
  /** The document in parts, made on demand. */
  readonly parts: () => Iterable<string>;
}

/** How to resume a session with its own agent. Not masked: it is meant to be run. */
export interface ResumableSession extends SessionName {
  readonly resume: ResumeCommand;
  readonly state: SessionState;
  /** Its log, null if that is gone; where it is or was; and other logs with the same id. */
  readonly source: string | null;
  readonly log: string | null;
  readonly others: readonly string[];
  readonly part?: string | undefined;
}

export interface IndexAnswer {
  /** Sessions read, sessions removed, bytes of logs read. */
  readonly read: number;
  readonly removed: number;
  readonly bytes: number;
  /** Why the index was rebuilt; null if it was not. */
  readonly rebuilt: string | null;
  readonly coverage: Coverage;
  readonly problems: readonly Problem[];
}

/** The session count of one agent. */
export interface AgentCount {
  readonly agent: string;
  readonly sessions: number;
  readonly turns: number;
  readonly bytes: number;
}

export interface OverviewAnswer {
  /** The agent with the most sessions first. */
  readonly agents: readonly AgentCount[];
  readonly newest: readonly CatalogRow[];
  readonly coverage: Coverage;
  /** Sessions with unfinished work. */
  readonly pendingSessions: number;
  /** The same, with those whose items are all counted with a newer session. */
  readonly pendingWithRepeats: number;
  /** The progress of archiving in the background; null if none is running. */
  readonly archiving: GuardProgress | null;
  readonly retention: readonly RetentionStatus[];
}

export interface ArchiveCallOptions extends LongOptions {
  /** Reads all files again, and repairs damage in the archive. */
  readonly check?: boolean;
  /** Only returns what would be archived. */
  readonly dryRun?: boolean;
}

export interface GuardCallOptions extends AnyCallOptions {
  /** A log whose session is archived first, even if it is in use. */
  readonly log?: string | undefined;
  /** How long to wait for the store. */
  readonly lockTimeoutMs?: number;
}

export interface RestoreCallOptions extends SelectedOptions {
  /** Only sessions of this machine; absent: of this one if it has them. */
  readonly machine?: string | undefined;
  /** Writes below this folder, as if it were the home. */
  readonly to?: string | undefined;
  /** Restores into this project folder. */
  readonly into?: string | undefined;
  readonly generation?: number | undefined;
  /** Sets the current time instead of the old one. */
  readonly touch?: boolean;
  /** Overwrites different content, after archiving it. */
  readonly force?: boolean;
  readonly dryRun?: boolean;
}

export interface VerifyReport extends VerifyAnswer {
  /** Sidecars of flattened sessions, each block checked, and logs whose markers need them. */
  readonly sidecars: SidecarsChecked;
}

/** Options of calls that rewrite a log. Its bytes are archived first. */
export interface RewriteCallOptions extends SelectedOptions {
  readonly dryRun?: boolean;
  /** Even if the log changed a moment ago, but never if a process holds it open. */
  readonly force?: boolean;
  /** Also writes the old bytes next to the log. */
  readonly bak?: boolean;
  /** Waits for a running session to end. */
  readonly waitUntilIdle?: boolean;
}

export interface CompactCallOptions extends RewriteCallOptions {
  /** Only if the session is past its agent's own threshold. */
  readonly auto?: boolean;
  /** Writes the smaller session as a new one, and leaves this one unchanged. */
  readonly fork?: boolean;
  /** Options of the agent's own rules, by the names of the command's flags: `{ keep: 3 }`. */
  readonly rules?: Readonly<Record<string, number | boolean>>;
}

export interface FlattenCallOptions extends RewriteCallOptions {
  /** Moves only results larger than this; 1024 if absent. */
  readonly minBytes?: number;
  /** Also the copies that the agent keeps for its own display. */
  readonly copies?: boolean;
  readonly fork?: boolean;
  /** Counts tokens with Anthropic's API, with the key in the machine's environment. */
  readonly exactTokens?: boolean;
}

export interface SummaryCallOptions extends SelectedOptions {
  readonly format?: string | undefined;
  readonly continuation?: boolean;
  readonly branch?: string | undefined;
}

/** The session that is about to be forgotten. */
export interface ForgetPreview extends SessionName {
  /** The agent's own log; null if it is gone. With `allCopies` the first of several. */
  readonly source: string | null;
  readonly sources: readonly string[];
  /** Its agent keeps it in a database, and the log is a copy in the store, which is forgotten with it. */
  readonly isInDatabase: boolean;
  /** The logs that are forgotten: one, or with `allCopies` each with the id. */
  readonly logs: readonly ForgetTarget[];
  /** Names the forgotten session for `undoForget`: the id, or the path of the log if others have the same id. */
  readonly selector: string;
  /** Only the index still has it, so it can't be restored. */
  readonly isIndexed: boolean;
  /** It was forgotten before: forgetting it again changes nothing. */
  readonly isForgotten: boolean;
  /** Its logs with markers; their results are removed with sidecar and archive. */
  readonly flattened: readonly MarkedLog[];
}

export interface ForgetAnswer extends ForgetPreview {
  /** Also copies and forks with markers whose results were not found. */
  readonly flattened: readonly MarkedLog[];
  /** Copies and forks with markers of this session, which got their own sidecar with the results. */
  readonly provided: readonly MarkedLog[];
  /** Until when it can be brought back; null: it can't. */
  readonly undoUntil: number | null;
}

export interface RetentionCallOptions extends AnyCallOptions {
  /** How far ahead to forecast; 30 by default. */
  readonly withinDays?: number;
  /** The value of `claude --settings`. */
  readonly settings?: string | undefined;
}

/**
 * The history of the coding agents of one machine. Nothing is printed, and secrets are masked in everything that is
 * returned, unless the history was opened with `reveal`.
 */
export interface History {
  /** These answers come from the example history. */
  readonly demo: boolean;
  /** Masks secrets in any plain data. */
  readonly mask: Mask;

  search(query: string, options?: SearchOptions): Promise<SearchResult>;
  /** Answers several queries after one check for changed logs. */
  searchAll(
    requests: readonly SearchRequest[],
    options?: Pick<SearchOptions, "skipRefresh" | "signal">,
  ): Promise<readonly SearchResult[]>;
  /** Keeps the index open, for front ends that search with every key stroke. */
  searcher(options?: AnyCallOptions): Promise<HistorySearcher>;
  list(options?: ListedOptions): Promise<SessionList>;
  /** Projects with the number of their sessions, the last active first; worktrees are part of their repository. */
  projects(options?: ProjectsOptions): Promise<ProjectsAnswer>;
  /** Sessions in the index, newest first, without checking the logs; none if there is no index. For completion. */
  indexed(options?: AnyCallOptions): Promise<readonly SessionLabel[]>;
  /** The activity and usage of sessions, by day, project, agent and model; including those whose logs are gone. */
  stats(options?: StatsCallOptions): Promise<StatsAnswer>;
  session(
    selector: Selector,
    options?: SelectedOptions & {
      /** Removes control and invisible characters, which could split a secret, before masking. For files and pages. */
      readonly clean?: boolean;
    },
  ): Promise<OpenSession>;
  /** The sessions that a selector names, without reading them. */
  select(
    selector: Selector,
    options?: SelectedOptions & { readonly forWriting?: boolean },
  ): Promise<readonly SelectedSession[]>;
  files(pattern: string, options?: FilesOptions): Promise<FilesAnswer>;
  pending(options?: PendingOptions): Promise<PendingAnswer>;
  grep(pattern: string, options?: GrepCallOptions): AsyncGenerator<GrepEvent, void, void>;
  /** With `folded` open work is counted as `pending` lists it with the same option. */
  overview(
    options?: AnyCallOptions & { readonly newest?: number; readonly folded?: boolean },
  ): Promise<OverviewAnswer>;
  resume(selector: Selector, options?: SelectedOptions): Promise<ResumableSession>;
  export(
    selector: Selector,
    options: SelectedOptions & { readonly format: ExportFormat },
  ): Promise<ExportedDocument>;
  /** Writes the matching sessions as a folder of static pages that any browser can search without this program. */
  exportSite(options: SiteCallOptions): Promise<SiteAnswer>;
  summary(selector: Selector, options?: SummaryCallOptions): Promise<SessionSummary>;
  retrieve(
    selector: Selector,
    toolUseId: string,
    options?: SelectedOptions,
  ): Promise<Retrieved & SessionName>;

  /** Updates the index, or rebuilds it. Searches do that themselves. */
  index(options?: AnyCallOptions & { readonly rebuild?: boolean }): Promise<IndexAnswer>;
  /** Archives the selected sessions; without a selector, all that changed. */
  archive(selector?: Selector, options?: ArchiveCallOptions): Promise<ArchiveAnswer>;
  /** Archives all sessions that are not archived yet and have been quiet, starting with the most endangered. */
  guard(options?: GuardCallOptions): Promise<GuardAnswer>;
  /**
   * Restores archived sessions; `"all"` restores every one. A session with `imports` is restored when these commands
   * have run: then `finishImport` says whether the agent has it.
   */
  restore(selector: Selector, options?: RestoreCallOptions): Promise<RestoreAnswer>;
  /** Checks whether the agent has a session after an import, and removes the files written for that. */
  finishImport(restored: RestoredSession): Promise<boolean>;
  verify(selector?: Selector, options?: LongOptions): Promise<VerifyReport>;
  /** What `forget` would remove. */
  forgetPreview(selector: Selector, options?: SelectedOptions): Promise<ForgetPreview>;
  /** Removes a session from index, archive, exact bytes and sidecars; `undoForget` restores it within a week. */
  forget(selector: Selector | ForgetPreview, options?: SelectedOptions): Promise<ForgetAnswer>;
  undoForget(selector: Selector, options?: SelectedOptions): Promise<Remembered>;

  compact(selector: Selector | SelectedSession, options?: CompactCallOptions): Promise<CompactAnswer>;
  flatten(selector: Selector | SelectedSession, options?: FlattenCallOptions): Promise<FlattenAnswer>;
  unflatten(
    selector: Selector | SelectedSession,
    options?: RewriteCallOptions & Pick<FlattenCallOptions, "exactTokens">,
  ): Promise<UnflattenAnswer>;
  /** Sessions with these words in their title, branch or first request, that can be flattened. */
  matching(words: readonly string[], options?: AnyCallOptions): Promise<readonly SelectedSession[]>;

  retention(options?: RetentionCallOptions): Promise<readonly RetentionStatus[]>;
  /** Makes agents keep sessions for this many days; `undefined` undoes that. Returns the changes to their settings. */
  setRetention(
    days: number | "forever" | undefined,
    options?: AnyCallOptions & { readonly dryRun?: boolean },
  ): Promise<readonly FilePlan[]>;
}
