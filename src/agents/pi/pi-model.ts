import type { JsonObject } from "../../jsonl/json-line.ts";
import { objectAt, stringAt } from "../../jsonl/values.ts";

/** Pi writes `provider` and `modelId`; relatives `model`, as a name or an object. */
export function readModelName(object: JsonObject | undefined): string | undefined {
  const model = objectAt(object, "model");
  return (
    stringAt(object, "modelId") ??
    stringAt(object, "model") ??
    stringAt(model, "modelId") ??
    stringAt(model, "id")
  );
}
