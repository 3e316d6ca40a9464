import { Buffer } from "node:buffer";
import type { Peek } from "../agents/agent.ts";
import { agentNamed } from "../agents/agents.ts";
import { logExtensionsAt } from "../agents/find-sessions.ts";
import { ArchiveDamage } from "../fs/damage.ts";
import type { Library } from "../fs/library.ts";
import type { KeptFile, KeptSession } from "./archive-store.ts";

/** A file of a session, and the path that it is about to be written to. */
interface Target {
  readonly file: KeptFile;
  readonly target: string;
  content(): Iterable<Uint8Array>;
}

/**
 * The targets that are not files of this session, by the rules with which its agent's files are found. The archive
 * may have been tampered with, and below its folders of logs an agent also has files whose instructions it follows,
 * such as `memory/MEMORY.md`.
 */
export function foreignTargets<T extends Target>(
  library: Library,
  kept: KeptSession,
  targets: readonly T[],
  to: string | undefined,
): ReadonlySet<T> {
  const environment =
    to === undefined ? library.environment : { home: to, variables: {}, folder: to, projects: [] };
  const here = { ...library, environment };
  const ofSession = idsAt(
    kept,
    targets.map(({ file }) => ({ path: file.path, file, read: () => kept.read(file) })),
  );
  // In another folder, a log whose lines name no session has another id.
  const ofAny = idsAt(
    kept,
    targets.map(({ target, file, content }) => ({ path: target, file, read: content })),
  );
  const isForeign = ({ file, target }: T): boolean =>
    ofSession.get(file.path) !== kept.id ||
    !ofAny.has(target) ||
    !logExtensionsAt(here, kept.agent, target).some((extension) => target.endsWith(extension));
  return new Set(targets.filter(isForeign));
}

interface Candidate {
  readonly path: string;
  readonly file: KeptFile;
  readonly read: () => Iterable<Uint8Array>;
}

/** Which session each file would belong to; files that belong to none are left out. */
function idsAt({ agent }: KeptSession, candidates: readonly Candidate[]): ReadonlyMap<string, string> {
  const byPath = new Map(candidates.map((candidate) => [candidate.path, candidate]));
  const peek: Peek = (path, from = 0) => {
    const candidate = byPath.get(path);
    return candidate === undefined ? Buffer.alloc(0) : peekAt(candidate.read(), from);
  };
  const found = candidates.map(({ path, file: { size, mtimeMs, inode } }) => {
    // An empty file is not a log, but its name still says which session it belongs to.
    return { path, size: Math.max(size, 1), mtimeMs, inode };
  });
  const groups = agentNamed(agent).group(found, peek);
  return new Map(groups.flatMap(({ id, files }) => files.map(({ path }) => [path, id])));
}

/** How many bytes of files on the disk are examined. */
const PEEK_BYTES = 64 * 1024;
/** Bytes that no agent writes, so that only the name counts. */
const DAMAGED = Buffer.alloc(1);

function peekAt(parts: Iterable<Uint8Array>, from: number): Buffer {
  const taken: Buffer[] = [];
  let at = 0;
  try {
    for (const part of parts) {
      // Each part is valid only until the next is read.
      if (at + part.length > from) taken.push(Buffer.from(part.subarray(Math.max(0, from - at))));
      at += part.length;
      if (at >= from + PEEK_BYTES) break;
    }
  } catch (error) {
    if (!(error instanceof ArchiveDamage)) throw error;
    return DAMAGED;
  }
  return Buffer.concat(taken).subarray(0, PEEK_BYTES);
}
