import { fileCandidates } from "../../extract/files.ts";
import {
  cutLine,
  firstText,
  type SummaryBlock,
  type SummaryMessage,
  sessionMessages,
} from "../../extract/session-messages.ts";
import { continuationText } from "../../extract/summary-text.ts";
import type { SummaryForm } from "../agent-actions.ts";
import { messageText, summaryOfContinuation } from "./message.ts";
import { clawSizeOf, readClawLog, summaryMessage, UnreadableClawLog } from "./read-log.ts";

/** The summary that claw-code writes when it compacts, of a session of any agent. */
export const clawSummaryForm: SummaryForm = {
  write: (session, earlier) => fullText(sessionMessages(session), earlier),
  writeOwn(chunks, mask) {
    const logged = loggedMessages(chunks);
    return logged === undefined ? undefined : fullText(mask(logged.messages), mask(logged.earlier));
  },
  writeBranch: (branch) => clawSummary(sessionMessages(branch)),
  continuation: continuationText,
};

function fullText(messages: readonly SummaryMessage[], earlier: string | null): string {
  const summary = clawSummary(messages);
  return earlier === null ? summary : mergeClawSummary(earlier, summary);
}

/** claw-code's own messages, as its log has them; undefined if claw-code itself would not load it. */
function loggedMessages(
  chunks: Iterable<Uint8Array>,
): { readonly messages: readonly SummaryMessage[]; readonly earlier: string | null } | undefined {
  try {
    const messages = readClawLog(chunks).messages.map(({ message }) => message);
    const [first] = messages;
    if (first === undefined || !clawSizeOf(first).isSummary)
      return { messages: messages.map(summaryMessage), earlier: null };
    return {
      messages: messages.slice(1).map(summaryMessage),
      earlier: summaryOfContinuation(messageText(first)),
    };
  } catch (error) {
    if (error instanceof UnreadableClawLog) return undefined;
    throw error;
  }
}

const LINE_CHARS = 160;
const CURRENT_WORK_CHARS = 200;
const MAX_REQUESTS = 3;
const MAX_PENDING = 3;
const MAX_FILES = 8;
const PENDING_WORDS = /todo|next|pending|follow up|remaining/i;
const KEY_EXTENSIONS: ReadonlySet<string> = new Set(["rs", "ts", "tsx", "js", "json", "md"]);

/**
 * The summary that claw-code itself makes of messages, without a model: counts, tools, the last requests, open work,
 * files, current work, and every message in one line.
 */
export function clawSummary(messages: readonly SummaryMessage[]): string {
  const lines = ["<summary>", "Conversation summary:", scopeLine(messages)];
  const tools = toolNames(messages);
  if (tools.length > 0) lines.push(`- Tools mentioned: ${tools.join(", ")}.`);
  lines.push(...listed("- Recent user requests:", recentRequests(messages)));
  lines.push(...listed("- Pending work:", pendingWork(messages)));
  const files = keyFiles(messages);
  if (files.length > 0) lines.push(`- Key files referenced: ${files.join(", ")}.`);
  const work = messages.map(firstText).findLast((text) => text !== undefined);
  if (work !== undefined) lines.push(`- Current work: ${cutLine(work, CURRENT_WORK_CHARS)}`);
  return [...lines, ...listed(TIMELINE, messages.map(timelineRow), true), "</summary>"].join("\n");
}

/** The heading before the timeline, which has every message in one line. */
const TIMELINE = "- Key timeline:";

function scopeLine(messages: readonly SummaryMessage[]): string {
  const count = (role: SummaryMessage["role"]): number =>
    messages.filter((message) => message.role === role).length;
  const roles = `user=${count("user")}, assistant=${count("assistant")}, tool=${count("tool")}`;
  return `- Scope: ${messages.length} earlier messages compacted (${roles}).`;
}

function listed(heading: string, items: readonly string[], isWanted = items.length > 0): readonly string[] {
  return isWanted ? [heading, ...items.map((item) => `  - ${item}`)] : [];
}

function toolNames(messages: readonly SummaryMessage[]): readonly string[] {
  const names = new Set<string>();
  for (const { blocks } of messages) {
    for (const block of blocks)
      if ((block.kind === "call" || block.kind === "result") && block.name !== "")
        names.add(cutLine(block.name, LINE_CHARS));
  }
  return [...names].sort();
}

function recentRequests(messages: readonly SummaryMessage[]): readonly string[] {
  return messages
    .filter(({ role }) => role === "user")
    .map(firstText)
    .filter((text) => text !== undefined)
    .slice(-MAX_REQUESTS)
    .map((text) => cutLine(text, LINE_CHARS));
}

function pendingWork(messages: readonly SummaryMessage[]): readonly string[] {
  const found: string[] = [];
  for (let at = messages.length - 1; at >= 0 && found.length < MAX_PENDING; at--) {
    const message = messages[at];
    const text = message === undefined ? undefined : firstText(message);
    if (text !== undefined && PENDING_WORDS.test(text)) found.push(cutLine(text, LINE_CHARS));
  }
  return found.reverse();
}

function keyFiles(messages: readonly SummaryMessage[]): readonly string[] {
  const files = new Set<string>();
  for (const { blocks } of messages) {
    for (const block of blocks) {
      // A backslash left over from JSON inside JSON.
      for (const path of fileCandidates(wordsOf(block), KEY_EXTENSIONS))
        if (!path.includes("\\")) files.add(path);
    }
  }
  return [...files].sort().slice(0, MAX_FILES);
}

function wordsOf(block: SummaryBlock): string {
  switch (block.kind) {
    case "text":
      return block.text;
    case "call":
      return block.input;
    case "result":
      return block.output;
    case "thinking":
      return "";
  }
}

function timelineRow({ role, blocks }: SummaryMessage): string {
  return `${role}: ${blocks.map(blockLine).join(" | ")}`;
}

function blockLine(block: SummaryBlock): string {
  switch (block.kind) {
    case "text":
      return cutLine(block.text, LINE_CHARS);
    case "thinking":
      return `thinking (${block.chars} chars)`;
    case "call":
      return cutLine(`tool_use ${block.name}(${head(block.input)})`, LINE_CHARS);
    case "result":
      return cutLine(
        `tool_result ${block.name}: ${block.isError ? "error " : ""}${head(block.output)}`,
        LINE_CHARS,
      );
  }
}

/** More than a line will use, but never all of a text of megabytes. */
function head(text: string): string {
  return text.length > 16 * LINE_CHARS ? text.slice(0, 16 * LINE_CHARS) : text;
}

/**
 * claw-code cuts every text that it writes at 16,384 characters. That would cut off the end: the last messages, and
 * the words that make the model continue. So a summary drops its oldest lines instead.
 */
export function fitClawSummary(summary: string, maxChars: number): string {
  if (summary.length <= maxChars) return summary;
  const lines = summary.split("\n");
  const timeline = lines.indexOf(TIMELINE) + 1;
  const room = maxChars - MARK_CHARS;
  const dropped = cutToFit(lines, timeline, lines.length - 1, room);
  const short = [...lines.slice(0, timeline), mark(dropped), ...lines.slice(timeline + dropped)];
  if (short.join("\n").length <= maxChars) return short.join("\n");
  // Still too long without the timeline: many summaries were merged, and the oldest are dropped first.
  const first = short.indexOf("Conversation summary:") + 1;
  const older = cutToFit(short, first, timeline - 1, room);
  return [...short.slice(0, first), ...short.slice(first + older)].join("\n");
}

const MARK_CHARS = 60;

function mark(count: number): string {
  return `  - … ${count} earlier messages …`;
}

/** How many lines between `from` and `to` have to be dropped. */
function cutToFit(lines: readonly string[], from: number, to: number, maxChars: number): number {
  let chars = lines.reduce((sum, line) => sum + line.length + 1, 0);
  let dropped = 0;
  while (chars > maxChars && from + dropped < to) {
    chars -= (lines[from + dropped]?.length ?? 0) + 1;
    dropped++;
  }
  return dropped;
}

const NEWER = "- Newly compacted context:";
const HEADINGS: ReadonlySet<string> = new Set([
  "Summary:",
  "Conversation summary:",
  // The form of claw-code before May 2026.
  "- Previously compacted context:",
]);

/** Tags are for programs. */
const TAG = /^\s*<\/?[a-z-]+>$/;

/**
 * Adds a new summary to an earlier one, as claw-code does: the earlier one without its timeline, then the new part,
 * then the timeline of the new part alone.
 */
export function mergeClawSummary(earlier: string, newer: string): string {
  const old = flattened(highlights(earlier)).map((line) => (/^\s*-/.test(line) ? line : `- ${line}`));
  const lines = ["<summary>", "Conversation summary:", ...old];
  lines.push(NEWER, ...highlights(newer).map((line) => `  ${line}`));
  lines.push(TIMELINE, ...timeline(newer), "</summary>");
  return lines.join("\n");
}

/** Everything but headings and the timeline. */
function highlights(summary: string): readonly string[] {
  const found: string[] = [];
  for (const line of summary.split("\n")) {
    const text = line.trimEnd();
    if (text === TIMELINE) break;
    if (text.trim() !== "" && !HEADINGS.has(text.trim()) && !TAG.test(text)) found.push(text);
  }
  return found;
}

/** The new part of an earlier merge is old now, so it moves up a level; otherwise each round would nest it deeper. */
function flattened(lines: readonly string[]): readonly string[] {
  let isNested = false;
  return lines.flatMap((line) => {
    if (line === NEWER) {
      isNested = true;
      return [];
    }
    isNested &&= line.startsWith("  ");
    return [isNested ? line.slice(2) : line];
  });
}

function timeline(summary: string): readonly string[] {
  const lines = summary.split("\n");
  const from = lines.indexOf(TIMELINE);
  return from === -1 ? [] : lines.slice(from + 1).filter((line) => line.startsWith("  "));
}
