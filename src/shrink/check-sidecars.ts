import { join } from "node:path";
import type { LogFiles } from "../agents/agent.ts";
import { agentNames } from "../agents/agents.ts";
import { findSessions } from "../agents/find-sessions.ts";
import { takeSnapshot } from "../agents/log-snapshot.ts";
import { logIdentities } from "../archive/log-identity.ts";
import { forgottenSessions } from "../archive/open-archive.ts";
import { UserError } from "../errors.ts";
import { ArchiveDamage } from "../fs/damage.ts";
import { errorCode, explainDiskError } from "../fs/disk-error.ts";
import { namesIn } from "../fs/folders.ts";
import type { Library } from "../fs/library.ts";
import { changesNothing } from "../jsonl/rewrite-plan.ts";
import { type LogKey, logKey } from "../session/session.ts";
import { isReadable, openSidecar } from "./open-sidecar.ts";
import { pastLogs } from "./past-logs.ts";
import { planUnflatten } from "./plan-unflatten.ts";
import { firstReadableSidecar, hasMarkers, relativesOf } from "./relatives.ts";
import { sidecarPath } from "./sidecar.ts";

/** A problem that may prevent a flattened session from being unflattened. */
export interface SidecarFinding extends LogKey {
  /** The sidecar, or the log. */
  readonly path: string;
  readonly what: string;
  readonly fix: string;
}

export interface SidecarsChecked {
  readonly sidecars: number;
  /** Blocks in them; with `blocks` each was read and verified. */
  readonly blocks: number;
  /** Logs that have markers. */
  readonly flattenedLogs: number;
  readonly findings: readonly SidecarFinding[];
  /** Sessions with a sidecar whose log is not here: if the log is restored, the sidecar is needed. */
  readonly withoutLog: readonly LogKey[];
}

export interface CheckSidecarsOptions {
  /** Only these; absent: all. */
  readonly sessions?: readonly LogKey[] | undefined;
  /** Also verify every block of every sidecar. */
  readonly blocks: boolean;
}

/** Checks that every sidecar can be read, and that every marker in a log has its block, here or in the archive. */
export function checkSidecars(library: Library, options: CheckSidecarsOptions): SidecarsChecked {
  const named = options.sessions && new Set(options.sessions.map(logKey));
  const forgotten = forgottenSessions(library);
  const findings: SidecarFinding[] = [];
  const withoutLog: LogKey[] = [];
  const totals = { sidecars: 0, blocks: 0, flattenedLogs: 0 };
  const report = ({ agent, id, copy }: LogKey, path: string, what: string, fix: string): void =>
    void findings.push({ agent, id, copy, path, what, fix });
  const logs = findSessions(library)
    .sessions.flatMap(logIdentities(library).of)
    .filter((files) => !forgotten.has(files) && (named === undefined || named.has(logKey(files))));
  const isHere = new Set(logs.map(logKey));
  for (const agent of agentNames()) {
    for (const name of namesIn(library.disk, join(library.places.flat, agent))) {
      const [, id, copy = null] = /^(.*?)(?:~([0-9a-f]{12}))?\.flat(?:\.new)?$/.exec(name) ?? [];
      if (id === undefined || (named !== undefined && !named.has(logKey({ agent, id, copy })))) continue;
      checkSidecar({ agent, id, copy }, join(library.places.flat, agent, name));
    }
  }
  for (const files of logs) {
    for (const { path, role } of files.files) if (role === "main") checkLog(files, path);
  }
  return { ...totals, findings, withoutLog };

  function checkSidecar(session: LogKey, path: string): void {
    const { id } = session;
    const restore = isHere.has(logKey(session)) ? "" : `sessions restore ${id}, then `;
    const fix = `${restore}sessions unflatten ${id}, which also takes from the archive; then sessions flatten ${id}`;
    try {
      const sidecar = openSidecar(library.disk, path);
      if (sidecar === undefined) return;
      totals.sidecars++;
      if (!isHere.has(logKey(session))) withoutLog.push(session);
      totals.blocks += sidecar.index.blocks.length;
      if (sidecar.damage !== null) report(session, path, `the sidecar is damaged: ${sidecar.damage}`, fix);
      if (!options.blocks) return;
      const bad = sidecar.index.blocks.filter((block) => !isReadable(sidecar, block)).length;
      if (bad > 0) report(session, path, `${bad} of ${sidecar.index.blocks.length} blocks are damaged`, fix);
    } catch (error) {
      report(session, path, explainDamage(error), `make ${path} readable`);
    }
  }

  function checkLog(files: LogFiles, path: string): void {
    try {
      if (!hasMarkers(library.disk.readChunks(path))) return;
      const snapshot = takeSnapshot(library, path);
      const own = openSidecar(library.disk, sidecarPath(library.places.flat, files));
      const relatives = relativesOf(library, files, snapshot);
      const { missing, plan, left } = planUnflatten(files.agent, snapshot, {
        sidecar: own ?? firstReadableSidecar(library, relatives),
        isLent: own === undefined,
        archived: () => pastLogs(library, [files, ...relatives]),
      });
      if (missing.length === 0 && left.length === 0 && changesNothing(plan)) return;
      totals.flattenedLogs++;
      if (missing.length === 0) return;
      report(
        files,
        path,
        `${missing.length} markers have no stored result, the first is ${missing[0]?.toolUseId}`,
        "unflatten it with the store (SESSIONS_HOME) that flattened it, or take the log from a backup",
      );
    } catch (error) {
      // A log that cannot be read is reported as a problem of the log.
      if (
        !(error instanceof ArchiveDamage) &&
        !(error instanceof UserError) &&
        errorCode(error) === undefined
      )
        throw error;
    }
  }
}

export function explainDamage(error: unknown): string {
  if (error instanceof ArchiveDamage) return error.what;
  if (error instanceof UserError) return error.message;
  return explainDiskError(error);
}
