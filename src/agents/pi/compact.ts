import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { exitCodes, UserError } from "../../errors.ts";
import { estimateContext } from "../../extract/tokens.ts";
import { decodeLine, isObject, type JsonObject, tryParse } from "../../jsonl/json-line.ts";
import { splitLines } from "../../jsonl/lines.ts";
import { planAppend, planEdits } from "../../jsonl/rewrite-plan.ts";
import { objectAt, stringAt, timeAt } from "../../jsonl/values.ts";
import { maskAndClean } from "../../redact/mask.ts";
import { createRedactor } from "../../redact/redact.ts";
import type { Session } from "../../session/session.ts";
import { createSessionBuilder } from "../../session/session-builder.ts";
import { createTextBudget } from "../../session/text-budget.ts";
import {
  type CompactionInput,
  type CompactionOptions,
  type CompactionPlan,
  type Compactor,
  chosenNumber,
} from "../agent-actions.ts";
import { placed } from "../entry-body.ts";
import { readPlanned } from "../log-snapshot.ts";
import type { PiLoaded } from "./context.ts";
import { type CurrentSystem, type PiCompactionRule, type PiPreparation, preparePiCompaction } from "./cut.ts";
import { readPiEntry } from "./entry.ts";
import { type PiTrail, readPiTrail, type TrailEntry } from "./read-log.ts";
import { piSummary } from "./summary.ts";

const KEEP_RECENT = {
  name: "keep-recent",
  type: "number",
  default: 20_000,
  description: "keep the last N tokens",
} as const;
const RESERVE = {
  name: "reserve",
  type: "number",
  default: 16_384,
  description: "tokens reserved for the answer",
} as const;
const CONTEXT_WINDOW = {
  name: "context-window",
  type: "number",
  min: 1,
  default: 200_000,
  description: "the model's context window, in tokens",
} as const;

export const piCompaction: Compactor = {
  description: "a compaction entry is appended, and nothing is removed",
  options: [KEEP_RECENT, RESERVE, CONTEXT_WINDOW],
  note: "The log keeps everything: Pi loads the summary at its end, and the last messages.",
  plan: compactPi,
};

/** Appends a compaction, as Pi itself would: nothing is removed from the log. */
function compactPi(input: CompactionInput): CompactionPlan {
  const { library, files, snapshot, options } = input;
  const trail = readPiTrail(snapshot.chunks());
  if (trail.version === undefined) {
    throw new UserError(
      `Cannot compact session ${files.id}: its log has no header, so Pi would not load it`,
      {
        exitCode: exitCodes.refused,
      },
    );
  }
  const before = estimateContext(readPlanned(library, files, snapshot, undefined));
  const prepared = preparePiCompaction(trail.entries, ruleOf(options));
  if ("nothing" in prepared) {
    const plan = planEdits([], snapshot.mark.size);
    return { plan, before, after: before, shrunk: [], nothing: prepared.nothing };
  }
  const line = newLine(input, trail, prepared);
  // Lines that are appended in the meantime would be on an abandoned branch, so plan again.
  const plan = planAppend(line, snapshot.mark.size, "give-up");
  const after = estimateContext(readPlanned(library, files, snapshot, plan));
  return { plan, before, after, shrunk: [], nothing: null };
}

function ruleOf(options: CompactionOptions): PiCompactionRule {
  const room = chosenNumber(options, CONTEXT_WINDOW) - chosenNumber(options, RESERVE);
  return {
    keepRecentTokens: chosenNumber(options, KEEP_RECENT),
    onlyBeyondTokens: options.auto ? room : null,
  };
}

function newLine(
  { library, files, snapshot }: CompactionInput,
  trail: PiTrail,
  prepared: PiPreparation,
): Uint8Array {
  const firstKept = named(trail, prepared.firstKept.id, files.id);
  const leaf = named(trail, prepared.leaf.id, files.id);
  const { redact } = createRedactor({ extra: library.config.redact });
  const mask = <T>(value: T): T => maskAndClean(value, redact);
  const read = (loaded: readonly PiLoaded[]): Session | null =>
    loaded.length === 0 ? null : mask(readPiEntries(snapshot.chunks, trail, loaded));
  const details = { readFiles: prepared.readFiles, modifiedFiles: prepared.modifiedFiles };
  const summary = piSummary({
    history: read(prepared.history),
    turnPrefix: read(prepared.turnPrefix),
    earlier: prepared.earlier === null ? null : redact(prepared.earlier),
    files: details,
  });
  const { tokensBefore, system } = prepared;
  return compactionLine(trail, {
    summary,
    firstKept,
    leaf,
    tokensBefore,
    details,
    system,
    now: library.now(),
  });
}

/** The new entry must name it, but relatives of Pi leave some entries without a name. */
function named(trail: PiTrail, id: string, session: string): TrailEntry {
  const entry = trail.entries.findLast((each) => each.id === id);
  if (entry?.isNamed === true) return entry;
  throw new UserError(`Cannot compact session ${session}: an entry that the compaction must name has no id`, {
    exitCode: exitCodes.refused,
    hint: "it was not written by Pi itself",
  });
}

interface NewCompaction {
  readonly summary: string;
  readonly firstKept: TrailEntry;
  readonly leaf: TrailEntry;
  readonly tokensBefore: number;
  readonly details: { readonly readFiles: readonly string[]; readonly modifiedFiles: readonly string[] };
  readonly system: CurrentSystem | undefined;
  readonly now: number;
}

/** The bytes that make a compaction of a log when they follow it, in the log's own version. */
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

/** Of the content, so that a dry run reports the same as the real one. */
function newName({ entries }: PiTrail, leaf: TrailEntry, summary: string): string {
  const taken = new Set(entries.map(({ id }) => id));
  const hash = createHash("sha256").update(`${leaf.id}\0${summary}`).digest("hex");
  for (let at = 0; at + 8 <= hash.length; at++) {
    const name = hash.slice(at, at + 8);
    if (!taken.has(name)) return name;
  }
  return hash;
}

/** Kept entries are loaded without their system messages: the compaction records their net effect. */
function systemMessage({ content, sections, tools }: CurrentSystem, now: number): object {
  return {
    role: "system",
    content,
    ...(Object.keys(sections).length === 0 ? {} : { sections }),
    ...(tools.length === 0 ? {} : { toolsAdded: tools.map(({ declaration }) => declaration) }),
    timestamp: now,
  };
}

const NO_FACTS = { id: null, project: null, branch: null, version: null, firstAt: null, lastAt: null };

/** Builds a session from some entries of a Pi log, with their texts as Pi loads them. */
export function readPiEntries(
  chunks: () => Iterable<Uint8Array>,
  trail: PiTrail,
  loaded: readonly Pick<PiLoaded, "entry" | "edited">[],
): Session {
  const lineOf = new Map(trail.entries.map(({ id, line }) => [id, line]));
  const replaced = loaded.filter(({ edited }) => edited).map(({ entry }) => entry.id);
  const contents = replaced.length === 0 ? new Map<string, unknown>() : readEdits(chunks());
  const edits = new Map(replaced.map((id) => [lineOf.get(id) ?? 0, contents.get(id)]));
  const lines = new Set(loaded.map(({ entry }) => lineOf.get(entry.id) ?? 0));
  return sessionOfPiEntries(loadedEntries(chunks(), lines, edits));
}

/** An entry of a log, and its line. */
type NumberedEntry = readonly [line: number, entry: JsonObject];

/** Reads some entries of a log, given by their lines. `edits` has the words that replace an entry's own, by its line. */
function* loadedEntries(
  chunks: Iterable<Uint8Array>,
  lines: ReadonlySet<number>,
  edits: ReadonlyMap<number, unknown>,
): Generator<NumberedEntry, void, void> {
  for (const { bytes, number } of splitLines(chunks)) {
    const object = lines.has(number) ? tryParse(decodeLine(bytes)) : undefined;
    if (isObject(object)) yield [number, edits.has(number) ? withContent(object, edits.get(number)) : object];
  }
}

/** Links entries into one conversation, whatever was between them. */
export function sessionOfPiEntries(entries: Iterable<NumberedEntry>): Session {
  const budget = createTextBudget();
  const builder = createSessionBuilder("last-entry");
  let parent: string | null = null;
  let count = 0;
  for (const [line, object] of entries) {
    count++;
    if (isExcluded(object)) continue;
    const at = timeAt(object, "timestamp") ?? timeAt(objectAt(object, "message"), "timestamp");
    const name = `#${line}`;
    for (const [index, body] of readPiEntry(object, name, budget).bodies.entries()) {
      const uid: string = index === 0 ? name : `${name}:${index}`;
      builder.add(placed(body, { line, at }, uid, parent));
      parent = uid;
    }
  }
  return builder.finish({ agent: "pi", id: "", facts: NO_FACTS, lines: count, problems: [] });
}

/** What replaces the words of other entries, by the entry that it replaces. */
function readEdits(chunks: Iterable<Uint8Array>): ReadonlyMap<string, unknown> {
  const edits = new Map<string, unknown>();
  for (const line of splitLines(chunks)) {
    if (!line.bytes.includes('"context_edit"')) continue;
    const object = tryParse(decodeLine(line.bytes));
    const target =
      isObject(object) && object.type === "context_edit" ? stringAt(object, "targetId") : undefined;
    if (isObject(object) && target !== undefined) edits.set(target, objectAt(object, "replacement")?.content);
  }
  return edits;
}

/** `!!command`: the user ran it for themselves, the model never sees it. */
function isExcluded(object: JsonObject): boolean {
  return objectAt(object, "message")?.excludeFromContext === true;
}

function withContent(object: JsonObject, content: unknown): JsonObject {
  const message = objectAt(object, "message");
  return message === undefined ? { ...object, content } : { ...object, message: { ...message, content } };
}
