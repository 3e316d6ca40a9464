import type { JsonObject } from "../../jsonl/json-line.ts";
import { stringAt } from "../../jsonl/values.ts";
import type { Fact } from "../../session/entry.ts";
import { idOfPiPath } from "./pi-files.ts";
import { readModelName } from "./pi-model.ts";

/** What the header says of the session beside its id and folder. */
export function readPiHeader(header: JsonObject): readonly Fact[] {
  const facts: Fact[] = [];
  const parent = stringAt(header, "parentSession") ?? stringAt(header, "branchedFrom");
  if (parent !== undefined && parent !== "")
    facts.push({ name: "parent", lineage: { kind: "fork", session: parentId(parent) } });
  const title = stringAt(header, "title") ?? stringAt(header, "name");
  if (title !== undefined && title.trim() !== "")
    facts.push({ name: "title", from: "session-name", text: title });
  const model = readModelName(header);
  if (model !== undefined) facts.push({ name: "model", model });
  return facts;
}

/** Pi names the file; its name holds the id. A name that does not look so stays as it is. */
function parentId(parent: string): string {
  return /Z_[^\\/]+\.jsonl$/.test(parent) ? idOfPiPath(parent) : parent;
}
