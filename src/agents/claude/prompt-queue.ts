import type { JsonObject } from "../../jsonl/json-line.ts";
import { stringAt } from "../../jsonl/values.ts";
import type { ParserContext } from "../agent.ts";
import type { Envelope } from "./claude-parser.ts";
import { readUserText } from "./user-text.ts";

/**
 * Prompts typed while the agent worked. Most stand later as a user line; those that were handed over
 * in the middle of a turn stand only here (40 % of the real ones). Which they are is known when all
 * requests are; here only those that were taken back are told from the others.
 */
export interface PromptQueue {
  operation(object: JsonObject, envelope: Envelope): void;
  /** Lines of what waits, prompts or not. */
  waiting(): readonly number[];
}

/** Background tasks report through the same queue, and bare slash commands wait in it. */
const NO_PROMPT = /^\{"task_id"|^\/[\w:-]+$/;

export function createPromptQueue({ emit, budget }: ParserContext, before: readonly number[]): PromptQueue {
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
