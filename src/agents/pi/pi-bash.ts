import type { JsonObject } from "../../jsonl/json-line.ts";
import { numberAt, stringAt } from "../../jsonl/values.ts";
import type { TextBudget } from "../../session/text-budget.ts";
import type { EntryBody } from "../entry-body.ts";
import { readToolCall } from "../tool-call.ts";

/** A `!command` of the user's own: a request, the call that it is, and its result. */
export function readBashExecution(
  message: JsonObject,
  uid: string,
  budget: TextBudget,
): readonly EntryBody[] {
  const command = stringAt(message, "command") ?? "";
  if (command.trim() === "") return [{ kind: "link" }];
  const output = stringAt(message, "output") ?? "";
  const exitCode = numberAt(message, "exitCode") ?? null;
  const isError = message.cancelled === true || (exitCode !== null && exitCode !== 0);
  const spilledTo = stringAt(message, "fullOutputPath");
  const callId = `${uid}:bash`;
  return [
    { kind: "request", via: "bash", text: budget.words(command), chars: command.length, images: 0 },
    { kind: "reply", parts: [readToolCall(callId, "bash", { command }, budget)] },
    {
      kind: "results",
      results: [
        {
          callId,
          isError,
          exitCode,
          text: budget.output(output, isError),
          chars: output.length,
          ...(spilledTo === undefined ? {} : { spilledTo }),
        },
      ],
    },
  ];
}
