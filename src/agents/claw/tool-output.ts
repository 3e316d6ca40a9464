import { isObject, type JsonObject, tryParse } from "../../jsonl/json-line.ts";
import { objectAt, stringAt } from "../../jsonl/values.ts";
import type { ToolResult } from "../../session/entry.ts";
import type { TextBudget } from "../../session/text-budget.ts";
import { isShellTool } from "../tool-call.ts";

/** A result block. Its output is a text, for most tools the JSON of an object. */
export function readToolOutput(block: JsonObject, budget: TextBudget): ToolResult {
  const output = stringAt(block, "output") ?? "";
  const tool = stringAt(block, "tool_name") ?? "";
  const parsed = output.startsWith("{") ? tryParse(output) : undefined;
  const object = isObject(parsed) ? parsed : undefined;
  const failed = block.is_error === true;
  const exitCode = isShellTool(tool) ? readExitCode(object, output, failed) : null;
  // A command that failed is no error to claw-code, which reports its code beside the output.
  const isError = failed || (exitCode !== null && exitCode !== 0);
  const spilledTo = stringAt(object, "persistedOutputPath") ?? stringAt(object, "rawOutputPath");
  return {
    callId: stringAt(block, "tool_use_id") ?? "",
    isError,
    exitCode,
    text: budget.output(plainOutput(object) ?? output, isError),
    chars: output.length,
    ...(spilledTo === undefined ? {} : { spilledTo }),
  };
}

function readExitCode(object: JsonObject | undefined, output: string, failed: boolean): number | null {
  const told = /^exit_code:(-?\d{1,9})$/.exec(stringAt(object, "returnCodeInterpretation") ?? "");
  if (told !== null) return Number(told[1]);
  const begins = /^Exit code:? (\d{1,9})\b/.exec(output.slice(0, 80));
  if (begins !== null) return Number(begins[1]);
  return failed || object?.interrupted === true ? null : 0;
}

/** What a person would call the output: what a command printed, what a file holds. */
function plainOutput(object: JsonObject | undefined): string | undefined {
  const stdout = stringAt(object, "stdout");
  const stderr = stringAt(object, "stderr");
  if (stdout !== undefined || stderr !== undefined)
    return [stdout, stderr].filter((text) => text !== undefined && text !== "").join("\n");
  return stringAt(objectAt(object, "file"), "content");
}
