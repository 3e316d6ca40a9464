import { isObject, type JsonObject, readJsonLine } from "../../jsonl/json-line.ts";
import type { Line } from "../../jsonl/lines.ts";
import { objectAt, stringAt, timeAt } from "../../jsonl/values.ts";
import type { HistoryPrompt } from "../agent.ts";
import { sessionIdAt } from "../session-id.ts";

/** Without arguments a command asks for nothing. */
const BARE_COMMAND = /^\/[\w:-]+\s*$/;
const PASTED = /\[(?:Pasted text|Image) #(\d+)[^\]]*\]/g;

/** The prompts on a line of history.jsonl, which outlives the logs; none where it is no request of the user. */
export function readHistoryLine(line: Line): readonly HistoryPrompt[] {
  return readJsonLine(line.bytes, line.ended).objects.flatMap((object) => {
    const display = stringAt(object, "display");
    if (display === undefined || display.trim() === "" || BARE_COMMAND.test(display)) return [];
    return [
      {
        // As the names of logs are read.
        sessionId: sessionIdAt(object, "sessionId")?.toLowerCase() ?? null,
        project: stringAt(object, "project") ?? null,
        at: timeAt(object, "timestamp") ?? null,
        text: withPasted(display, objectAt(object, "pastedContents")),
      },
    ];
  });
}

/** What was pasted stands for its place holder, where the line itself has it. */
function withPasted(display: string, pasted: JsonObject | undefined): string {
  if (pasted === undefined) return display;
  return display.replace(PASTED, (holder, number: string) => {
    const entry = pasted[number];
    return (isObject(entry) ? stringAt(entry, "content") : undefined) ?? holder;
  });
}
