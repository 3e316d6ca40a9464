import { type Answered, FIRST } from "./call-table.ts";
import type { ReplyEntry } from "./entry.ts";
import type { NameTable } from "./name-table.ts";
import { NONE, type TreeEntry } from "./node-table.ts";
import type { Characters, SessionUsage } from "./session.ts";
import { createUsageTable } from "./usage-table.ts";
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

export function createTally(messages: NameTable): Tally {
  const work = createWorkList();
  const usages = createUsageTable();
  const characters = { toolResults: 0, toolInputs: 0, assistantText: 0, userText: 0 };
  let model: string | null = null;
  let toolMessages = 0;

  const addReply = (entry: ReplyEntry, node: number): void => {
    model = entry.model ?? model;
    const name = entry.message ?? entry.uid;
    const number = name === undefined ? messages.unnamed() : messages.number(name);
    usages.set(number, entry.usage, entry.uid === undefined ? NONE : node);
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
          for (let index = 0; index < entry.results.length; index++) {
            const result = entry.results[index];
            if (result === undefined) continue;
            if (((answered[index] ?? 0) & FIRST) !== 0) toolMessages++;
            characters.toolResults += result.chars;
            if (result.work !== undefined) work.update(result.work, result.callId);
          }
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
    counts: (requests) => ({ user: requests, assistant: usages.count(), tool: toolMessages }),
    characters: () => ({ ...characters }),
    usage: (isCurrent) => usages.total((node) => node === NONE || isCurrent(node)),
  };
}
