/** What other programs may build on: the same verbs that the commands use. They return data and print nothing. */
export type { Digest } from "../core/extract/digest.ts";
export type { Session, Step, Subagent, ToolCall, Turn } from "../core/model/session.ts";
export type { SessionFilter } from "../core/query/session-filter.ts";
export { type ContextItem, sessionContext } from "../core/thread/session-context.ts";
export { sessionTree, type TreeBranch } from "../core/thread/session-tree.ts";
export { nodeDisk } from "../store/node-disk.ts";
export type { CatalogueRow, Coverage, SessionState } from "./catalogue.ts";
export { createLibrary, type LibraryFrom } from "./create-library.ts";
export type { IndexAccess } from "./indexing/index-access.ts";
export { openEngine } from "./indexing/open-engine.ts";
export type { Library } from "./library.ts";
export { type ListOptions, listSessions, type SessionList } from "./list-sessions.ts";
export { type OpenSession, openSession } from "./open-session.ts";
