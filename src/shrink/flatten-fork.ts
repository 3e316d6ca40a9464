import { basename, dirname } from "node:path";
import type { SessionFiles } from "../agents/agent.ts";
import type { BulkyFinder, BulkyOptions } from "../agents/bulky-block.ts";
import type { Fork } from "../agents/fork.ts";
import { type LogSnapshot, takeSnapshot } from "../agents/log-snapshot.ts";
import { diskError, errorCode } from "../fs/disk-error.ts";
import type { Library } from "../fs/library.ts";
import { removeQuietly } from "../fs/lock-record.ts";
import { makeFolders } from "../fs/make-folders.ts";
import { tempPathFor, writeTempFile } from "../fs/temp-file.ts";
import { rawLines } from "../jsonl/raw-lines.ts";
import { plannedSize, type RewritePlan, rewrittenBytes } from "../jsonl/rewrite-plan.ts";
import { type ArchivedLog, archivedLogs } from "./archived-logs.ts";
import { type Forked, type ForkOptions, prepareFork, writeFork } from "./fork-session.ts";
import { openJournal } from "./journal.ts";
import type { Sidecar } from "./open-sidecar.ts";
import { withSidecar, writeSidecar } from "./pending-sidecar.ts";
import { type FlattenPlan, planFlatten } from "./plan-flatten.ts";
import { planUnflatten } from "./plan-unflatten.ts";
import { sidecarPath } from "./sidecar.ts";

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
  readonly plan: RewritePlan;
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
  const archived = (): Iterable<ArchivedLog> => archivedLogs(library, files);
  const whole = planUnflatten(files.agent, snapshot, { sidecar, archived }).plan;
  const fork = prepareFork(library, files, snapshot, options);
  const content = fork.content(() => rawLines(rewrittenBytes(whole, snapshot.chunks())));
  const { flat, written } = await withDraft(library, fork.path, content, async (draft) => {
    const plan = planFlatten(draft, fork.id, undefined, makeFinder(wish), wish);
    return { flat: plan, written: await writeFlattened(library, files, snapshot, fork, draft, plan) };
  });
  return {
    ...written,
    blocks: flat.blocks,
    diskBytesSaved: flat.original.size - plannedSize(flat.plan),
    plan: planFlatten(snapshot, files.id, sidecar, makeFinder(wish), wish).plan,
  };
}

/**
 * Writes the copy as it would be without being flattened into a file beside its place, for as long as it is needed: it
 * can be made only once, and does not fit into memory.
 */
async function withDraft<T>(
  library: Library,
  path: string,
  content: Iterable<Uint8Array>,
  use: (draft: LogSnapshot) => Promise<T>,
): Promise<T> {
  const { disk, places } = library;
  makeFolders(disk, dirname(path));
  const draft = tempPathFor(path);
  const journal = openJournal(disk, places.rewrites, {
    ...{ path, temps: [basename(draft)], old: null, plannedTo: 0, made: 0, inode: null, round: 0 },
  });
  try {
    writeTempFile(disk, path, content, { mode: 0o600, path: draft });
    return await use(takeSnapshot(library, draft));
  } catch (error) {
    throw errorCode(error) === undefined ? error : diskError("write", path, error);
  } finally {
    removeQuietly(disk, draft);
    journal.close();
  }
}

async function writeFlattened(
  library: Library,
  files: SessionFiles,
  snapshot: LogSnapshot,
  fork: Fork,
  draft: LogSnapshot,
  flat: FlattenPlan,
): Promise<Pick<FlattenedFork, "fork" | "sidecar">> {
  const log = (): Forked =>
    writeFork(library, files, snapshot, fork, rewrittenBytes(flat.plan, draft.chunks()));
  if (flat.builder.isEmpty) return { fork: log(), sidecar: null };
  const name = { agent: files.agent, id: fork.id };
  const written = await withSidecar(
    library,
    { path: fork.path, inode: undefined },
    { isNew: true, sidecar: () => writeSidecar(library, name, fork.path, flat), log },
  );
  return { fork: written, sidecar: sidecarPath(library.places.flat, name) };
}
