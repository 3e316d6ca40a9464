/**
 * The library: the history of the coding agents of a machine, for other programs. `openHistory()` returns it; it
 * prints nothing, and learns about the machine only from its options. docs/LIBRARY.md explains it, with examples.
 */
export type { Agent, ResumeCommand } from "./agents/agent.ts";
export { addAgent } from "./agents/agents.ts";
export type { ArchiveAnswer, NewlyArchived } from "./archive/archive-sessions.ts";
export type { RestoredFile, RestoredSession } from "./archive/restore-session.ts";
export type { RestoreAnswer } from "./archive/restore-sessions.ts";
export type { FoundDamage } from "./archive/verify-archive.ts";
export { type ExitCode, exitCodes, gravest, type Problem, UserError } from "./errors.ts";
export type { Digest, TokenEstimate } from "./extract/digest.ts";
export type { Disk } from "./fs/disk.ts";
export type { HistoryOptions } from "./history/context.ts";
export { type Filters, readFilters, readRequest, type SearchPage } from "./history/filters.ts";
export type * from "./history/history.ts";
export { type OpenHistory, openHistory } from "./history/open-history.ts";
export type { HistorySearcher } from "./history/open-searcher.ts";
export type { Machine } from "./history/open-store.ts";
export {
  type AddedRemote,
  type KnownRecipient,
  type ListedRemote,
  type RemoteKeys,
  type Remotes,
  remotesOf,
  type SyncCallOptions,
  type SyncOutcome,
} from "./history/remotes.ts";
export { type PushCallOptions, type Team, teamOf } from "./history/team.ts";
export type { TextPush } from "./remote/push-index.ts";
export type { NewRemote, Remote, RemoteKind } from "./remote/remotes.ts";
export type { SyncAnswer, SyncedMachine } from "./remote/sync.ts";
export type { RepositoryProof } from "./remote/verify-repository.ts";
export { type ExportFormat, exportFormats } from "./render/export-formats.ts";
export { checkDays, FOREVER_DAYS } from "./retention/retention-days.ts";
export type { RetentionStatus, RiskySession } from "./retention/retention-status.ts";
export type { Mask } from "./search/export-session.ts";
export type { GrepHit } from "./search/grep/grep-job.ts";
export type { FoundIn, GrepEvent, GrepProgress } from "./search/grep/grep-sessions.ts";
export type { PlaceCount, ProjectCount, WorktreeCount } from "./search/list-projects.ts";
export type { OpenSession } from "./search/open-session.ts";
export type { PendingSession } from "./search/pending-work.ts";
export type { FoundSession, SearchRequest, SearchResult } from "./search/search-sessions.ts";
export type { CatalogRow, Coverage, FileHit, SessionList, SessionState } from "./search/session-catalog.ts";
export { type SessionStats, tokensOf, type UsageCount } from "./search/stats/count-stats.ts";
export { type Checkout, NO_PROJECT, projectLabel } from "./session/checkout.ts";
export type { Context, Session, SessionName, Step, Subagent, ToolCall, Turn } from "./session/session.ts";
export { type TextRole, textRoles } from "./session/text-role.ts";
export type { FilePlan } from "./settings/change-files.ts";
export type { CompactAnswer } from "./shrink/compact-session.ts";
export { FLATTEN_MIN_BYTES } from "./shrink/flatten-min-bytes.ts";
export type { FlattenAnswer } from "./shrink/flatten-session.ts";
export type { RetrievedBlock } from "./shrink/retrieve-block.ts";
export type { SessionSummary } from "./shrink/summarize-session.ts";
export type { UnflattenAnswer } from "./shrink/unflatten-session.ts";
export type { SiteAnswer } from "./site/write-site.ts";
