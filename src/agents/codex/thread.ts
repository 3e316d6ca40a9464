import type { Fact, ReplyPart, ToolCallPart, Usage } from "../../session/entry.ts";
import type { TextBudget } from "../../session/text-budget.ts";
import type { ParserContext } from "../agent.ts";
import { type EntryBody, type LinePlace, placed } from "../entry-body.ts";
import { readToolCall } from "../tool-call.ts";
import type { CallOutput } from "./response-item.ts";

/** Builds one chain from the lines: Codex has neither names nor parents. */
export interface CodexThread {
  readonly budget: TextBudget;
  /** Names the position of the entries that follow. */
  place(line: number, at: number | undefined): void;
  model(model: string): void;
  put(body: EntryBody): void;
  request(text: string, raw: string, images: number, source: SaidBy): void;
  say(kind: "reply" | "thinking", texts: readonly string[], source: SaidBy): void;
  /** A shell command typed by the user: a request, a call, and its result. */
  shellLine(command: string, output: CallOutput, source: SaidBy): void;
  call(id: string, name: string, input: unknown): void;
  result(id: string, output: CallOutput): void;
  /** A call that only events report, or one that an item has reported already: then only its end is new. */
  reported(call: ToolCallPart, output: CallOutput): void;
  /** `total` distinguishes a new count of tokens from a repeated one. */
  usage(usage: Usage, total?: string): void;
  title(text: string): void;
  /** The last turns are undone: the next entry continues from where they began. */
  rollBack(turns: number): void;
  save(): SavedCodexThread;
}

/** The state that the thread needs to continue later. */
export interface SavedCodexThread {
  readonly openTexts: readonly OpenText[];
  /** Calls by name: whether each runs a command. */
  readonly calls: readonly (readonly [string, boolean])[];
  readonly exitCodes: readonly (readonly [string, number | null])[];
  /** The entry before each request of the current path. */
  readonly beforeRequests: readonly (string | null)[];
  readonly count: number;
  readonly last: string | null;
  readonly model?: string | undefined;
  /** Lines between two token counts are one message of the model. */
  readonly message: number;
  readonly hasResults: boolean;
  readonly lastTotal?: string | undefined;
  /** The last call without a name; its output has no name either. */
  readonly unnamed: number;
}

export const emptyCodexThread: SavedCodexThread = {
  openTexts: [],
  calls: [],
  exitCodes: [],
  beforeRequests: [],
  count: 0,
  last: null,
  message: 0,
  hasResults: false,
  unnamed: 0,
};

/** Calls whose output may still come; those of much earlier turns are forgotten. */
const MAX_OPEN_CALLS = 1_000;

export function createCodexThread({ emit, budget }: ParserContext, before: SavedCodexThread): CodexThread {
  const duplicates = createDuplicates(before.openTexts);
  const calls = new Map(before.calls);
  const exitCodes = new Map(before.exitCodes);
  const beforeRequests = [...before.beforeRequests];
  let place: LinePlace = { line: 0, at: undefined };
  let { count, last, model, message, hasResults, lastTotal, unnamed } = before;

  const putFact = (fact: Fact): void => {
    const { line, at } = place;
    emit({ kind: "fact", line, ...(at === undefined ? {} : { at }), fact });
  };

  const remember = (call: ToolCallPart): void => {
    if (calls.size >= MAX_OPEN_CALLS) {
      calls.clear();
      exitCodes.clear();
    }
    calls.set(call.id, call.command !== undefined);
  };

  const put = (body: EntryBody): void => {
    const uid = `#${++count}`;
    if (body.kind === "request") {
      beforeRequests.push(last);
      message++;
      duplicates.close("reply", "thinking");
    }
    emit(placed(body, place, uid, last));
    last = uid;
  };

  const reply = (parts: readonly ReplyPart[]): void => {
    if (hasResults) message++;
    hasResults = false;
    duplicates.close("request", "bash");
    put({ kind: "reply", message: `#m${message}`, parts, ...(model === undefined ? {} : { model }) });
  };

  const putCall = (call: ToolCallPart): void => {
    remember(call);
    reply([call]);
  };

  const putResult = (id: string, output: CallOutput): void => {
    const told = output.exitCode === undefined ? exitCodes.get(id) : output.exitCode;
    exitCodes.delete(id);
    const isError = output.failed || (typeof told === "number" && told !== 0);
    const exitCode = told !== undefined ? told : calls.get(id) === true && !isError ? 0 : null;
    const text = budget.output(output.text, isError);
    const moreWords = budget.moreWords(output.text, text);
    put({
      kind: "results",
      results: [{ callId: id, isError, exitCode, text, chars: output.chars, moreWords }],
    });
    hasResults = true;
  };

  return {
    budget,
    put,
    place(line, at) {
      place = { line, at };
    },
    model(name) {
      if (name !== model) putFact({ name: "model", model: name });
      model = name;
    },
    request(text, raw, images, source) {
      if ((text.trim() === "" && images === 0) || duplicates.saidBefore("request", source, raw)) return;
      put({ kind: "request", via: "typed", text: budget.words(text), chars: raw.length, images });
    },
    shellLine(command, output, source) {
      if (command.trim() === "" || duplicates.saidBefore("bash", source, command)) return;
      const id = `#call${++unnamed}`;
      put({ kind: "request", via: "bash", text: budget.words(command), chars: command.length, images: 0 });
      const call = readToolCall(id, "shell", { command }, budget);
      remember(call);
      put({ kind: "reply", parts: [call] });
      putResult(id, output);
    },
    say(kind, texts, source) {
      const parts = texts
        .filter((text) => text.trim() !== "" && !duplicates.saidBefore(kind, source, text))
        .map((text): ReplyPart => {
          const kept = kind === "reply" ? budget.words(text) : budget.thinking(text);
          return { kind: kind === "reply" ? "text" : "thinking", text: kept, chars: text.length };
        });
      if (parts.length > 0) reply(parts);
    },
    call(id, name, input) {
      putCall(readToolCall(id === "" ? `#call${++unnamed}` : id, name, input, budget));
    },
    result(id, output) {
      putResult(id === "" ? `#call${unnamed}` : id, output);
    },
    reported(given, output) {
      if (calls.has(given.id)) {
        if (output.exitCode !== undefined) exitCodes.set(given.id, output.exitCode);
        return;
      }
      const call = given.id === "" ? { ...given, id: `#call${++unnamed}` } : given;
      putCall(call);
      putResult(call.id, output);
    },
    title(text) {
      if (text.trim() !== "") putFact({ name: "title", from: "custom", text });
    },
    usage(usage, total) {
      if (total !== undefined && total === lastTotal) return;
      lastTotal = total;
      put({ kind: "reply", message: `#m${message}`, parts: [], usage });
      message++;
      hasResults = false;
    },
    rollBack(turns) {
      const from = Math.max(0, beforeRequests.length - turns);
      const parent = beforeRequests[from];
      if (!Number.isInteger(turns) || turns <= 0 || parent === undefined) return;
      last = parent;
      beforeRequests.length = from;
    },
    save: () => ({
      openTexts: duplicates.open(),
      calls: [...calls],
      exitCodes: [...exitCodes],
      beforeRequests,
      count,
      last,
      model,
      message,
      hasResults,
      lastTotal,
      unnamed,
    }),
  };
}

/**
 * Recognizes duplicates: Codex writes the same words twice, as an item of the model's history and as an event for its
 * interface. Either may be missing, and either may come first. The first is used, and its duplicate dropped.
 */
type SaidBy = "item" | "event";
type SaidKind = "request" | "reply" | "thinking" | "bash";

interface Duplicates {
  /** True if the other source has said the same before; if not, the text is kept for comparison. */
  saidBefore(kind: SaidKind, source: SaidBy, text: string): boolean;
  /** Called when the model has answered or the user asked again: no duplicates of earlier texts will follow. */
  close(...kinds: readonly SaidKind[]): void;
  /** Texts whose duplicate may still come. */
  open(): readonly OpenText[];
}

interface OpenText {
  readonly kind: SaidKind;
  readonly source: SaidBy;
  readonly text: string;
}

/** A turn may have hundreds of texts without duplicates. */
const MAX_OPEN = 32;

function createDuplicates(before: readonly OpenText[]): Duplicates {
  let open = [...before];
  return {
    open: () => open,
    saidBefore(kind, source, given) {
      const text = given.trim();
      const found = open.findIndex(
        (other) => other.kind === kind && other.source !== source && isSame(other.text, text, kind),
      );
      if (found !== -1) {
        open.splice(found, 1);
        return true;
      }
      open.push({ kind, source, text });
      if (open.length > MAX_OPEN) open.shift();
      return false;
    },
    close(...kinds) {
      if (open.length > 0) open = open.filter((text) => !kinds.includes(text.kind));
    },
  };
}

/** Around a prompt with images, the item also has the names of the images. */
function isSame(a: string, b: string, kind: SaidKind): boolean {
  if (a === b) return true;
  return kind === "request" && a !== "" && b !== "" && (a.includes(b) || b.includes(a));
}
