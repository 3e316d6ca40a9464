import { findFileHistory, listSessions, pendingWork, searchSessions } from "./find-tools.ts";
import { archiveSession, flattenSession, unflattenSession } from "./keep-tools.ts";
import { readSession, retrieveFlattened, sessionSummary } from "./read-tools.ts";
import type { McpTool } from "./tool.ts";

/** One row per tool, those first that answer most questions. */
export const mcpTools: readonly McpTool[] = [
  searchSessions,
  readSession,
  listSessions,
  findFileHistory,
  pendingWork,
  sessionSummary,
  archiveSession,
  flattenSession,
  unflattenSession,
  retrieveFlattened,
];

/** A tool as clients see it. */
export interface ToolDescription extends Pick<McpTool, "name" | "title" | "description" | "inputSchema"> {
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

export function describeTool({
  name,
  title,
  description,
  inputSchema,
  isReadOnly,
}: McpTool): ToolDescription {
  return {
    name,
    title,
    description,
    inputSchema,
    // Nothing is ever lost: what is rewritten is archived first.
    annotations: {
      readOnlyHint: isReadOnly,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
  };
}
