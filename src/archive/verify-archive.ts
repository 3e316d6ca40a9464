import { createHash } from "node:crypto";
import { basename, dirname } from "node:path";
import { otherForm } from "../agents/packed-log.ts";
import { sameMark } from "../fs/disk.ts";
import { errorCode, explainDiskError } from "../fs/disk-error.ts";
import type { Library } from "../fs/library.ts";
import { type LogKey, logKey, type SessionName } from "../session/session.ts";
import type { ArchiveStore, Damage, KeptFile, ListedSession } from "./archive-store.ts";
import { hasLog } from "./archived-sessions.ts";
import { forgottenSessions, openArchive } from "./open-archive.ts";
import type { Progress } from "./progress.ts";

export interface VerifyOptions {
  /** Only these; absent: the whole archive. */
  readonly sessions?: readonly LogKey[] | undefined;
  readonly onProgress?: (progress: Progress) => void;
  readonly pause?: () => Promise<void>;
}

/** A part of the archive that differs from what was archived. */
export interface FoundDamage extends Damage {
  readonly agent: string;
  readonly id: string;
  /** Of the file; 0 if the damage is about a whole generation. */
  readonly size: number;
  /** How much of the file is still good. */
  readonly goodBytes: number;
  /** Whether the agent still has these bytes: then `archive --check` writes them again. */
  readonly mendable: boolean;
  /** The name of the machine that the session was pulled from: `sync --check` fetches it again. Null: this one. */
  readonly machine: string | null;
}

/** A log that differs from the archive although its size and times did not change. */
export interface FoundDifference extends SessionName {
  readonly path: string;
  readonly what: string;
}

export interface VerifyAnswer {
  readonly sessions: number;
  /** Those of them of which only parts are left. */
  readonly stubs: number;
  readonly generations: number;
  readonly files: number;
  /** Verified bytes, each counted once. */
  readonly bytes: number;
  readonly damages: readonly FoundDamage[];
  readonly differences: readonly FoundDifference[];
  /** The agents' own files, compared with the newest generation. */
  readonly sources: {
    readonly same: number;
    /** Logs that grew or were rewritten: the next archive run will store the changes. */
    readonly changed: number;
    readonly gone: number;
  };
  /** Files in the archive that nothing names: left by a killed run, removed by the next. */
  readonly strays: number;
}

/** Checks every byte of every generation against its hash, and against its source if that exists. */
export async function verifyArchive(library: Library, options: VerifyOptions = {}): Promise<VerifyAnswer> {
  const archive = openArchive(library);
  const listing = archive.list();
  const forgotten = forgottenSessions(library);
  const named = options.sessions && new Set(options.sessions.map(logKey));
  const sessions = listing.sessions.filter(
    (session) => !forgotten.has(session) && (named === undefined || named.has(logKey(session))),
  );
  const damages: FoundDamage[] = [];
  const differences: FoundDifference[] = [];
  const sources = { same: 0, changed: 0, gone: 0 };
  const totals = { generations: 0, files: 0, bytes: 0, strays: 0 };
  const progress = { files: 0, filesTotal: 0, bytes: 0, bytesTotal: 0 };
  for (const { files, bytes } of sessions) {
    progress.filesTotal += files.length;
    progress.bytesTotal += bytes;
  }
  for (const session of sessions) {
    await options.pause?.();
    options.onProgress?.({ ...progress });
    progress.files += session.files.length;
    progress.bytes += session.bytes;
    const proof = archive.prove(session);
    totals.generations += proof.generations.length;
    totals.files += proof.files;
    totals.bytes += proof.bytes;
    totals.strays += proof.strays;
    damages.push(
      ...proof.damages.map((damage) => describeDamage(library, archive, session, damage, proof.damages)),
    );
    // The logs of other machines are not on this one.
    for (const file of session.origin === null ? (archive.get(session)?.files ?? []) : []) {
      const compared = compareSource(library, file);
      sources[compared.kind]++;
      if (compared.what !== undefined) {
        differences.push({ agent: session.agent, id: session.id, path: file.path, what: compared.what });
      }
    }
  }
  if (options.sessions === undefined) {
    damages.push(...listing.unreadable.map(({ location, what }) => unreadable(location, what)));
  }
  const stubs = sessions.filter((session) => !hasLog(session)).length;
  return { sessions: sessions.length, stubs, ...totals, damages, differences, sources };
}

function describeDamage(
  library: Library,
  archive: ArchiveStore,
  { agent, id, copy, origin }: ListedSession,
  damage: Damage,
  all: readonly Damage[],
): FoundDamage {
  const kept = archive.get({ agent, id, copy }, damage.generation);
  const file = [...(kept?.files ?? []), ...(kept?.earlier ?? [])].find(({ path }) => path === damage.path);
  const machine = origin?.name ?? null;
  if (file === undefined) return { agent, id, ...damage, size: 0, goodBytes: 0, mendable: false, machine };
  const bad = all
    .filter(({ generation, path }) => generation === damage.generation && path === damage.path)
    .reduce((sum, { from, to }) => sum + to - from, 0);
  const goodBytes = Math.max(0, file.size - bad);
  const mendable = machine === null && canMend(library, file);
  return { agent, id, ...damage, size: file.size, goodBytes, mendable, machine };
}

/** If none of its records can be read, only the name of a session's folder is known. */
function unreadable(location: string, what: string): FoundDamage {
  return {
    agent: basename(dirname(location)),
    id: basename(location),
    generation: 0,
    path: null,
    from: 0,
    to: 0,
    what,
    size: 0,
    goodBytes: 0,
    mendable: false,
    machine: null,
  };
}

interface Compared {
  readonly kind: "same" | "changed" | "gone";
  /** Set if it should be identical and is not. */
  readonly what?: string;
}

function compareSource(library: Library, file: KeptFile): Compared {
  try {
    const stat = library.disk.stat(file.path);
    // If it was packed or unpacked, the next archive run will store that.
    if (stat === undefined && library.disk.stat(otherForm(file.path))?.kind === "file")
      return { kind: "changed" };
    if (stat?.kind !== "file") return { kind: "gone" };
    const isTouched = !sameMark(stat, file);
    if (isTouched && stat.size !== file.size) return { kind: "changed" };
    // A file that was restored or copied has another mark and the same bytes.
    if (hashOfStart(library, file) === file.sha256) return { kind: "same" };
    if (isTouched) return { kind: "changed" };
    return {
      kind: "changed",
      what: "its bytes differ from the archived ones, though its size and time do not",
    };
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return { kind: "changed", what: `it can't be compared: ${explainDiskError(error)}` };
  }
}

function canMend(library: Library, file: KeptFile): boolean {
  try {
    const stat = library.disk.stat(file.path);
    const isThere = stat?.kind === "file" && stat.size >= file.size;
    return isThere && hashOfStart(library, file) === file.sha256;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

/** Hashes only as many bytes as are archived. */
function hashOfStart({ disk }: Library, { path, size }: KeptFile): string {
  const hash = createHash("sha256");
  for (const chunk of disk.readChunks(path, { to: size })) hash.update(chunk);
  return hash.digest("hex");
}
