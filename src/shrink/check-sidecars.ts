import { Buffer } from "node:buffer";
import { join } from "node:path";
import type { SessionFiles } from "../agents/agent.ts";
import { agentNames } from "../agents/agents.ts";
import { findSessions } from "../agents/find-sessions.ts";
import { takeSnapshot } from "../agents/log-snapshot.ts";
import { forgottenSessions } from "../archive/open-archive.ts";
import { UserError } from "../errors.ts";
import { ArchiveDamage } from "../fs/damage.ts";
import { errorCode, explainDiskError } from "../fs/disk-error.ts";
import { namesIn } from "../fs/folders.ts";
import type { Library } from "../fs/library.ts";
import { changesNothing } from "../jsonl/rewrite-plan.ts";
import { type SessionName, sessionKey } from "../session/session.ts";
import { archivedLogs } from "./archived-logs.ts";
import { isReadable, openSidecar } from "./open-sidecar.ts";
import { planUnflatten } from "./plan-unflatten.ts";
import { sidecarPath } from "./sidecar.ts";

/** Something that may keep a flattened session from being put back. */
export interface SidecarFinding extends SessionName {
  /** The sidecar, or the log. */
  readonly path: string;
  readonly what: string;
  readonly fix: string;
}

export interface SidecarsChecked {
  readonly sidecars: number;
  /** Blocks in them; with `blocks` each was read and proven. */
  readonly blocks: number;
  /** Logs that have markers. */
  readonly flattenedLogs: number;
  readonly findings: readonly SidecarFinding[];
}

export interface CheckSidecarsOptions {
  /** Only these; absent: all. */
  readonly sessions?: readonly SessionName[] | undefined;
  /** Also prove every block of every sidecar. */
  readonly blocks: boolean;
}

/** Checks that every sidecar can be read, and that every marker in a log has its block, here or in the archive. */
export function checkSidecars(library: Library, options: CheckSidecarsOptions): SidecarsChecked {
  const named = options.sessions && new Set(options.sessions.map(sessionKey));
  const forgotten = forgottenSessions(library);
  const findings: SidecarFinding[] = [];
  const totals = { sidecars: 0, blocks: 0, flattenedLogs: 0 };
  const tell = ({ agent, id }: SessionName, path: string, what: string, fix: string): void =>
    void findings.push({ agent, id, path, what, fix });
  const logs = findSessions(library).sessions.filter(
    (files) => !forgotten.has(files) && (named === undefined || named.has(sessionKey(files))),
  );
  const isHere = new Set(logs.map(sessionKey));
  for (const agent of agentNames()) {
    for (const name of namesIn(library.disk, join(library.places.flat, agent))) {
      const id = /^(.*)\.flat(?:\.new)?$/.exec(name)?.[1];
      if (id === undefined || (named !== undefined && !named.has(sessionKey({ agent, id })))) continue;
      checkSidecar({ agent, id }, join(library.places.flat, agent, name));
    }
  }
  for (const files of logs) {
    for (const { path, role } of files.files) if (role === "main") checkLog(files, path);
  }
  return { ...totals, findings };

  function checkSidecar(session: SessionName, path: string): void {
    const { id } = session;
    const restore = isHere.has(sessionKey(session)) ? "" : `sessions restore ${id}, then `;
    const fix = `${restore}sessions unflatten ${id}, which also takes from the archive; then sessions flatten ${id}`;
    try {
      const sidecar = openSidecar(library.disk, path);
      if (sidecar === undefined) return;
      totals.sidecars++;
      totals.blocks += sidecar.index.blocks.length;
      if (sidecar.damage !== null) tell(session, path, `the sidecar is damaged: ${sidecar.damage}`, fix);
      if (!options.blocks) return;
      const bad = sidecar.index.blocks.filter((block) => !isReadable(sidecar, block)).length;
      if (bad > 0) tell(session, path, `${bad} of ${sidecar.index.blocks.length} blocks are damaged`, fix);
    } catch (error) {
      tell(session, path, explain(error), `make ${path} readable`);
    }
  }

  function checkLog(files: SessionFiles, path: string): void {
    try {
      if (!hasBytes(library.disk.readChunks(path), NEEDLE)) return;
      const sidecar = openSidecar(library.disk, sidecarPath(library.places.flat, files));
      const { missing, plan, left } = planUnflatten(files.agent, takeSnapshot(library, path), {
        sidecar,
        archived: () => archivedLogs(library, files),
      });
      if (missing.length === 0 && left.length === 0 && changesNothing(plan)) return;
      totals.flattenedLogs++;
      if (missing.length === 0) return;
      tell(
        files,
        path,
        `${missing.length} markers have no stored result, the first is ${missing[0]?.toolUseId}`,
        "unflatten it with the store (SESSIONS_HOME) that flattened it, or take the log from a backup",
      );
    } catch (error) {
      // What of logs can't be read is reported as a problem of the logs.
      if (
        !(error instanceof ArchiveDamage) &&
        !(error instanceof UserError) &&
        errorCode(error) === undefined
      )
        throw error;
    }
  }
}

function explain(error: unknown): string {
  if (error instanceof ArchiveDamage) return error.what;
  if (error instanceof UserError) return error.message;
  return explainDiskError(error);
}

const NEEDLE = Buffer.from('"[FLATTENED id=');

function hasBytes(chunks: Iterable<Uint8Array>, needle: Buffer): boolean {
  let tail = Buffer.alloc(0);
  for (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (bytes.includes(needle)) return true;
    if (Buffer.concat([tail, bytes.subarray(0, needle.length)]).includes(needle)) return true;
    tail = Buffer.from(bytes.subarray(Math.max(0, bytes.length - needle.length)));
  }
  return false;
}
