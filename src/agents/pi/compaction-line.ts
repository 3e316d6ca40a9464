import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { CurrentSystem } from "./pi-system.ts";
import type { PiTrail, TrailEntry } from "./read-trail.ts";

export interface NewCompaction {
  readonly summary: string;
  readonly firstKept: TrailEntry;
  readonly leaf: TrailEntry;
  readonly tokensBefore: number;
  readonly details: { readonly readFiles: readonly string[]; readonly modifiedFiles: readonly string[] };
  readonly system: CurrentSystem | undefined;
  readonly now: number;
}

/** The bytes that make a compaction of a log when they stand behind it, in the log's own version. */
export function compactionLine(trail: PiTrail, compaction: NewCompaction): Uint8Array {
  const { summary, firstKept, leaf, tokensBefore, details, system, now } = compaction;
  const timestamp = new Date(now).toISOString();
  const isOld = (trail.version ?? 1) < 2;
  const entry = {
    type: "compaction",
    ...(isOld ? {} : { id: newName(trail, leaf, summary), parentId: leaf.id }),
    timestamp,
    summary,
    ...(isOld ? { firstKeptEntryIndex: firstKept.index } : { firstKeptEntryId: firstKept.id }),
    tokensBefore,
    details,
    ...(system === undefined ? {} : { systemMessage: systemMessage(system, now) }),
  };
  return Buffer.from(`${trail.isEnded ? "" : "\n"}${JSON.stringify(entry)}\n`);
}

/** Of the content, so that a trial run tells the same as the real one. */
function newName({ entries }: PiTrail, leaf: TrailEntry, summary: string): string {
  const taken = new Set(entries.map(({ id }) => id));
  const hash = createHash("sha256").update(`${leaf.id}\0${summary}`).digest("hex");
  for (let at = 0; at + 8 <= hash.length; at++) {
    const name = hash.slice(at, at + 8);
    if (!taken.has(name)) return name;
  }
  return hash;
}

/** What is kept is loaded without its system messages: the compaction says what they came to. */
function systemMessage({ content, sections, tools }: CurrentSystem, now: number): object {
  return {
    role: "system",
    content,
    ...(Object.keys(sections).length === 0 ? {} : { sections }),
    ...(tools.length === 0 ? {} : { toolsAdded: tools.map(({ declaration }) => declaration) }),
    timestamp: now,
  };
}
