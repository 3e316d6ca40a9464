import { insideOf } from "../../fs/places.ts";
import type { JsonObject } from "../../jsonl/json-line.ts";
import type { Line } from "../../jsonl/lines.ts";
import { objectAt, readTime, stringAt } from "../../jsonl/values.ts";
import { checkoutInLog, lastPart } from "../../session/checkout.ts";
import type { Entry, SourceFacts } from "../../session/entry.ts";
import type { LineParser, ParserContext } from "../agent.ts";
import { sessionIdAt } from "../session-id.ts";
import { readAssistantLine } from "./assistant-line.ts";
import { createHeadMemory, type LineHead } from "./line-head.ts";
import { type ClaudeLine, readClaudeLine } from "./read-line.ts";
import { readStateLine, readSystemLine } from "./system-line.ts";
import type { Touched } from "./tools.ts";
import { readUserLine, readUserText } from "./user-line.ts";

/**
 * Keys of the envelope that make an entry a part of the tree. All of them on every line: objects of one
 * shape are spread in 0.1 µs (but not as the first thing in a literal, which takes 8 µs on Node 20).
 */
export interface Envelope {
  readonly line: number;
  readonly uid: string | undefined;
  readonly parent: string | null | undefined;
  readonly at: number | undefined;
  readonly sidechain: string | true | undefined;
}

/** State that the parser keeps from line to line. */
export interface ClaudeState extends ParserContext {
  /** Names of the tools whose calls have no result yet. */
  readonly openCalls: Map<string, string>;
  readonly touched: Touched;
  /** The last compaction whose summary has not followed yet. */
  openBoundary: string | undefined;
  /** The last entry of the main chain. */
  lastUid: string | undefined;
}

/** The state that the parser needs to continue later. `touched` only saves space, so it may start empty. */
interface SavedState {
  readonly openCalls: readonly (readonly [string, string])[];
  readonly openBoundary?: string | undefined;
  readonly lastUid?: string | undefined;
  readonly waiting: readonly number[];
  readonly facts: Readonly<MutableFacts>;
}

const NOTHING_READ: SavedState = {
  openCalls: [],
  waiting: [],
  facts: {
    id: null,
    project: null,
    relocated: null,
    branch: null,
    version: null,
    firstAt: null,
    lastAt: null,
  },
};

export function createClaudeParser(context: ParserContext): LineParser {
  const before: SavedState = context.resume === undefined ? NOTHING_READ : JSON.parse(context.resume);
  const state: ClaudeState = {
    ...context,
    openCalls: new Map(before.openCalls),
    touched: new Map(),
    openBoundary: before.openBoundary,
    lastUid: before.lastUid,
  };
  const queue = createPromptQueue(context, before.waiting);
  const facts: MutableFacts = { ...before.facts };

  const heads = createHeadMemory();
  let lastHead: LineHead | undefined;

  const take = (object: JsonObject, line: Line, read: ClaudeLine): void => {
    const { head } = read;
    const parent = head === undefined ? object.parentUuid : heads.parent();
    const envelope = readEnvelope(object, line.number, parent, head, context.isSubagent);
    // The facts of the head were noted with the line that they were learned from, or with a later one with another
    // head.
    if (head !== undefined && head !== lastHead) noteFacts(facts, head.keys);
    lastHead = head;
    if (head === undefined || !head.hasFacts) noteFacts(facts, object);
    noteTime(facts, envelope.at);
    const type = head?.type ?? object.type;
    noteStepBack(facts, type, object, envelope);
    if (type === "queue-operation") queue.operation(object, envelope);
    const entry = readEntry(type, object, envelope, state, read);
    if (entry !== undefined) {
      context.emit(entry);
      // A summary line without an announcement is an old compaction: it becomes two entries.
      if (entry.uid !== undefined && entry.sidechain === undefined) state.lastUid = entry.uid;
    }
  };

  return {
    line(line) {
      const read = readClaudeLine(line, heads);
      for (const object of read.objects) take(object, line, read);
      if (read.problem !== undefined)
        context.emit({ kind: "opaque", line: line.number, problem: read.problem });
    },
    save: () =>
      JSON.stringify({
        openCalls: [...state.openCalls],
        openBoundary: state.openBoundary,
        lastUid: state.lastUid,
        waiting: queue.waiting(),
        facts,
      } satisfies SavedState),
    finish() {
      const { relocated, worktree, ...rest } = facts;
      const project = relocated ?? rest.project;
      return { ...rest, project, checkout: checkoutOf(worktree, project) };
    },
  };
}

function readEntry(
  type: unknown,
  object: JsonObject,
  envelope: Envelope,
  state: ClaudeState,
  read: ClaudeLine,
): Entry | undefined {
  switch (type) {
    case "user":
      return readUserLine(object, envelope, state, read);
    case "assistant":
      return readAssistantLine(object, envelope, state);
    case "system":
      return readSystemLine(object, envelope, state);
    case "attachment":
      return readAttachment(object, envelope, state);
    case "progress":
      return { kind: "link", ...envelope };
    default:
      return readStateLine(type, object, envelope);
  }
}

/** A prompt typed while the agent worked may be in the chain as an attachment, and nowhere else. */
function readAttachment(object: JsonObject, envelope: Envelope, state: ClaudeState): Entry {
  const attachment = objectAt(object, "attachment");
  const text = stringAt(attachment, "prompt")?.trim() ?? "";
  if (stringAt(attachment, "type") !== "queued_command" || text === "" || text.startsWith("<"))
    return { kind: "link", ...envelope };
  return {
    kind: "request",
    ...envelope,
    via: "queued",
    text: state.budget.words(text),
    chars: text.length,
    images: 0,
  };
}

function readEnvelope(
  object: JsonObject,
  line: number,
  parent: unknown,
  head: LineHead | undefined,
  isSubagent: boolean,
): Envelope {
  const { uuid } = object;
  return {
    line,
    uid: typeof uuid === "string" ? uuid : undefined,
    parent: typeof parent === "string" || parent === null ? parent : undefined,
    at: readTime(object.timestamp),
    // In its own log a sub-agent is the main chain.
    sidechain: isSubagent ? undefined : readSidechain(object, head),
  };
}

function readSidechain(object: JsonObject, head: LineHead | undefined): string | true | undefined {
  if ((head?.isSidechain ?? object.isSidechain) !== true) return undefined;
  const agentId = head?.keys.agentId ?? object.agentId;
  return typeof agentId === "string" ? agentId : true;
}

type MutableFacts = { -readonly [K in keyof SourceFacts]: SourceFacts[K] } & {
  relocated: string | null;
  /** The worktree that the session last reported to be in. */
  worktree?: Worktree | undefined;
};

interface Worktree {
  readonly folder: string;
  readonly name: string;
  /** The folder that it was created from. */
  readonly from: string;
}

function readWorktree(state: JsonObject | undefined): Worktree | undefined {
  const folder = stringAt(state, "worktreePath");
  const from = stringAt(state, "originalCwd");
  if (folder === undefined || from === undefined) return undefined;
  return { folder, from, name: stringAt(state, "worktreeName") ?? lastPart(folder) };
}

/** A session may enter a worktree and leave it again; its project decides. */
function checkoutOf(worktree: Worktree | undefined, project: string | null): SourceFacts["checkout"] {
  if (worktree === undefined || project === null) return undefined;
  const { folder, from, name } = worktree;
  if (project !== folder && !insideOf(folder, project)) return undefined;
  const { repository } = checkoutInLog({ project: from, branch: null });
  return { repository: repository ?? from, worktree: name };
}

function noteFacts(facts: MutableFacts, object: JsonObject): void {
  facts.id ??= sessionIdAt(object, "sessionId") ?? null;
  facts.project ??= stringAt(object, "cwd") ?? null;
  if (object.type === "relocated") facts.relocated = stringAt(object, "relocatedCwd") ?? facts.relocated;
  if (object.type === "worktree-state") facts.worktree = readWorktree(objectAt(object, "worktreeSession"));
  const branch = stringAt(object, "gitBranch");
  if (branch !== undefined && branch !== "") facts.branch = branch;
  facts.version = stringAt(object, "version") ?? facts.version;
}

/**
 * When the user goes back, Claude Code writes only where to; the next message follows that entry. A log that ends
 * there is resumed from there.
 */
function noteStepBack(facts: MutableFacts, type: unknown, object: JsonObject, envelope: Envelope): void {
  if (type === "last-prompt") {
    const leaf = object.leafUuid === null ? null : stringAt(object, "leafUuid");
    if (leaf === undefined) return;
    if (object.explicit === true) facts.wentBackTo = leaf;
    // At its end the log repeats the place, if it is still the same.
    else if (leaf !== null && leaf !== facts.wentBackTo) facts.wentBackTo = undefined;
  } else if (envelope.uid !== undefined && envelope.sidechain === undefined) facts.wentBackTo = undefined;
}

function noteTime(facts: MutableFacts, at: number | undefined): void {
  if (at === undefined) return;
  if (facts.firstAt === null || at < facts.firstAt) facts.firstAt = at;
  if (facts.lastAt === null || at > facts.lastAt) facts.lastAt = at;
}

/**
 * Prompts typed while the agent worked. Most follow later as a user line; those that were passed on in the middle of
 * a turn are only here (40 % of the real ones). Which ones is known once all requests are; here only those that were
 * taken back are dropped.
 */
interface PromptQueue {
  operation(object: JsonObject, envelope: Envelope): void;
  /** Lines of the queue, prompts or not. */
  waiting(): readonly number[];
}

/** Background tasks report through the same queue, and bare slash commands wait in it. */
const NO_PROMPT = /^\{"task_id"|^\/[\w:-]+$/;

function createPromptQueue({ emit, budget }: ParserContext, before: readonly number[]): PromptQueue {
  let waiting = [...before];
  return {
    waiting: () => waiting,
    operation(object, { line, at }) {
      switch (object.operation) {
        case "enqueue": {
          waiting.push(line);
          const read = readUserText(stringAt(object, "content") ?? "");
          if (read.kind !== "request" || NO_PROMPT.test(read.text)) return;
          const time = at === undefined ? {} : { at };
          emit({ kind: "fact", line, ...time, fact: { name: "queued", text: budget.words(read.text) } });
          return;
        }
        case "dequeue":
        case "remove":
          waiting.shift();
          return;
        case "popAll":
          // Taken back into the editor.
          for (const queuedOnLine of waiting)
            emit({ kind: "fact", line, fact: { name: "unqueued", queuedOnLine } });
          waiting = [];
      }
    },
  };
}
