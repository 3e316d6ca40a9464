import { type ClaudeFiles, isRow, type Row, rowsOf } from "./claude-files.ts";
import { requestsOf } from "./claude-requests.ts";

/** What a session holds, counted from its lines with nothing but JSON.parse. */
export interface Recount {
  readonly requests: readonly string[];
  /** Calls by name, once per id, sub-agents included. */
  readonly tools: Readonly<Record<string, number>>;
  /** How often each file was written, by the inputs of calls. */
  readonly written: Readonly<Record<string, number>>;
  readonly compactions: number;
}

/** The tools that write a file, and the field that names it. */
const WRITERS: Readonly<Record<string, string>> = {
  Edit: "file_path",
  Write: "file_path",
  MultiEdit: "file_path",
  NotebookEdit: "notebook_path",
};

export function recountClaude(files: Omit<ClaudeFiles, "id">): Recount {
  const main = rowsOf(files.main);
  const calls = new Map<string, { readonly name: string; readonly input: unknown }>();
  for (const row of [...main, ...files.agents.flatMap((path) => rowsOf(path))]) {
    for (const block of replyBlocks(row)) {
      if (block.type !== "tool_use" || typeof block.id !== "string" || typeof block.name !== "string")
        continue;
      if (!calls.has(block.id)) calls.set(block.id, { name: block.name, input: block.input });
    }
  }
  const tools: Record<string, number> = {};
  const written: Record<string, number> = {};
  for (const { name, input } of calls.values()) {
    tools[name] = (tools[name] ?? 0) + 1;
    const field = WRITERS[name];
    const path = field !== undefined && isRow(input) ? input[field] : undefined;
    if (typeof path === "string") written[path] = (written[path] ?? 0) + 1;
  }
  return { requests: requestsOf(main), tools, written, compactions: countCompactions(main) };
}

function replyBlocks(row: Row): readonly Row[] {
  const message = row.message;
  if (row.type !== "assistant" || !isRow(message) || !Array.isArray(message.content)) return [];
  return message.content.filter(isRow);
}

/** Boundaries, and summaries that hang on none. */
function countCompactions(rows: readonly Row[]): number {
  const boundaries = new Set<unknown>();
  const alone = new Set<unknown>();
  for (const row of rows) {
    if (row.isSidechain === true) continue;
    if (row.type === "system" && row.subtype === "compact_boundary") boundaries.add(row.uuid);
    if (row.type === "user" && row.isCompactSummary === true && !boundaries.has(row.parentUuid)) {
      alone.add(row.uuid);
    }
  }
  return boundaries.size + alone.size;
}
