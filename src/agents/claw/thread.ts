import { createHash } from "node:crypto";
import type { JsonObject } from "../../jsonl/json-line.ts";
import { numberAt, objectAt, stringAt, timeAt } from "../../jsonl/values.ts";
import type { Fact, SourceFacts } from "../../session/entry.ts";
import type { ParserContext } from "../agent.ts";
import { createTimeSpan, placed, type SavedSpan } from "../entry-body.ts";
import { sessionIdAt } from "../session-id.ts";
import {
  type ClawMessage,
  fingerprint,
  isContinuation,
  messageText,
  plainClawSummary,
  readClawMessage,
  readMessageBody,
  summaryOfContinuation,
} from "./message.ts";

/** Builds one chain from the records of a file. */
interface ClawThread {
  /** False if it is not a record of claw-code. */
  record(object: JsonObject, line: number): boolean;
  finish(): SourceFacts;
  save(): SavedClawThread;
}

/** The state that the thread needs to continue later. */
export interface SavedClawThread {
  readonly meta: SavedMeta;
  readonly prompts: SavedPrompts;
  /** How often each name was used. */
  readonly occurrences: readonly (readonly [string, number])[];
  readonly held?: HeldMessage | undefined;
  readonly open?: OpenCompaction | undefined;
  readonly last: string | null;
}

export const emptyClawThread: SavedClawThread = {
  meta: { span: { firstAt: null, lastAt: null }, id: null, project: null },
  prompts: { times: [] },
  occurrences: [],
  last: null,
};

interface HeldMessage {
  readonly message: ClawMessage;
  readonly print: string;
  readonly line: number;
  readonly at: number | undefined;
}

/** A compaction whose place is known only when the first message that it kept is read. */
interface OpenCompaction {
  readonly line: number;
  readonly removedMessages?: number;
  /** On the record of the compaction. */
  readonly summary?: string;
  /** In the message that replaced the removed ones. */
  readonly continuation?: string;
}

/**
 * Names the messages of a log. They have no names of their own, and a message in a rotation must have the same name
 * in the current log, so a name is built from the content. Users repeat themselves ("continue"), so the name of a
 * request includes the reply, and each message is held back until the next is known. A link `<name>^` comes before
 * each message. If a compaction kept that message, the current log has the compaction before it, and the compaction
 * follows that link: there the removed messages are attached, if a rotation still has them.
 */
export function createClawThread(context: ParserContext, before: SavedClawThread): ClawThread {
  const { emit, budget } = context;
  const meta = createClawMeta(context.path, before.meta);
  const prompts = createPromptTimes(before.prompts);
  const occurrences = new Map(before.occurrences);
  let { held, open, last } = before;

  const nameOf = ({ message, print }: HeldMessage, next: string): string => {
    const name = message.role === "user" ? hash(`${print}\0${next}`) : print;
    const count = (occurrences.get(name) ?? 0) + 1;
    occurrences.set(name, count);
    return count === 1 ? name : `${name}~${count}`;
  };

  const settleCompaction = (firstKept: string | undefined): void => {
    if (open === undefined) return;
    const { line, continuation, summary, removedMessages } = open;
    const uid = `compaction:${hash(continuation ?? summary ?? "")}`;
    const logicalParent = last ?? (firstKept === undefined ? undefined : `${firstKept}^`);
    emit({
      kind: "compaction",
      line,
      uid,
      parent: null,
      trigger: null,
      tokensBefore: null,
      tokensAfter: null,
      ...(logicalParent === undefined ? {} : { logicalParent }),
      ...(removedMessages === undefined ? {} : { removedMessages }),
      ...(continuation === undefined && summary !== undefined ? { summary: budget.words(summary) } : {}),
    });
    last = uid;
    if (continuation !== undefined) {
      last = `${uid}:summary`;
      const text = budget.words(summaryOfContinuation(continuation));
      emit({ kind: "summary", line, uid: last, parent: uid, of: "compaction", text });
    }
    open = undefined;
  };

  const settleMessage = (next: string): void => {
    if (held === undefined) return;
    const { message, line, at } = held;
    const uid = nameOf(held, next);
    if (open !== undefined) settleCompaction(uid);
    else if (last !== null) {
      emit({ kind: "link", line, uid: `${uid}^`, parent: last });
      last = `${uid}^`;
    }
    emit(placed(readMessageBody(message, budget), { line, at }, uid, last));
    last = uid;
    held = undefined;
  };

  const takeMessage = (message: ClawMessage, line: number): void => {
    const print = fingerprint(message);
    settleMessage(print);
    const text = messageText(message);
    const mayContinue = message.role === "system" && (last === null || open !== undefined);
    if (mayContinue && isContinuation(text)) {
      open = { ...open, line, continuation: text };
      return;
    }
    const at = message.role === "user" ? prompts.timeOf(text) : undefined;
    held = { message, print, line, at };
  };

  const takeCompaction = (object: JsonObject, line: number): void => {
    settleMessage("");
    settleCompaction(undefined);
    const removedMessages = numberAt(object, "removed_message_count");
    const summary = stringAt(object, "summary");
    open = {
      line,
      ...(removedMessages === undefined ? {} : { removedMessages }),
      ...(summary === undefined ? {} : { summary: plainClawSummary(summary) }),
    };
  };

  const takePrompt = (object: JsonObject): void => {
    const at = timeAt(object, "timestamp_ms");
    if (at === undefined) return;
    meta.at(at);
    prompts.prompt(stringAt(object, "text") ?? "", at);
  };

  return {
    record(object, line) {
      switch (object.type) {
        case "session_meta":
          for (const fact of meta.header(object)) emit({ kind: "fact", line, fact });
          return true;
        case "compaction":
          takeCompaction(object, line);
          return true;
        case "prompt_history":
          takePrompt(object);
          return true;
        case "message": {
          const message = readClawMessage(object.message);
          if (message === undefined) return false;
          takeMessage(message, line);
          return true;
        }
        default:
          return false;
      }
    },
    finish() {
      settleMessage("");
      settleCompaction(undefined);
      return meta.facts();
    },
    save: () => ({
      meta: meta.save(),
      prompts: prompts.save(),
      occurrences: [...occurrences],
      held,
      open,
      last,
    }),
  };
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** The header: facts about the whole session. */
interface ClawMeta {
  /** Reads the header, and returns its content besides the source's facts. */
  header(object: JsonObject): readonly Fact[];
  at(at: number): void;
  facts(): SourceFacts;
  save(): SavedMeta;
}

/** The state that is needed to continue later. */
interface SavedMeta {
  readonly span: SavedSpan;
  readonly id: string | null;
  readonly project: string | null;
  readonly createdAt?: number | undefined;
}

function createClawMeta(path: string, before: SavedMeta): ClawMeta {
  const span = createTimeSpan(before.span);
  let { id, project, createdAt } = before;
  return {
    save: () => ({ span, id, project, createdAt }),
    header(object) {
      id ??= sessionIdAt(object, "session_id") ?? null;
      project ??= stringAt(object, "workspace_root") ?? null;
      createdAt ??= timeAt(object, "created_at_ms");
      span.add(createdAt);
      span.add(timeAt(object, "updated_at_ms"));
      const facts: Fact[] = [];
      const parent = sessionIdAt(objectAt(object, "fork"), "parent_session_id");
      const branch = stringAt(objectAt(object, "fork"), "branch_name");
      if (parent !== undefined) facts.push({ name: "parent", lineage: { kind: "fork", session: parent } });
      if (branch !== undefined && branch !== "") facts.push({ name: "tag", text: branch });
      const model = stringAt(object, "model");
      if (model !== undefined) facts.push({ name: "model", model });
      return facts;
    },
    at(at) {
      span.add(at);
    },
    facts() {
      const named = timeInName(id ?? path);
      return {
        id,
        project,
        branch: null,
        version: null,
        firstAt: createdAt ?? named ?? span.firstAt,
        lastAt: span.lastAt ?? named,
      };
    },
  };
}

/** Old logs have no times, but their names do: `session-<milliseconds>`. */
function timeInName(name: string): number | null {
  const ms = Number(/session-(\d{12,14})\b/.exec(name)?.[1]);
  return Number.isFinite(ms) ? ms : null;
}

/**
 * Finds the times of messages. They have none, but the prompts that the user typed are logged with theirs. A time is
 * returned only if it is certain which prompt a message is: the one on the line before, or the only one with that
 * text. After a compaction the prompts of removed messages are still there.
 */
interface PromptTimes {
  prompt(text: string, at: number): void;
  /** The time of a message of the user; must be called for each of them in turn. */
  timeOf(text: string): number | undefined;
  save(): SavedPrompts;
}

interface LastPrompt {
  readonly key: string;
  readonly at: number;
}

/** The state that is needed to continue later. */
interface SavedPrompts {
  readonly times: readonly (readonly [string, readonly number[]])[];
  readonly last?: LastPrompt | undefined;
}

/** Enough to distinguish prompts. */
const KEY_CHARS = 400;

function createPromptTimes(before: SavedPrompts): PromptTimes {
  const times = new Map(before.times.map(([key, known]) => [key, [...known]]));
  let { last } = before;
  const keyOf = (text: string): string => text.trim().slice(0, KEY_CHARS);
  return {
    save: () => ({ times: [...times], last }),
    prompt(text, at) {
      const key = keyOf(text);
      const known = times.get(key);
      if (known === undefined) times.set(key, [at]);
      else known.push(at);
      last = { key, at };
    },
    timeOf(text) {
      const key = keyOf(text);
      const known = times.get(key) ?? [];
      const found = last?.key === key ? last.at : known.length === 1 ? known[0] : undefined;
      if (found !== undefined) known.splice(known.indexOf(found), 1);
      last = undefined;
      return found;
    },
  };
}
