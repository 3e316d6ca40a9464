import { spawn } from "node:child_process";
import { existsSync, readFileSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
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
  const words = [
    "-p",
    prompt,
    "--output-format",
    "json",
    "--allowedTools",
    "Bash,mcp__sessions,mcp__plugin_sessions_sessions",
  ];
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

/** A running Claude Code that is spoken to over stdin. */
export interface ClaudeTalk {
  say(prompt: string): void;
  /** Waits until the session's log has a text. */
  waitFor(text: string): Promise<void>;
  /** Ends it: by closing its input, or at once. */
  end(how: "in order" | "killed"): Promise<{ readonly id: string; readonly log: string }>;
}

export function talkToClaude(home: AgentHome): ClaudeTalk {
  const words = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
  const id = crypto.randomUUID();
  const { command, args, folder, env } = home.agentStart("claude", [
    ...words,
    "--allowedTools",
    "Bash",
    "--session-id",
    id,
  ]);
  const child = spawn(command, args, { cwd: folder, env, stdio: ["pipe", "ignore", "ignore"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  onTestFinished(() => void child.kill("SIGKILL"));
  const log = join(home.home, ".claude", "projects", encodeProjectPath(folder), `${id}.jsonl`);
  return {
    say: (content) =>
      void child.stdin.write(`${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`),
    waitFor: (text) =>
      expect
        .poll(() => existsSync(log) && readFileSync(log, "utf8").includes(text), { timeout: 60_000 })
        .toBe(true),
    async end(how) {
      if (how === "killed") child.kill("SIGKILL");
      else child.stdin.end();
      await ended;
      return { id, log };
    },
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
    if (!isRecord(message)) return [];
    const { content, role } = message;
    if (role === "system") return typedMeanwhile(String(content));
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : listOf(content);
    return blocks.flatMap((block) => (isRecord(block) ? saidInBlock(block, String(role)) : []));
  });
}

/** Prompts that were typed while the agent worked, and handed over in the middle of the turn. */
function typedMeanwhile(text: string): readonly string[] {
  const found = text.matchAll(
    /^The user sent a new message while you were working:\n(.*?)\n\nThis is how/gms,
  );
  return Array.from(found, ([, prompt = ""]) => `user: ${prompt.trim()}`);
}

const NOTE = /^<(?:system-reminder|local-command)/;

/** What a text says, as a list: nothing if it is a note of the program, and a slash command as it was typed. */
function saidInText(role: string, text: string): readonly string[] {
  if (NOTE.test(text)) return [];
  const name = /<command-name>(.*?)<\/command-name>/s.exec(text)?.[1];
  const args = /<command-args>(.*?)<\/command-args>/s.exec(text)?.[1] ?? "";
  return [`${role}: ${name === undefined ? text.trim() : `${name} ${args.trim()}`.trim()}`];
}

function saidInBlock(block: Readonly<Record<string, unknown>>, role: string): readonly string[] {
  switch (block.type) {
    case "text":
      return saidInText(role, String(block.text));
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
      // Texts that the agent's program writes for the user: what a slash command stands for.
      case "note":
        return item.about === "meta" || item.about === "command" ? saidInText("user", String(item.text)) : [];
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

/** Makes the model load a tool of our server, of which it knows only the name at first, and then call it. */
export function callDeferred(
  { model }: AgentHome,
  when: RegExp,
  tool: string,
  input: Readonly<Record<string, unknown>>,
): void {
  const nameIn = ({ body }: ModelRequest): string =>
    new RegExp(`mcp__\\w*?sessions__${tool}`).exec(JSON.stringify(body))?.[0] ?? tool;
  const load = (request: ModelRequest): string => `select:${nameIn(request)}`;
  model.rule(when, (request) => ({
    call: { tool: "ToolSearch", input: { query: load(request), max_results: 1 } },
  }));
  model.rule(/^/, (request) => {
    const isLoaded = request.isAfterTool && JSON.stringify(request.messages.at(-2)).includes(load(request));
    return isLoaded ? { call: { tool: nameIn(request), input }, isFollowUp: true } : undefined;
  });
}
