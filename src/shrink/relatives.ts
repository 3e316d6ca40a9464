import { Buffer } from "node:buffer";
import type { LogFiles } from "../agents/agent.ts";
import { agentNamed } from "../agents/agents.ts";
import { findSessionsOf } from "../agents/find-sessions.ts";
import { findMarkers } from "../agents/flattened-line.ts";
import type { LogSnapshot } from "../agents/log-snapshot.ts";
import { parentsInHead } from "../agents/session-of-log.ts";
import { logIdentities } from "../archive/log-identity.ts";
import { forgottenSessions, openArchive } from "../archive/open-archive.ts";
import { errorCode } from "../fs/disk-error.ts";
import type { Library } from "../fs/library.ts";
import { rawLines } from "../jsonl/lines.ts";
import type { AgentName } from "../session/entry.ts";
import type { FlatMarker } from "../session/flat-marker.ts";
import { type LogKey, logKey } from "../session/session.ts";
import { openSidecar, type Sidecar } from "./open-sidecar.ts";
import { flattenedLogs, sidecarPath } from "./sidecar.ts";
import { createLineMatcher } from "./sidecar-lines.ts";

/*
 * Finds logs that share markers. A flattened log may be copied with its project, or by its agent as the start of another
 * session. The copy has the markers; their results are stored under the name of the original.
 */

type Store = Pick<Library, "disk" | "places">;

/**
 * The other logs that may have the moved values of a log: copies of it, the sessions that its markers name, and those
 * that it says it was forked from. A fork that was written flattened was never archived with its results.
 */
export function relativesOf(
  library: Store,
  log: LogKey,
  snapshot: Pick<LogSnapshot, "chunks" | "path">,
): readonly LogKey[] {
  const { agent, id } = log;
  const found = new Map<string, LogKey>();
  const archive = openArchive(library);
  const head = headOf(snapshot.chunks());
  const parents = parentsInHead(agent, snapshot.path, head);
  for (const each of new Set([id, ...markedSessions(agent, snapshot), ...parents])) {
    const session = { agent, id: each };
    for (const key of [...flattenedLogs(library, session), ...archive.copies(session)])
      found.set(logKey(key), key);
  }
  found.delete(logKey(log));
  return [...found.values()];
}

const HEAD_BYTES = 64 * 1024;

function headOf(chunks: Iterable<Uint8Array>): Buffer {
  const parts: Buffer[] = [];
  let length = 0;
  for (const chunk of chunks) {
    parts.push(Buffer.from(chunk.subarray(0, HEAD_BYTES - length)));
    length += parts.at(-1)?.length ?? 0;
    if (length >= HEAD_BYTES) break;
  }
  return Buffer.concat(parts);
}

/** The first readable sidecar of these logs. */
export function firstReadableSidecar({ disk, places }: Store, logs: readonly LogKey[]): Sidecar | undefined {
  for (const log of logs) {
    const sidecar = openSidecar(disk, sidecarPath(places.flat, log));
    if (sidecar !== undefined && sidecar.damage === null) return sidecar;
  }
  return undefined;
}

/** The sessions that the markers in a log name. */
function markedSessions(agent: AgentName, { chunks }: Pick<LogSnapshot, "chunks">): ReadonlySet<string> {
  const sessions = new Set<string>();
  if (!hasMarkers(chunks())) return sessions;
  for (const { bytes } of rawLines(chunks()))
    for (const { marker } of findMarkers(agent, bytes)) sessions.add(marker.session);
  return sessions;
}

/** The markers in a log for the result of one call. */
export function* markersOf(
  agent: AgentName,
  { chunks }: Pick<LogSnapshot, "chunks">,
  toolUseId: string,
): Generator<FlatMarker, void, void> {
  for (const { bytes } of rawLines(chunks()))
    for (const { marker, isCopy } of findMarkers(agent, bytes))
      if (!isCopy && marker.toolUseId === toolUseId) yield marker;
}

const NEEDLE = Buffer.from('"[FLATTENED id=');

/** Whether these bytes may have markers; they are not parsed. */
export function hasMarkers(chunks: Iterable<Uint8Array>): boolean {
  let tail = Buffer.alloc(0);
  for (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (bytes.includes(NEEDLE)) return true;
    if (Buffer.concat([tail, bytes.subarray(0, NEEDLE.length)]).includes(NEEDLE)) return true;
    tail = Buffer.from(bytes.subarray(Math.max(0, bytes.length - NEEDLE.length)));
  }
  return false;
}

/** A log with markers that were made for another one. */
export interface DependentLog {
  readonly files: LogFiles;
  readonly path: string;
  /** How many of its markers name that other session. */
  readonly markers: number;
}

/**
 * Finds every other log that depends on the moved values of a session: copies of its log, and forks by the agent.
 * They need the session's sidecar or archive, unless they have their own sidecar.
 */
export function dependentLogs(
  library: Library,
  { agent, id }: Pick<LogKey, "agent" | "id">,
  except: readonly string[],
): readonly DependentLog[] {
  const { disk } = library;
  const identities = logIdentities(library);
  const forgotten = forgottenSessions(library);
  return findSessionsOf(library, agentNamed(agent), [])
    .sessions.flatMap(identities.of)
    .flatMap((files): readonly DependentLog[] => {
      const path = files.files[0]?.path ?? "";
      const isOther = files.files[0]?.role === "main" && !except.includes(path) && !forgotten.has(files);
      if (!isOther) return [];
      const markers = readOr(0, () => {
        if (!hasMarkers(disk.readChunks(path))) return 0;
        let count = 0;
        for (const { bytes } of rawLines(disk.readChunks(path)))
          count += findMarkers(agent, bytes).filter(({ marker }) => marker.session === id).length;
        return count;
      });
      return markers === 0 ? [] : [{ files, path, markers }];
    });
}

/**
 * Finds the copies of a log that have a line, or a marker, for which its sidecar has blocks. A copy with its own
 * sidecar needs no other.
 */
export function copiesInNeed(
  library: Store,
  log: LogKey,
  copies: readonly string[],
  sidecar: Sidecar,
): readonly string[] {
  const { disk, places } = library;
  const { agent } = log;
  const served = new Set(
    flattenedLogs(library, log)
      .filter((key) => logKey(key) !== logKey(log))
      .map((key) => openSidecar(disk, sidecarPath(places.flat, key))?.index.path),
  );
  const calls = new Set(sidecar.index.blocks.map(({ toolUseId }) => toolUseId));
  const isInNeed = (copy: string): boolean => {
    const matcher = createLineMatcher(sidecar);
    for (const line of rawLines(disk.readChunks(copy))) {
      if (matcher.match(line) !== undefined) return true;
      if (findMarkers(agent, line.bytes).some(({ marker }) => calls.has(marker.toolUseId))) return true;
    }
    return false;
  };
  // A copy that cannot be read may need it; a deleted one does not.
  return copies.filter(
    (copy) => !served.has(copy) && disk.stat(copy) !== undefined && readOr(true, () => isInNeed(copy)),
  );
}

function readOr<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return otherwise;
  }
}
