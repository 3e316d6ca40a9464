import { dirname } from "node:path";
import { actionsOf } from "../agents/actions.ts";
import type { LogFiles } from "../agents/agent.ts";
import type { Fork } from "../agents/agent-actions.ts";
import { agentNamed } from "../agents/agents.ts";
import type { LogSnapshot } from "../agents/log-snapshot.ts";
import { readPlanned } from "../agents/log-snapshot.ts";
import { exitCodes, UserError } from "../errors.ts";
import { makeFolders } from "../fs/folders.ts";
import type { Library } from "../fs/library.ts";
import { replaceFile, tempPathFor } from "../fs/replace-file.ts";
import { rawLines } from "../jsonl/lines.ts";
import { type RewritePlan, rewrittenBytes } from "../jsonl/rewrite-plan.ts";
import { openTempJournal } from "./journal.ts";
import { type RewriteOptions, secureLog } from "./rewrite-session.ts";

/** Names for new sessions and their entries. */
export interface ForkNames {
  readonly uuid: () => string;
}

export interface ForkOptions extends Pick<RewriteOptions, "markdown"> {
  readonly names: ForkNames;
}

export interface Forked {
  readonly id: string;
  readonly path: string;
  readonly bytes: number;
}

/**
 * Applies a plan to a log and writes the result as a new session, which its agent lists and can resume at once. The
 * log itself does not change, and may be in use. Requires the store's lock.
 */
export function forkSession(
  library: Library,
  files: LogFiles,
  snapshot: LogSnapshot,
  plan: RewritePlan,
  options: ForkOptions,
): Forked {
  const fork = prepareFork(library, files, snapshot, options);
  const content = fork.content(() => rawLines(rewrittenBytes(plan, snapshot.chunks())));
  return writeFork(library, files, snapshot, fork, content);
}

/** Archives the session and finds names for its copy. */
export function prepareFork(
  library: Library,
  files: LogFiles,
  snapshot: LogSnapshot,
  options: ForkOptions,
): Fork {
  const { fork } = actionsOf(files.agent);
  if (fork === undefined) {
    throw new UserError(`Cannot fork: sessions of ${agentNamed(files.agent).displayName} can't be forked`, {
      exitCode: exitCodes.wrongUsage,
    });
  }
  secureLog(library, files, snapshot, options);
  return fork({
    id: files.id,
    path: snapshot.path,
    title: readPlanned(library, files, snapshot, undefined).title,
    uuid: options.names.uuid,
    now: library.now(),
  });
}

/** Writes the fork; an existing file is never overwritten. */
export function writeFork(
  { disk, places }: Library,
  files: LogFiles,
  snapshot: LogSnapshot,
  { id, path }: Fork,
  content: Iterable<Uint8Array>,
): Forked {
  const mode = disk.stat(snapshot.path)?.mode ?? 0o600;
  makeFolders(disk, dirname(path));
  const temp = tempPathFor(path);
  const journal = openTempJournal(disk, places.rewrites, path, temp);
  try {
    const written = replaceFile(disk, path, content, { mode, exclusive: true, temp });
    if (written.kind === "done") return { id, path, bytes: written.file.size };
    throw new UserError(`Cannot fork session ${files.id}: ${JSON.stringify(path)} exists`, {
      exitCode: exitCodes.refused,
    });
  } finally {
    journal.close();
  }
}
