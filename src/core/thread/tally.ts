import type { ReplyEntry, Usage } from "../model/entry.ts";
import type { Characters, SessionUsage } from "../model/session.ts";
import type { TreeEntry } from "./node-table.ts";
import type { Results } from "./steps.ts";
import { createWorkList, type WorkList } from "./work-list.ts";

/** Counts what passes by. Sub-agents inside the log count for themselves, not for the session. */
export interface Tally {
  add(entry: TreeEntry): void;
  readonly results: Results;
  readonly work: WorkList;
  /** The last model that answered. */
  model(): string | null;
  counts(requests: number): { readonly user: number; readonly assistant: number; readonly tool: number };
  characters(): Characters;
  usage(isCurrent: (uid: string) => boolean): SessionUsage;
}

export function createTally(): Tally {
  const results: Results = new Map();
  const work = createWorkList();
  /** One message is several lines, each with the usage so far: the last one counts. */
  const messages = new Map<string, { readonly usage: Usage | undefined; readonly uid: string | undefined }>();
  const characters = { toolResults: 0, toolInputs: 0, assistantText: 0, userText: 0 };
  let model: string | null = null;
  let toolMessages = 0;

  const addReply = (entry: ReplyEntry): void => {
    model = entry.model ?? model;
    const name = entry.message ?? entry.uid ?? `#${messages.size}`;
    messages.set(name, { usage: entry.usage ?? messages.get(name)?.usage, uid: entry.uid });
    for (const part of entry.parts) {
      if (part.kind === "call") characters.toolInputs += part.inputChars;
      else characters.assistantText += part.chars;
      if (part.kind === "call" && part.work !== undefined) work.update(part.work, part.id);
    }
  };

  return {
    results,
    work,
    add(entry) {
      if (entry.kind === "results") {
        for (const result of entry.results) {
          if (entry.sidechain === undefined) {
            if (!results.has(result.callId)) toolMessages++;
            characters.toolResults += result.chars;
            if (result.work !== undefined) work.update(result.work, result.callId);
          }
          results.set(result.callId, result);
        }
        return;
      }
      if (entry.sidechain !== undefined) return;
      if (entry.kind === "reply") addReply(entry);
      else if (
        entry.kind === "request" ||
        (entry.kind === "note" && entry.about !== "system" && entry.about !== "error")
      ) {
        characters.userText += entry.chars;
      } else if (entry.kind === "summary") characters.userText += entry.text.length;
      else if (entry.kind === "compaction") characters.userText += entry.summary?.length ?? 0;
    },
    model: () => model,
    counts: (requests) => ({ user: requests, assistant: messages.size, tool: toolMessages }),
    characters: () => ({ ...characters }),
    usage(isCurrent) {
      const total = {
        inputTokens: 0,
        outputTokens: 0,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        contextTokens: 0,
      };
      for (const { usage, uid } of messages.values()) {
        if (usage === undefined) continue;
        total.inputTokens += usage.inputTokens;
        total.outputTokens += usage.outputTokens;
        total.cacheReadTokens += usage.cacheReadTokens;
        total.cacheWriteTokens += usage.cacheWriteTokens;
        const context = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
        if (context > 0 && (uid === undefined || isCurrent(uid))) total.contextTokens = context;
      }
      return total;
    },
  };
}
