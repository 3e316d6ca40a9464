import { Buffer } from "node:buffer";
import { dirname, join } from "node:path";
import {
  isTrue,
  itemsOf,
  type JsonObjectSpan,
  type JsonSpan,
  jsonString,
  memberAt,
  scanJsonLine,
  stringOf,
} from "../../jsonl/json-spans.ts";
import type { RawLine } from "../../jsonl/lines.ts";
import { type Edit, planEdits, rewrittenBytes } from "../../jsonl/rewrite-plan.ts";
import type { Fork, ForkRequest } from "../agent-actions.ts";

const LF = Buffer.from("\n");

/** Keys that belong to one running session, and not to a copy of it. */
const DROPPED_KEYS: ReadonlySet<string> = new Set([
  "teamName",
  "agentName",
  "slug",
  "sourceToolAssistantUUID",
]);
/** Lines that say where else the original is, or where it was continued. */
const DROPPED_TYPES: ReadonlySet<string> = new Set([
  "progress",
  "bridge-session",
  "continued-in",
  "fork-context-ref",
]);
/** Keys whose value is the name of a line. */
const NAME_KEYS: ReadonlySet<string> = new Set([
  "uuid",
  "logicalParentUuid",
  "leafUuid",
  "cutUuid",
  "messageId",
]);

/**
 * Forks like the agent: every line of the conversation gets a new name, records its old one, and belongs to the new
 * session. Progress and sub-agents inside the log are left out, and the lines that followed them follow their parents
 * instead.
 */
export function forkClaude({ id: from, path, title, uuid, now }: ForkRequest): Fork {
  const id = uuid();
  return {
    id,
    path: join(dirname(path), `${id}.jsonl`),
    *content(lines) {
      const tree = readTree(lines());
      const names = new Map<string, string>();
      const rename = (name: string): string => {
        const known = names.get(name);
        if (known !== undefined) return known;
        const made = uuid();
        names.set(name, made);
        return made;
      };
      const way: Way = {
        from,
        id,
        rename,
        parentOf: (name) => {
          const kept = tree.nearestKept(name);
          return kept === null ? null : rename(kept);
        },
      };
      let number = 0;
      for (const line of lines()) {
        const at = number++;
        const spans = scanJsonLine(line.bytes);
        if ((!line.ended && spans.length === 0) || spans.some((span) => isDropped(line.bytes, span)))
          continue;
        yield* forkedLine(line, spans, way, at === tree.lastLine ? new Date(now).toISOString() : undefined);
        yield LF;
      }
      if (title !== null) {
        const line = { type: "custom-title", customTitle: `${title} (fork)`, sessionId: id };
        yield Buffer.from(`${JSON.stringify(line)}\n`);
      }
    },
  };
}

interface Way {
  readonly from: string;
  readonly id: string;
  rename(name: string): string;
  parentOf(name: string): string | null;
}

interface Tree {
  /** The line itself, or its nearest ancestor in the copy; null if there is none. */
  nearestKept(name: string): string | null;
  /** The last line of the conversation, counted from 0. */
  readonly lastLine: number;
}

function readTree(lines: Iterable<RawLine>): Tree {
  const dropped = new Map<string, string | null>();
  let lastLine = -1;
  let number = 0;
  for (const { bytes } of lines) {
    for (const span of scanJsonLine(bytes)) {
      const name = stringOf(bytes, memberAt(span, "uuid"));
      if (name === undefined) continue;
      if (isDropped(bytes, span)) dropped.set(name, stringOf(bytes, memberAt(span, "parentUuid")) ?? null);
      else lastLine = number;
    }
    number++;
  }
  return {
    lastLine,
    nearestKept(name) {
      const seen = new Set<string>();
      for (let at: string | null = name; at !== null; ) {
        const above = dropped.get(at);
        if (above === undefined) return at;
        if (seen.has(at)) return null;
        seen.add(at);
        at = above;
      }
      return null;
    },
  };
}

function isDropped(bytes: Buffer, span: JsonSpan): boolean {
  return (
    DROPPED_TYPES.has(stringOf(bytes, memberAt(span, "type")) ?? "") ||
    isTrue(bytes, memberAt(span, "isSidechain"))
  );
}

function* forkedLine(
  { bytes }: RawLine,
  spans: readonly JsonSpan[],
  way: Way,
  timestamp: string | undefined,
): Generator<Uint8Array> {
  const edits = spans.flatMap((span) =>
    span.kind === "object" ? objectEdits(bytes, span, way, timestamp) : [],
  );
  // Parts that are not JSON stay as they are in the original.
  yield* rewrittenBytes(
    planEdits(
      edits.toSorted((a, b) => a.from - b.from),
      bytes.length,
    ),
    [bytes],
  );
}

function objectEdits(
  bytes: Buffer,
  span: JsonObjectSpan,
  way: Way,
  timestamp: string | undefined,
): readonly Edit[] {
  const edits: Edit[] = [];
  const put = (value: JsonSpan, by: string | null): void => {
    edits.push({
      from: value.start,
      to: value.end,
      with: by === null ? Buffer.from("null") : jsonString(by),
    });
  };
  const rename = (value: JsonSpan): void => {
    const name = stringOf(bytes, value);
    if (name !== undefined) put(value, way.rename(name));
  };
  const uuid = stringOf(bytes, memberAt(span, "uuid"));
  for (const { key, value } of span.members) {
    const text = stringOf(bytes, value);
    if (key === "sessionId" || key === "session_id") {
      if (text !== undefined) put(value, way.id);
    } else if (key === "parentUuid") {
      if (text !== undefined) put(value, way.parentOf(text));
    } else if (key === "timestamp" && timestamp !== undefined && uuid !== undefined) put(value, timestamp);
    else if (NAME_KEYS.has(key)) rename(value);
    else if (key === "snapshot") rename(memberAt(value, "messageId") ?? value);
    else if (key === "compactMetadata") for (const inner of namesIn(value)) rename(inner);
  }
  edits.push(...removals(span));
  if (uuid !== undefined) {
    const forkedFrom = JSON.stringify({ sessionId: way.from, messageUuid: uuid });
    const known = memberAt(span, "forkedFrom");
    if (known !== undefined) edits.push({ from: known.start, to: known.end, with: Buffer.from(forkedFrom) });
    else
      edits.push({ from: span.end - 1, to: span.end - 1, with: Buffer.from(`,"forkedFrom":${forkedFrom}`) });
  }
  return edits;
}

/** The names of lines that a compaction keeps. */
function namesIn(metadata: JsonSpan): readonly JsonSpan[] {
  const segment = memberAt(metadata, "preservedSegment");
  const messages = memberAt(metadata, "preservedMessages");
  const single = [
    memberAt(segment, "headUuid"),
    memberAt(segment, "anchorUuid"),
    memberAt(segment, "tailUuid"),
    memberAt(messages, "anchorUuid"),
  ];
  const listed = [...itemsOf(memberAt(messages, "uuids")), ...itemsOf(memberAt(messages, "allUuids"))];
  return [...single.filter((span) => span !== undefined), ...listed];
}

/** Removes members, each with the comma that would be left over. */
function removals({ members }: JsonObjectSpan): readonly Edit[] {
  const edits: Edit[] = [];
  const nothing = new Uint8Array();
  for (const [at, { key, keyStart, value }] of members.entries()) {
    if (!DROPPED_KEYS.has(key)) continue;
    const isFirstKept = members.slice(0, at).every((member) => DROPPED_KEYS.has(member.key));
    const next = members[at + 1];
    const before = members[at - 1];
    if (!isFirstKept && before !== undefined)
      edits.push({ from: before.value.end, to: value.end, with: nothing });
    else edits.push({ from: keyStart, to: next?.keyStart ?? value.end, with: nothing });
  }
  return edits;
}
