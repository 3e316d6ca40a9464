import { Buffer } from "node:buffer";
import {
  isProperJson,
  type JsonSpan,
  lengthOf,
  memberAt,
  scanJsonLine,
  stringOf,
} from "../../jsonl/json-spans.ts";
import { rawLines } from "../../jsonl/lines.ts";
import type { Edit } from "../../jsonl/rewrite-plan.ts";

/*
 * Claude Code records what it sends to its model: the instructions and tools (`prompt_snapshot`), and each request in
 * parts (`api-request…`). None of it is conversation, and in a short session it is most of the bytes. A resumed
 * session continues with the nearest snapshot above its last message, so that one is kept. Of the requests only the
 * hashes are used again: a part whose hash is in the log is not written a second time.
 */

const SNAPSHOT = Buffer.from('"prompt_snapshot"');
const NEEDLES = [SNAPSHOT, Buffer.from('"api-request')];
const BARE_SNAPSHOT: Buffer = Buffer.from('{"type":"prompt_snapshot"}');

/** How the long values in the parts of requests are replaced. The kinds of the values stay. */
const EMPTIED: Readonly<Record<string, readonly (readonly [path: readonly string[], by: Buffer])[]>> = {
  "api-request": [
    [["params"], Buffer.from("{}")],
    [["tail"], Buffer.from("[]")],
    [["cacheControl"], Buffer.from("[]")],
  ],
  "api-request-shape": [
    [["shape", "system"], Buffer.from("[]")],
    [["shape", "tools"], Buffer.from("[]")],
  ],
  "api-request-blob": [[["message", "content"], Buffer.from("[]")]],
};

export function mayHaveSnapshot(bytes: Buffer): boolean {
  return bytes.includes(SNAPSHOT);
}

/** Returns the edits that shorten the records of a line; none if it has no records, or they are short already. */
export function recordEdits(bytes: Buffer, isInUse: (snapshot: string) => boolean): readonly Edit[] {
  if (!NEEDLES.some((needle) => bytes.includes(needle))) return [];
  return scanJsonLine(bytes).flatMap((line) => {
    const edits = editsOf(bytes, line, isInUse).filter(({ from, to, with: by }) => to - from > by.length);
    return edits.length === 0 || isProperJson(bytes, line) ? edits : [];
  });
}

function editsOf(bytes: Buffer, line: JsonSpan, isInUse: (snapshot: string) => boolean): readonly Edit[] {
  const snapshot = snapshotOf(bytes, line);
  if (snapshot !== undefined) {
    const uuid = stringOf(bytes, memberAt(line, "uuid"));
    return uuid === undefined || isInUse(uuid)
      ? []
      : [{ from: snapshot.start, to: snapshot.end, with: BARE_SNAPSHOT }];
  }
  const emptied = EMPTIED[stringOf(bytes, memberAt(line, "type")) ?? ""] ?? [];
  return emptied.flatMap(([path, by]) => {
    const value = path.reduce<JsonSpan | undefined>(memberAt, line);
    return value === undefined ? [] : [{ from: value.start, to: value.end, with: by }];
  });
}

function snapshotOf(bytes: Buffer, line: JsonSpan): JsonSpan | undefined {
  if (stringOf(bytes, memberAt(line, "type")) !== "attachment") return undefined;
  const attachment = memberAt(line, "attachment");
  return stringOf(bytes, memberAt(attachment, "type")) === "prompt_snapshot" ? attachment : undefined;
}

/**
 * Finds the snapshots that the session may be resumed with: the nearest above each end of the conversation since the
 * last compaction. If one has no tools, the next one up that has tools counts too.
 */
export function snapshotsInUse(chunks: Iterable<Uint8Array>): ReadonlySet<string> {
  const parents = new Map<string, string | undefined>();
  /** Whether the snapshot is complete. */
  const snapshots = new Map<string, boolean>();
  for (const { bytes } of rawLines(chunks)) {
    for (const line of scanJsonLine(bytes)) {
      const uuid = stringOf(bytes, memberAt(line, "uuid"));
      if (uuid === undefined) continue;
      if (stringOf(bytes, memberAt(line, "subtype")) === "compact_boundary") {
        parents.clear();
        snapshots.clear();
      }
      parents.set(uuid, stringOf(bytes, memberAt(line, "parentUuid")));
      const snapshot = mayHaveSnapshot(bytes) ? snapshotOf(bytes, line) : undefined;
      // A bare one was shrunk before, and is empty.
      if (snapshot !== undefined && lengthOf(snapshot) > BARE_SNAPSHOT.length)
        snapshots.set(uuid, memberAt(snapshot, "tools") !== undefined);
    }
  }
  return aboveEnds(parents, snapshots);
}

function aboveEnds(
  parents: ReadonlyMap<string, string | undefined>,
  snapshots: ReadonlyMap<string, boolean>,
): ReadonlySet<string> {
  const found = new Set<string>();
  const inner = new Set(parents.values());
  const visited = new Set<string>();
  for (const end of parents.keys()) {
    if (inner.has(end)) continue;
    // From a line that was visited before, the search would lead to the same snapshots again.
    for (let at: string | undefined = end; at !== undefined && !visited.has(at); at = parents.get(at)) {
      visited.add(at);
      const isWhole = snapshots.get(at);
      if (isWhole !== undefined) found.add(at);
      if (isWhole === true) break;
    }
  }
  return found;
}
