import { readFileSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { encodeProjectPath } from "../../../src/agents/claude/files.ts";
import type { AgentHome, RunOptions } from "./agent-home.ts";
import { isRecord, listOf, type ModelRequest } from "./fake-model.ts";

/** Asks Claude Code something and returns the session's id and its log. */
export async function askClaude(
  home: AgentHome,
  prompt: string,
  args: readonly string[] = [],
  options: RunOptions = {},
): Promise<{ readonly id: string; readonly log: string; readonly requests: readonly ModelRequest[] }> {
  const before = home.model.requests.length;
  const words = ["-p", prompt, "--output-format", "json", "--allowedTools", "Bash,mcp__*"];
  const { code, out, err } = await home.agent("claude", [...words, ...args], options);
  if (code !== 0) throw new Error(`claude ended with ${code}: ${out}${err}`);
  const id = String(JSON.parse(out).session_id);
  const folder = encodeProjectPath(options.folder ?? home.project);
  return {
    id,
    log: join(home.home, ".claude", "projects", folder, `${id}.jsonl`),
    requests: home.model.requests.slice(before),
  };
}

/** Makes a log look as if its session had ended a minute ago: until then it counts as live. */
export function rest(log: string): void {
  const then = statSync(log).mtimeMs / 1_000 - 60;
  utimesSync(log, then, then);
}

export function linesOf(log: string): readonly Readonly<Record<string, unknown>>[] {
  return readFileSync(log, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** What people and the model said in a request, in order; without reminders, notes on commands and instructions. */
export function saidIn({ messages }: ModelRequest): readonly string[] {
  return messages.flatMap((message) => {
    if (!isRecord(message) || message.role === "system") return [];
    const { content, role } = message;
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : listOf(content);
    return blocks.flatMap((block) => (isRecord(block) ? saidInBlock(block, String(role)) : []));
  });
}

const NOTE = /^<(?:system-reminder|local-command|command-name|command-message)/;

function saidInBlock(block: Readonly<Record<string, unknown>>, role: string): readonly string[] {
  switch (block.type) {
    case "text":
      return NOTE.test(String(block.text)) ? [] : [`${role}: ${String(block.text).trim()}`];
    case "tool_use":
      return [`${String(block.name)} ${JSON.stringify(block.input)}`];
    case "tool_result":
      return [`result: ${textOf(block.content)}`];
    default:
      return [];
  }
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content.trim();
  return listOf(content)
    .map((each) => (isRecord(each) && typeof each.text === "string" ? each.text : ""))
    .join("\n")
    .trim();
}

/** The same of what `sessions show --context` says that the agent would load now. */
export async function saidByContext(
  home: AgentHome,
  id: string,
  options: RunOptions = {},
): Promise<readonly string[]> {
  const { context } = await home.json(["show", id, "--context", "--budget", "0"], options);
  return listOf(context).flatMap((item) => {
    if (!isRecord(item)) return [];
    switch (item.kind) {
      case "request":
      case "summary":
        return [`user: ${String(item.text).trim()}`];
      case "reply":
        return [`assistant: ${String(item.text).trim()}`];
      case "tool": {
        const result = isRecord(item.result) ? [`result: ${String(item.result.text).trim()}`] : [];
        return [`${String(item.tool)} ${String(item.input)}`, ...result];
      }
      default:
        return [];
    }
  });
}
