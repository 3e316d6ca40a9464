import { isObject, type JsonObject } from "../jsonl/json-line.ts";
import { arrayAt, stringAt } from "../jsonl/values.ts";

/** The questions in the input of a tool that asks the user: a list of them, or a single one. */
export function readQuestions(input: JsonObject | undefined): readonly string[] {
  const list = arrayAt(input, "questions") ?? [input];
  return list.flatMap((value) => {
    const question = isObject(value) ? (stringAt(value, "question") ?? stringAt(value, "prompt")) : undefined;
    return question === undefined || question.trim() === "" ? [] : [question];
  });
}
