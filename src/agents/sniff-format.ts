import { type Buffer, isUtf8 } from "node:buffer";
import { isObject, type JsonObject, readJsonLine, tryParse } from "../jsonl/json-line.ts";
import { splitLines } from "../jsonl/lines.ts";
import type { AgentName } from "../session/entry.ts";
import type { FoundFile, Peek, Placement, PlacementCache, SessionFile, SessionFiles } from "./agent.ts";
import { newestLogFirst } from "./session-copies.ts";
import { sessionIdOfPath } from "./session-id.ts";

/**
 * The bytes that show whose log a file is: its start or, if that has no readable line (zeros after a power cut, a
 * truncated line, noise), the bytes after it.
 */
export function* sniffHeads(path: string, peek: Peek): Generator<Buffer> {
  const head = peek(path);
  yield head;
  const behind = hasObject(head) ? undefined : headBehind(path, peek);
  if (behind !== undefined) yield behind;
}

/** Bytes that no agent writes: zeros after a power cut, or binary data. */
export function isDamaged(head: Buffer): boolean {
  // The last character may be cut.
  return head.includes(0) || ![0, 1, 2, 3].some((cut) => isUtf8(head.subarray(0, head.length - cut)));
}

/** A log without anything readable. */
export function isUnreadable(path: string, peek: Peek): boolean {
  return isDamaged(peek(path)) || isTorn(path, peek);
}

/** A log with only half a line, as of a session that has just started. */
export function isTorn(path: string, peek: Peek): boolean {
  const head = peek(path);
  // Plain text is neither a log nor damage.
  if (!/^(?:\xef\xbb\xbf)?\s*\{/.test(head.toString("latin1", 0, 1_000))) return false;
  for (const each of sniffHeads(path, peek)) if (hasObject(each)) return false;
  if (path.endsWith(".jsonl")) return true;
  // An object may span several lines, and be longer than the bytes that are examined.
  return peek(path, head.length).length === 0 && tryParse(head.toString("utf8")) === undefined;
}

/** The number of lines that are examined. */
const MAX_LINES = 20;

function hasObject(head: Buffer): boolean {
  for (const { bytes, ended, number } of splitLines([head])) {
    if (readJsonLine(bytes, ended).objects.length > 0) return true;
    if (number === MAX_LINES) break;
  }
  return false;
}

/** How many bytes are examined at most: a file of another kind may be long, and so may a first line with images. */
const MAX_SKIPPED = 16 * 1024 * 1024;
const BRACE = 0x7b;
const LF = 10;
const SPACE = 32;

/** The bytes from the first line on that is an object. */
function headBehind(path: string, peek: Peek): Buffer | undefined {
  for (let from = 0; from < MAX_SKIPPED; ) {
    const bytes = peek(path, from);
    if (bytes.length === 0) return undefined;
    const { at, isWhole } = firstObject(bytes);
    if (isWhole) return at === 0 ? bytes : peek(path, from + at);
    // A line that continues after these bytes is read again from its start, unless it is longer.
    from += at === 0 ? bytes.length : at;
  }
  return undefined;
}

/** The start of the first line that is an object, or of the line that is cut at the end. */
function firstObject(bytes: Buffer): { readonly at: number; readonly isWhole: boolean } {
  for (let start = 0; start < bytes.length; ) {
    let at = start;
    // Skips zeros as well: they may come before text that was written after a power cut.
    while (at < bytes.length && (bytes[at] ?? 0) <= SPACE) at++;
    const end = bytes.indexOf(LF, at);
    if (end === -1) return { at: bytes[at] === BRACE ? at : bytes.length, isWhole: false };
    if (bytes[at] === BRACE && isObject(tryParse(bytes.toString("utf8", at, end))))
      return { at, isWhole: true };
    start = end + 1;
  }
  return { at: bytes.length, isWhole: false };
}

/** Whose log it is, and which session, are both answered from the same head. */
const known = new WeakMap<Buffer, readonly JsonObject[]>();

/** The objects on the first lines of a file. The last line of the head may be cut off, and is skipped. */
export function headObjects(head: Buffer): readonly JsonObject[] {
  const objects = known.get(head) ?? readObjects(head);
  known.set(head, objects);
  return objects;
}

function readObjects(head: Buffer): readonly JsonObject[] {
  const objects: JsonObject[] = [];
  for (const line of splitLines([head])) {
    for (const object of readJsonLine(line.bytes, line.ended).objects)
      if (Object.keys(object).length > 0) objects.push(object);
    if (line.number === MAX_LINES) break;
  }
  return objects;
}

/** Which session a file belongs to, and its role; undefined if it is not this agent's. */
type PlaceFile = (file: FoundFile) => Placement | undefined;

/** Groups files by session id: the newest log first, then files that are not logs, by path. */
export function groupFiles(
  agent: AgentName,
  files: readonly FoundFile[],
  placeFile: PlaceFile,
  memory?: PlacementCache,
): readonly SessionFiles[] {
  const byId = new Map<string, SessionFile[]>();
  for (const file of files) {
    const known = memory?.recall(file);
    const placed = known === undefined ? placeSafely(file, placeFile) : (known ?? undefined);
    memory?.remember(file, placed ?? null);
    if (placed === undefined) continue;
    const group = byId.get(placed.id);
    const found: SessionFile = { ...file, role: placed.role };
    if (group === undefined) byId.set(placed.id, [found]);
    else group.push(found);
  }
  return [...byId].map(([id, group]) => ({ agent, id, files: group.sort(leadFirst) }));
}

/** A file that can't be parsed is a log under its own name: its bytes are archived, and reading it reports why. */
function placeSafely(file: FoundFile, placeFile: PlaceFile): Placement | undefined {
  try {
    return placeFile(file);
  } catch {
    return { id: sessionIdOfPath(file.path), role: "main" };
  }
}

function leadFirst(a: SessionFile, b: SessionFile): number {
  const main = Number(b.role === "main") - Number(a.role === "main");
  if (main !== 0) return main;
  if (a.role === "main") return newestLogFirst(a, b);
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}
