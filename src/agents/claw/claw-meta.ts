import type { JsonObject } from "../../jsonl/json-line.ts";
import { objectAt, stringAt, timeAt } from "../../jsonl/values.ts";
import type { Fact, SourceFacts } from "../../session/entry.ts";
import { sessionIdAt } from "../session-id.ts";
import { createTimeSpan, type SavedSpan } from "../time-span.ts";

/** What a file says of its session as a whole. */
export interface ClawMeta {
  /** Takes the header; gives what it says beside the source's facts. */
  header(object: JsonObject): readonly Fact[];
  at(at: number): void;
  facts(): SourceFacts;
  save(): SavedMeta;
}

/** What must be known to go on later. */
export interface SavedMeta {
  readonly span: SavedSpan;
  readonly id: string | null;
  readonly project: string | null;
  readonly createdAt?: number | undefined;
}

export function createClawMeta(path: string, before: SavedMeta): ClawMeta {
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
