import type { LogFiles } from "../agents/agent.ts";
import { agentNamed } from "../agents/agents.ts";
import { type LogSnapshot, takeSnapshot } from "../agents/log-snapshot.ts";
import { projectOfLog } from "../agents/session-of-log.ts";
import { identifyAgain } from "../archive/log-identity.ts";
import { exitCodes, type Problem, UserError } from "../errors.ts";
import { ArchiveDamage } from "../fs/damage.ts";
import { errorCode } from "../fs/disk-error.ts";
import type { Library } from "../fs/library.ts";
import { withStore } from "../fs/store.ts";
import { changesNothing, plannedSize } from "../jsonl/rewrite-plan.ts";
import type { SessionPointer } from "../search/session-pointers.ts";
import { contextChange, type FlattenAnswer, type FlattenOptions } from "./flatten-session.ts";
import { openSidecar, type Sidecar } from "./open-sidecar.ts";
import { type PastLog, pastLogs } from "./past-logs.ts";
import { planUnflatten, type UnflattenPlan } from "./plan-unflatten.ts";
import { copiesInNeed, firstReadableSidecar, relativesOf } from "./relatives.ts";
import { rewriteSession, secureLog } from "./rewrite-session.ts";
import { damagedPath, removeSidecar, sidecarPath } from "./sidecar.ts";
import { writableFiles } from "./writable-files.ts";

export interface UnflattenAnswer extends FlattenAnswer {
  /** Whether the log had markers, or there was a sidecar. */
  readonly wasFlat: boolean;
  /** Whether the log is exactly what it was before it was flattened. False if an agent has changed old lines. */
  readonly isExact: boolean;
  /** How many of the parts that were put back, including copies, came from the archive. */
  readonly fromArchive: number;
  /** Blocks that stay in the sidecar, because the log has no place for them. */
  readonly blocksLeft: number;
  /** Markers that stay in the log, because their block was not found. */
  readonly markersLeft: number;
  /** Failures, and the sidecar's damages. */
  readonly problems: readonly Problem[];
}

/**
 * Puts back everything that was moved out of a session's log. The sidecar is removed only when all of its blocks are
 * in the log again and no other copy of the log needs it.
 */
export function unflattenSession(
  library: Library,
  pointer: SessionPointer,
  options: Omit<FlattenOptions, "rule" | "fork">,
): Promise<UnflattenAnswer> {
  const selected = writableFiles(library, pointer);
  const run = async (files: LogFiles): Promise<UnflattenAnswer> => {
    const path = files.files[0]?.path ?? "";
    const snapshot = takeSnapshot(library, path);
    const { sidecar, planned, copies } = makePlan(library, files, snapshot, pointer.others);
    const { plan, blocks, isExact, fromArchive, left, missing } = planned;
    const wasFlat = sidecar !== undefined || !changesNothing(plan) || missing.length > 0;
    const tokens = wasFlat
      ? await contextChange(library, files, snapshot, plan, options)
      : { contextTokensSaved: 0, contextTokensTotal: 0 };
    const answer: UnflattenAnswer = {
      agent: files.agent,
      id: files.id,
      source: path,
      otherCopies: pointer.others,
      dryRun: options.dryRun === true,
      wasFlat,
      blocks,
      isExact,
      fromArchive,
      blocksLeft: left.length,
      markersLeft: missing.length,
      diskBytesSaved: snapshot.mark.size - plannedSize(plan),
      ...tokens,
      sidecar: sidecar?.path ?? null,
      archive: null,
      backup: null,
      fork: null,
      resume: agentNamed(files.agent).resume({
        id: files.id,
        project: projectOfLog(library, files),
        source: path,
      }),
      problems: problemsOf(files, path, sidecar, planned, copies),
    };
    if (sidecar !== undefined && sidecar.damage !== null && changesNothing(plan) && missing.length > 0)
      throw nothingReadable(files.id, sidecar, sidecar.damage);
    if (answer.dryRun) return answer;
    const done = changesNothing(plan)
      ? undefined
      : await rewriteSession(library, files, snapshot, plan, options);
    if (done !== undefined) archiveAgain(library, files, path, options);
    const isDamaged = sidecar !== undefined && (sidecar.damage !== null || planned.damaged > 0);
    const isNeeded = left.length > 0 || copies.length > 0 || (isDamaged && missing.length > 0);
    // Only now: the sidecar is needed until the log has everything again.
    if (sidecar !== undefined && !isNeeded) putAway(library, sidecar);
    return {
      ...answer,
      sidecar: sidecar !== undefined && isNeeded ? sidecar.path : null,
      archive: done?.archive ?? null,
      backup: done?.generation ?? null,
    };
  };
  const work = (files: LogFiles): Promise<UnflattenAnswer> =>
    run(files).catch((error) => Promise.reject(damageFound(error, files)));
  if (options.dryRun === true) return work(selected);
  return withStore(library, options.locking, () => work(identifyAgain(library, selected)));
}

/**
 * Archives the unflattened log: otherwise the newest generation would be the flattened one, which `restore` would
 * bring back. The log is already replaced, so after a failure the next run of `archive` does it.
 */
function archiveAgain(
  library: Library,
  files: LogFiles,
  path: string,
  options: Pick<FlattenOptions, "markdown">,
): void {
  try {
    secureLog(library, files, takeSnapshot(library, path), options);
  } catch (error) {
    if (!(error instanceof UserError) && errorCode(error) === undefined) throw error;
  }
}

type SidecarFile = Pick<Sidecar, "path" | "damage">;

/** A separate function, so that the sidecar's index is freed: it and a long session do not both fit into memory. */
function makePlan(
  library: Library,
  files: LogFiles,
  snapshot: LogSnapshot,
  others: readonly string[],
): {
  readonly sidecar: SidecarFile | undefined;
  readonly planned: UnflattenPlan;
  readonly copies: readonly string[];
} {
  const { agent } = files;
  const sidecar = openSidecar(library.disk, sidecarPath(library.places.flat, files));
  const archived = (): Iterable<PastLog> => pastLogs(library, [files]);
  let planned = planUnflatten(agent, snapshot, { sidecar, archived });
  if (planned.missing.length > 0) {
    const relatives = relativesOf(library, files, snapshot);
    const lent = sidecar === undefined ? firstReadableSidecar(library, relatives) : undefined;
    planned = planUnflatten(agent, snapshot, {
      sidecar: sidecar ?? lent,
      isLent: lent !== undefined,
      archived: () => pastLogs(library, [files, ...relatives]),
    });
  }
  if (sidecar === undefined) return { sidecar, planned, copies: [] };
  const { path, damage } = sidecar;
  return { sidecar: { path, damage }, planned, copies: copiesInNeed(library, files, others, sidecar) };
}

/** Renames a sidecar whose index is damaged: the rest of its content is unknown, so it is not deleted. */
function putAway({ disk }: Library, { path, damage }: SidecarFile): void {
  if (damage === null) removeSidecar(disk, path);
  else disk.rename(path, damagedPath(path));
}

function problemsOf(
  { id }: LogFiles,
  path: string,
  sidecar: SidecarFile | undefined,
  { left, missing, damaged }: UnflattenPlan,
  copies: readonly string[],
): readonly Problem[] {
  const problems: Problem[] = [];
  const report = (where: string, what: string): void => void problems.push({ path: where, line: 0, what });
  if (sidecar !== undefined && sidecar.damage !== null) {
    report(sidecar.path, `the sidecar is damaged: ${sidecar.damage}`);
  } else if (sidecar !== undefined && damaged > 0) {
    report(sidecar.path, `the sidecar is damaged: ${damaged} of its blocks can't be read`);
  }
  if (sidecar !== undefined && left.length > 0) {
    const what = `the log has no place for ${left.length} of its blocks, so the sidecar stays`;
    report(sidecar.path, `${what}; \`sessions retrieve ${id} ${left[0]?.toolUseId}\` prints the first`);
  }
  if (missing.length > 0) {
    const what = `${missing.length} markers remain: neither the sidecar nor the archive has their results`;
    report(path, `${what}; the store that flattened it may have it, or a backup of the log`);
  }
  for (const copy of copies) {
    report(
      copy,
      `this copy of the log still needs the sidecar, which stays; \`sessions unflatten\` with this path`,
    );
  }
  return problems;
}

function nothingReadable(id: string, { path }: SidecarFile, damage: string): UserError {
  return new UserError(
    `Cannot unflatten session ${id}: its sidecar ${JSON.stringify(path)} is damaged (${damage}), and the archive has none of its blocks; nothing was changed`,
    {
      exitCode: exitCodes.broken,
      hint: "put a backup of the sidecar in its place; `sessions verify` says what else is damaged",
    },
  );
}

/** The error for a block that was readable a moment ago. The log is replaced as a whole or not at all. */
function damageFound(error: unknown, { id }: LogFiles): unknown {
  if (!(error instanceof ArchiveDamage)) return error;
  return new UserError(`Cannot unflatten session ${id}: ${error.what}; nothing was changed`, {
    exitCode: exitCodes.broken,
    hint: "`sessions verify` says what is damaged",
    cause: error,
  });
}
