import { Buffer } from "node:buffer";
import { plannedSize, rewrittenBytes } from "../../core/shrink/rewrite-plan.ts";
import type { SessionFiles } from "../../formats/format.ts";
import { rawLines } from "../../formats/raw-lines.ts";
import type { BulkyFinder, BulkyOptions } from "../../formats/shrink/bulky-block.ts";
import type { Sidecar } from "../../store/flat/open-sidecar.ts";
import { sidecarPath } from "../../store/flat/sidecar.ts";
import type { Library } from "../library.ts";
import { type ArchivedLog, archivedLogs } from "./archived-logs.ts";
import { type Forked, type ForkOptions, prepareFork, writeFork } from "./fork-session.ts";
import type { LogSnapshot } from "./log-snapshot.ts";
import { withSidecar, writeSidecar } from "./pending-sidecar.ts";
import { type FlattenPlan, planFlatten } from "./plan-flatten.ts";
import { planUnflatten } from "./plan-unflatten.ts";

export interface FlattenForkOptions extends ForkOptions {
  readonly wish: BulkyOptions;
  readonly makeFinder: (options: BulkyOptions) => BulkyFinder;
}

export interface FlattenedFork {
  readonly fork: Forked;
  readonly sidecar: string | null;
  readonly blocks: number;
  readonly diskBytesSaved: number;
  /** What it does to the log itself, were it not left alone. */
  readonly planned: FlattenPlan;
}

/**
 * Writes a flattened copy as a new session, with a sidecar of its own: its lines are others than those of the
 * original, and so is what they are put back to.
 */
export async function flattenFork(
  library: Library,
  files: SessionFiles,
  snapshot: LogSnapshot,
  sidecar: Sidecar | undefined,
  { wish, makeFinder, ...options }: FlattenForkOptions,
): Promise<FlattenedFork> {
  const { size } = snapshot.mark;
  const archived = (): Iterable<ArchivedLog> => archivedLogs(library, files);
  const whole = planUnflatten(files.agent, snapshot, { sidecar, archived }).plan;
  const fork = prepareFork(library, files, snapshot, options);
  const content = Buffer.concat([...fork.content(() => rawLines(rewrittenBytes(whole, snapshot.chunks())))]);
  const flat = planFlatten(rawLines([content]), content.length, fork.id, undefined, makeFinder(wish), wish);
  const name = { agent: files.agent, id: fork.id };
  const isFlat = flat.builder.lines.length > 0;
  const log = (): Forked => writeFork(library, files, snapshot, fork, rewrittenBytes(flat.plan, [content]));
  const written = isFlat
    ? await withSidecar(
        library,
        { path: fork.path, inode: undefined },
        { isNew: true, sidecar: () => writeSidecar(library, name, fork.path, flat), log },
      )
    : log();
  return {
    fork: written,
    sidecar: isFlat ? sidecarPath(library.places.flat, name) : null,
    blocks: flat.blocks,
    diskBytesSaved: content.length - plannedSize(flat.plan),
    planned: planFlatten(rawLines(snapshot.chunks()), size, files.id, sidecar, makeFinder(wish), wish),
  };
}
