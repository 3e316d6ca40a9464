import { dirname } from "node:path";
import { changesNothing, plannedSize } from "../../core/shrink/rewrite-plan.ts";
import { formatOf } from "../../formats/formats.ts";
import { openSidecar } from "../../store/flat/open-sidecar.ts";
import { sidecarPath } from "../../store/flat/sidecar.ts";
import { removeQuietly } from "../../store/lock-record.ts";
import type { Library } from "../library.ts";
import { projectOfLog } from "../project-of-log.ts";
import type { SessionPointer } from "../session-pointers.ts";
import { withStore } from "../with-store.ts";
import { writableFiles } from "./compact-session.ts";
import { type FlattenAnswer, type FlattenOptions, tokensOf } from "./flatten-session.ts";
import { takeSnapshot } from "./log-snapshot.ts";
import { planUnflatten } from "./plan-unflatten.ts";
import { recoverShrinking } from "./recover-shrinking.ts";
import { rewriteSession } from "./rewrite-session.ts";

export interface UnflattenAnswer extends FlattenAnswer {
  /** The session was flattened. */
  readonly wasFlat: boolean;
  /** What was there when it was flattened is there again, byte for byte. False where an agent has changed old lines. */
  readonly isExact: boolean;
}

/** Puts everything back that was moved out of a session's log, and removes the sidecar. */
export function unflattenSession(
  library: Library,
  pointer: SessionPointer,
  options: Omit<FlattenOptions, "wish" | "fork">,
): Promise<UnflattenAnswer> {
  const files = writableFiles(library, pointer);
  const run = async (): Promise<UnflattenAnswer> => {
    const { disk, places } = library;
    const path = files.files[0]?.path ?? "";
    const snapshot = takeSnapshot(library, path);
    const sidecar = openSidecar(disk, sidecarPath(places.flat, files));
    const resume = formatOf(files.agent).resume({
      ...{ id: files.id, project: projectOfLog(library, files), source: path },
    });
    const answer: UnflattenAnswer = {
      ...{
        agent: files.agent,
        id: files.id,
        dryRun: options.dryRun === true,
        wasFlat: sidecar !== undefined,
      },
      ...{ blocks: 0, diskBytesSaved: 0, contextTokensSaved: 0, contextTokensTotal: 0, isExact: true },
      ...{ sidecar: sidecar?.path ?? null, archive: null, backup: null, fork: null, resume },
    };
    if (sidecar === undefined) return answer;
    const planned = planUnflatten(snapshot, sidecar);
    const { plan, blocks, isExact } = planned;
    const diskBytesSaved = snapshot.mark.size - plannedSize(plan);
    const would = {
      ...answer,
      blocks,
      isExact,
      diskBytesSaved,
      ...(await tokensOf(library, files, snapshot, planned, options)),
    };
    if (would.dryRun) return would;
    const done = changesNothing(plan)
      ? undefined
      : await rewriteSession(library, files, snapshot, plan, options);
    // Only now: until the log has it all again, the sidecar is needed.
    removeQuietly(disk, sidecar.path);
    disk.fsyncFolder(dirname(sidecar.path));
    return { ...would, sidecar: null, archive: done?.archive ?? null, backup: done?.generation ?? null };
  };
  if (options.dryRun === true) return run();
  return withStore(library, options.locking, () => {
    recoverShrinking(library);
    return run();
  });
}
