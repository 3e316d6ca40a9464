import type { Buffer } from "node:buffer";
import { type JsonSpan, memberAt, scanJsonLine, stringOf } from "../jsonl/json-spans.ts";
import type { AgentName } from "../session/entry.ts";
import { toolLines } from "./claude/tool-parts.ts";

/** A value in a line of a log that may have been moved out, or that has such values in it. */
export interface ResultPlace {
  /** The call whose result it is; of a copy, the first call of its line. */
  readonly toolUseId: string;
  readonly span: JsonSpan;
  readonly isCopy: boolean;
}

type PlaceFinder = (bytes: Buffer) => readonly ResultPlace[];

/** One row per agent whose logs can be flattened. */
const table: Partial<Record<AgentName, PlaceFinder>> = { claude: claudePlaces, pi: piPlaces };

/** Finds the results of tool calls in a line, and the copies of them. */
export function resultPlaces(agent: AgentName, bytes: Buffer): readonly ResultPlace[] {
  return table[agent]?.(bytes) ?? [];
}

function claudePlaces(bytes: Buffer): readonly ResultPlace[] {
  return toolLines(bytes).flatMap(({ parts, copy }) => {
    const places = parts.flatMap((part): ResultPlace[] =>
      part.kind === "result" ? [{ toolUseId: part.id, span: part.content, isCopy: false }] : [],
    );
    const [first] = places;
    if (first === undefined || copy === undefined) return places;
    return [...places, { toolUseId: first.toolUseId, span: copy, isCopy: true }];
  });
}

function piPlaces(bytes: Buffer): readonly ResultPlace[] {
  return scanJsonLine(bytes).flatMap((entry) => {
    const message = memberAt(entry, "message");
    const role = stringOf(bytes, memberAt(message, "role"));
    const isBash = role === "bashExecution";
    if (!isBash && role !== "toolResult" && role !== "tool") return [];
    const id = isBash ? memberAt(entry, "id") : memberAt(message, "toolCallId");
    const toolUseId = stringOf(bytes, id) ?? "";
    const place = (key: string, isCopy: boolean): ResultPlace[] => {
      const span = memberAt(message, key);
      return span === undefined ? [] : [{ toolUseId, span, isCopy }];
    };
    return isBash ? place("output", false) : [...place("content", false), ...place("details", true)];
  });
}
