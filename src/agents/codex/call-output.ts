import { isObject, type JsonObject, tryParse } from "../../jsonl/json-line.ts";
import { jsonText } from "../../jsonl/json-text.ts";
import { numberAt, objectAt, stringAt } from "../../jsonl/values.ts";
import { readContentText } from "../content-text.ts";

export interface CallOutput {
  readonly text: string;
  readonly chars: number;
  /** null: the command still runs; undefined: the output says nothing of it. */
  readonly exitCode: number | null | undefined;
  readonly failed: boolean;
}

/** The output of a call: a text, the JSON of one, a list of contents, or an object, by version and tool. */
export function readCallOutput(output: unknown): CallOutput {
  if (typeof output === "string") return readOutputText(output);
  if (isObject(output)) return readOutputObject(output);
  const { text, chars } = readContentText(output);
  return { ...readOutputText(text), chars };
}

function readOutputText(output: string): CallOutput {
  const parsed = output.startsWith("{") ? tryParse(output) : undefined;
  const inner = isObject(parsed) ? stringAt(parsed, "output") : undefined;
  if (!isObject(parsed) || inner === undefined)
    return { text: output, chars: output.length, exitCode: exitCodeIn(output), failed: false };
  const exitCode = numberAt(objectAt(parsed, "metadata"), "exit_code") ?? exitCodeIn(inner);
  return { text: inner, chars: output.length, exitCode, failed: false };
}

function readOutputObject(output: JsonObject): CallOutput {
  const failed = output.success === false || output.isError === true;
  const streams = [stringAt(output, "stdout"), stringAt(output, "stderr")];
  if (streams.some((stream) => stream !== undefined)) {
    const text = streams.filter((stream) => stream !== undefined && stream !== "").join("\n");
    const exitCode = numberAt(output, "exitCode") ?? numberAt(output, "exit_code");
    return { text, chars: text.length, exitCode, failed };
  }
  const { text, chars } = readContentText(output.content ?? output);
  if (text !== "" || "content" in output) return { ...readOutputText(text), chars, failed };
  const json = jsonText(output);
  return { text: json, chars: json.length, exitCode: undefined, failed };
}

/** Headers of shell tools stand on the first lines, before the output itself. */
const HEADER_CHARS = 400;

function exitCodeIn(text: string): number | null | undefined {
  const head = text.slice(0, HEADER_CHARS);
  const found =
    /^Exit code:? (-?\d{1,9})\b/.exec(head) ?? /^Process exited with code (-?\d{1,9})$/m.exec(head);
  if (found !== null) return Number(found[1]);
  return /^Process running with session ID /m.test(head) ? null : undefined;
}
