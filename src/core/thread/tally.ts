import type { ReplyEntry, Usage } from "../model/entry.ts";
import type { Characters, SessionUsage } from "../model/session.ts";
import type { Answered } from "./call-table.ts";
import type { NameTable } from "./name-table.ts";
import { NONE, type TreeEntry } from "./node-table.ts";
import { createWorkList, type WorkList } from "./work-list.ts";

/** Counts what passes by. Sub-agents inside the log count for themselves, not for the session. */
export interface Tally {
  /** `answered` belongs to the results of a results entry, one for one. */
  add(entry: TreeEntry, node: number, answered: readonly Answered[]): void;
  readonly work: WorkList;
  /** The last model that answered. */
  model(): string | null;
  counts(requests: number): { readonly user: number; readonly assistant: number; readonly tool: number };
  characters(): Characters;
  usage(isCurrent: (node: number) => boolean): SessionUsage;
}

/** One message is several lines, each with the usage so far: the last one counts. */
interface CountedMessage {
  usage: Usage | undefined;
  /** NONE where its entry has no name. */
  node: number;
}

export function createTally(messages: NameTable): Tally {
  const work = createWorkList();
  /** By the number of the message. */
  const counted: (CountedMessage | undefined)[] = [];
  const characters = { toolResults: 0, toolInputs: 0, assistantText: 0, userText: 0 };
  let model: string | null = null;
  let assistantMessages = 0;
  let toolMessages = 0;

  const addReply = (entry: ReplyEntry, node: number): void => {
    model = entry.model ?? model;
    const name = entry.message ?? entry.uid;
    const number = name === undefined ? messages.unnamed() : messages.number(name);
    const known = counted[number];
    const named = entry.uid === undefined ? NONE : node;
    if (known === undefined) {
      assistantMessages++;
      while (counted.length < number) counted.push(undefined);
      counted[number] = { usage: entry.usage, node: named };
    } else {
      known.usage = entry.usage ?? known.usage;
      known.node = named;
    }
    for (const part of entry.parts) {
      if (part.kind === "call") {
        characters.toolInputs += part.inputChars;
        if (part.work !== undefined) work.update(part.work, part.id);
      } else characters.assistantText += part.chars;
    }
  };

  return {
    work,
    add(entry, node, answered) {
      if (entry.sidechain !== undefined) return;
      switch (entry.kind) {
        case "results":
          entry.results.forEach((result, index) => {
            if (answered[index]?.isFirst === true) toolMessages++;
            characters.toolResults += result.chars;
            if (result.work !== undefined) work.update(result.work, result.callId);
          });
          return;
        case "reply":
          addReply(entry, node);
          return;
        case "request":
          characters.userText += entry.chars;
          return;
        case "note":
          if (entry.about !== "system" && entry.about !== "error") characters.userText += entry.chars;
          return;
        case "summary":
          characters.userText += entry.text.length;
          return;
        case "compaction":
          characters.userText += entry.summary?.length ?? 0;
          return;
        case "link":
          return;
      }
    },
    model: () => model,
    counts: (requests) => ({ user: requests, assistant: assistantMessages, tool: toolMessages }),
    characters: () => ({ ...characters }),
    usage(isCurrent) {
      const total = {
        inputTokens: 0,
        outputTokens: 0,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        contextTokens: 0,
      };
      for (const message of counted) {
        if (message?.usage === undefined) continue;
        const { usage, node } = message;
        total.inputTokens += usage.inputTokens;
        total.outputTokens += usage.outputTokens;
        total.cacheReadTokens += usage.cacheReadTokens;
        total.cacheWriteTokens += usage.cacheWriteTokens;
        const context = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
        if (context > 0 && (node === NONE || isCurrent(node))) total.contextTokens = context;
      }
      return total;
    },
  };
}
