/** What other programs may build on: the same verbs that the commands use. They return data and print nothing. */
export type { Agent } from "./agents/agent.ts";
export { addAgent } from "./agents/agents.ts";
export type { Digest } from "./extract/digest.ts";
export type { Library } from "./fs/library.ts";
export { createLibrary, type LibraryFrom } from "./fs/library.ts";
export { nodeDisk } from "./fs/node-disk.ts";
export { type OpenSession, openSession } from "./search/open-session.ts";
export type { SessionFilter } from "./search/query/session-filter.ts";
export type { IndexAccess } from "./search/refresh/index-access.ts";
export { openEngine } from "./search/refresh/open-engine.ts";
export type { CatalogRow, Coverage, SessionState } from "./search/session-catalog.ts";
export { type ListOptions, listSessions, type SessionList } from "./search/session-catalog.ts";
export { sessionTree, type TreeBranch } from "./session/branches.ts";
export type { Session, Step, Subagent, ToolCall, Turn } from "./session/session.ts";
export { type ContextItem, sessionContext } from "./session/session-context.ts";
