import { filesTool, listTool, pendingTool, projectsTool, searchTool } from "./find-tools.ts";
import { archiveTool, flattenTool, unflattenTool } from "./keep-tools.ts";
import { readTool, retrieveTool, summaryTool } from "./read-tools.ts";
import type { McpTool } from "./tool.ts";

/** One row per tool, those that answer most questions first. */
export const mcpTools: readonly McpTool[] = [
  searchTool,
  readTool,
  listTool,
  projectsTool,
  filesTool,
  pendingTool,
  summaryTool,
  archiveTool,
  flattenTool,
  unflattenTool,
  retrieveTool,
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
  usesNetwork,
}: McpTool): ToolDescription {
  return {
    name,
    title,
    description,
    inputSchema,
    // Nothing is ever lost: rewritten sessions are archived first.
    annotations: {
      readOnlyHint: isReadOnly,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: usesNetwork,
    },
  };
}
