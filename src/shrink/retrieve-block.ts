import { Buffer } from "node:buffer";
import { actionsOf } from "../agents/actions.ts";
import type { SessionFiles } from "../agents/agent.ts";
import { type ByteSource, diskSource } from "../agents/byte-source.ts";
import { readCallResult } from "../agents/read-session.ts";
import { archiveSource, sessionFilesOf } from "../archive/archive-source.ts";
import { withBases } from "../archive/archived-bases.ts";
import { exitCodes, UserError } from "../errors.ts";
import type { Library } from "../fs/library.ts";
import { lengthOf, memberAt, scanJson, stringOf } from "../jsonl/json-spans.ts";
import { decodeString } from "../jsonl/json-strings.ts";
import { rawLines } from "../jsonl/lines.ts";
import type { SessionPointer } from "../search/session-pointers.ts";
import {
  type FlatContent,
  type FlatMarker,
  fitsMarker,
  isFlatMarker,
  parseBlockName,
} from "../session/flat-marker.ts";
import type { LogKey } from "../session/session.ts";
import { explainDamage } from "./check-sidecars.ts";
import { openSidecar, type Sidecar } from "./open-sidecar.ts";
import { logsOf, type PastLog, pastGenerations } from "./past-logs.ts";
import { markersOf, relativesOf } from "./relatives.ts";
import { damagedPath, pendingPath, sidecarPath } from "./sidecar.ts";

/** The complete result of a tool call. */
export interface RetrievedBlock extends Omit<FlatContent, "file"> {
  readonly file: string | null;
  /** For texts: the text in parts, which are read on demand. No part ends within a character. */
  readonly text: (() => Iterable<string>) | null;
  /** For images and documents: the bytes, in the same way. */
  readonly data: (() => Iterable<Uint8Array>) | null;
}

export interface Retrieved {
  readonly blocks: readonly RetrievedBlock[];
  /** Where it was found. */
  readonly from: "sidecar" | "log" | "archive";
  /** The archived generation. */
  readonly generation: number | null;
  /** Places that were searched first and can't be read: `path: why`. */
  readonly damages: readonly string[];
}

/**
 * Returns the result of a tool call even if it was flattened or compacted away: from the sidecar, the log, the
 * archive (newest generation first), a copy of the log, or the session it was forked from. Damaged places are
 * skipped.
 */
export function retrieveBlock(library: Library, pointer: SessionPointer, name: string): Retrieved {
  const wanted = parseBlockName(name);
  const isWanted: IsWanted = ({ toolUseId, number }) =>
    toolUseId === wanted.toolUseId && (wanted.number === null || number === wanted.number);
  const damages: string[] = [];
  const attempt = (path: string, look: () => readonly RetrievedBlock[]): readonly RetrievedBlock[] => {
    try {
      return look();
    } catch (error) {
      damages.push(`${path}: ${explainDamage(error)}`);
      return [];
    }
  };
  const lookInto = (path: string): readonly RetrievedBlock[] =>
    attempt(path, () => {
      const sidecar = openSidecar(library.disk, path);
      if (sidecar !== undefined && sidecar.damage !== null) damages.push(`${path}: ${sidecar.damage}`);
      return sidecar === undefined ? [] : inSidecar(sidecar, isWanted);
    });
  const found = (
    blocks: readonly RetrievedBlock[],
    from: Retrieved["from"],
    generation: number | null = null,
  ): Retrieved | undefined => (blocks.length === 0 ? undefined : { blocks, from, generation, damages });
  const inSidecarOf = (key: LogKey): Retrieved | undefined => {
    const flat = sidecarPath(library.places.flat, key);
    return found(lookInto(flat), "sidecar") ?? found(lookInto(pendingPath(flat)), "sidecar");
  };
  const look = (
    name: (path: string) => string,
    logs: Iterable<ReadableLog>,
    source: ByteSource,
    files: SessionFiles,
  ): readonly RetrievedBlock[] => {
    const before = damages.length;
    for (const log of logs) {
      const blocks = attempt(name(log.path), () => inLog(pointer, log, isWanted));
      if (blocks.length > 0) return blocks;
    }
    if (damages.length > before) return [];
    return attempt(name(files.files[0]?.path ?? pointer.id), () => inSession(source, files, wanted));
  };
  const inLogAt = (path: string): Retrieved | undefined => {
    const files = logFiles(library, pointer, path);
    const logs = [logOn(library, path)];
    return found(
      look((at) => at, logs, withBases(library, diskSource(library.disk)), files),
      "log",
    );
  };
  const inArchiveOf = (key: LogKey): Retrieved | undefined => {
    for (const kept of pastGenerations(library, key)) {
      const { generation } = kept;
      const name = (path: string): string => `generation ${generation} of ${path}`;
      const source = withBases(
        library,
        archiveSource(() => kept),
      );
      const blocks = look(name, logsOf(kept), source, sessionFilesOf(kept));
      if (blocks.length > 0) return found(blocks, "archive", generation);
    }
    return undefined;
  };
  const isHere = pointer.kept === undefined && pointer.stub === undefined;
  const path = pointer.files.files[0]?.path ?? "";
  const own = inSidecarOf(pointer) ?? (isHere ? inLogAt(path) : undefined) ?? inArchiveOf(pointer);
  if (own !== undefined) return own;
  const rest = found(lookInto(damagedPath(sidecarPath(library.places.flat, pointer))), "sidecar");
  if (rest !== undefined) return rest;
  const log = { path, chunks: () => (pointer.kept ?? diskSource(library.disk)).chunks(path) };
  const relatives = path === "" ? [] : relativesOf(library, pointer, log);
  const markers = relatives.length === 0 ? [] : [...markersOf(pointer.agent, log, wanted.toolUseId)];
  for (const relative of relatives) {
    const lent = inSidecarOf(relative) ?? inArchiveOf(relative);
    if (lent !== undefined && agrees(lent, markers)) return lent;
  }
  for (const copy of pointer.others) {
    const lent = library.disk.stat(copy) === undefined ? undefined : inLogAt(copy);
    if (lent !== undefined && agrees(lent, markers)) return lent;
  }
  const reason = damages.length === 0 ? "" : `; could not be read: ${damages.join(", ")}`;
  throw new UserError(
    `Cannot retrieve "${name}": session ${pointer.id} has no result of that call${reason}`,
    {
      exitCode: exitCodes.nothingFound,
      hint: "the id is in brackets in an answer of read_session with include_output, toolUseId in JSON of a whole conversation, or in the marker: [FLATTENED id=…",
    },
  );
}

/** Whether a block fits the markers of the log: copies may have diverged since. */
function agrees({ blocks }: Retrieved, markers: readonly FlatMarker[]): boolean {
  return blocks.every((block) => {
    const same = markers.filter(({ number }) => number === block.number);
    return same.length === 0 || same.some((marker) => fitsMarker(marker, block));
  });
}

type IsWanted = (block: Pick<FlatContent, "toolUseId" | "number">) => boolean;

/** Returns all requested blocks or none: an incomplete result is searched elsewhere. */
function inSidecar(sidecar: Sidecar, isWanted: IsWanted): readonly RetrievedBlock[] {
  const found = new Map<number, RetrievedBlock>();
  for (const block of sidecar.index.blocks) {
    const { isCopy, toolUseId, tool, file, kind, mediaType, bytes, lines, number } = block;
    if (isCopy || !isWanted(block) || found.has(number)) continue;
    // Reading it to the end verifies its hash: nothing of a damaged block is returned.
    for (const _ of sidecar.chunks(block));
    const about = { toolUseId, tool, file, kind, mediaType, bytes, lines, number };
    found.set(number, { ...about, ...contentOf(kind, () => sidecar.chunks(block)) });
  }
  return [...found.values()];
}

type ReadableLog = Pick<PastLog, "path" | "chunks" | "parts">;

function logOn({ disk }: Library, path: string): ReadableLog {
  return {
    path,
    chunks: () => diskSource(disk).chunks(path),
    parts: (from, length) => disk.readChunks(path, { from, to: from + length }),
  };
}

/** The results that a log still has: neither markers nor placeholders. */
function inLog({ agent }: SessionPointer, log: ReadableLog, isWanted: IsWanted): readonly RetrievedBlock[] {
  const { flattening, compaction } = actionsOf(agent);
  const finder = flattening?.finder({ minBytes: 0, copies: false });
  if (finder === undefined) return [];
  const found: RetrievedBlock[] = [];
  for (const { bytes, offset } of rawLines(log.chunks())) {
    for (const { span, content } of finder(bytes)) {
      if (!isWanted(content)) continue;
      if (compaction?.isPlaceholder?.(stringOf(bytes, span) ?? "") === true) continue;
      const read = (): Iterable<Uint8Array> => log.parts(offset + span.start, lengthOf(span));
      found.push({ ...content, file: content.file ?? null, ...contentOf(content.kind, read) });
    }
  }
  return found;
}

/** Finds the result in the session's model, if it has no separate place in a line of the log. */
function inSession(
  source: ByteSource,
  files: SessionFiles,
  { toolUseId, number }: ReturnType<typeof parseBlockName>,
): readonly RetrievedBlock[] {
  const result = (number ?? 1) === 1 ? readCallResult(source, files, toolUseId) : undefined;
  const isPlaceholder = actionsOf(files.agent).compaction?.isPlaceholder;
  if (result === undefined || isFlatMarker(result.text) || isPlaceholder?.(result.text) === true) return [];
  const { tool, file = null, text } = result;
  const lines = text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  const about = { toolUseId, tool, file, kind: "text", mediaType: null, number: 1 } as const;
  return [{ ...about, bytes: Buffer.byteLength(text), lines, text: () => [text], data: null }];
}

/** The log at that path with its files; for a copy, only the log. */
function logFiles({ disk }: Library, { agent, id, files }: SessionPointer, path: string): SessionFiles {
  const stat = path === files.files[0]?.path ? undefined : disk.stat(path);
  if (stat === undefined) return files;
  const { size, mtimeMs, inode } = stat;
  return { agent, id, files: [{ path, role: "main", size, mtimeMs, inode }] };
}

/** A text is a JSON string; an image is an object with its base64. */
function contentOf(
  kind: FlatContent["kind"],
  read: () => Iterable<Uint8Array>,
): Pick<RetrievedBlock, "text" | "data"> {
  if (kind === "text") return { text: () => decodeString(read()), data: null };
  return { text: null, data: () => decodeMedia(read()) };
}

function* decodeMedia(parts: Iterable<Uint8Array>): Generator<Uint8Array, void, void> {
  // Anything may follow its base64, so it is found only when all of it is there.
  const raw = Buffer.concat(Array.from(parts, (part) => Buffer.from(part)));
  const block = scanJson(raw);
  const data = memberAt(block, "data") ?? memberAt(memberAt(block, "source"), "data");
  if (data?.kind === "string") yield* decodeBase64(decodeString([raw.subarray(data.start, data.end)]));
}

/** Decodes base64: four characters are three bytes; other characters are skipped. */
function* decodeBase64(texts: Iterable<string>): Generator<Buffer, void, void> {
  let rest = "";
  for (const text of texts) {
    const signs = rest + text.replace(/[^A-Za-z0-9+/_-]/g, "");
    const whole = signs.length - (signs.length % 4);
    yield Buffer.from(signs.slice(0, whole), "base64");
    rest = signs.slice(whole);
  }
  yield Buffer.from(rest, "base64");
}
