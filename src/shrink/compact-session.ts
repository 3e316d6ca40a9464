import { actionsOf } from "../agents/actions.ts";
import type { LogFiles, ResumeCommand } from "../agents/agent.ts";
import type {
  CompactionOptions,
  CompactionPlan,
  Compactor,
  ShrunkRecords,
  TokenChange,
} from "../agents/agent-actions.ts";
import { agentNamed } from "../agents/agents.ts";
import { takeSnapshot } from "../agents/log-snapshot.ts";
import { projectOfLog } from "../agents/session-of-log.ts";
import { identifyAgain } from "../archive/log-identity.ts";
import { exitCodes, UserError } from "../errors.ts";
import type { Library } from "../fs/library.ts";
import { withStore } from "../fs/store.ts";
import { changesNothing, keepsEverything, plannedSize } from "../jsonl/rewrite-plan.ts";
import type { SessionPointer } from "../search/session-pointers.ts";
import type { SessionName } from "../session/session.ts";
import { type ForkNames, forkSession } from "./fork-session.ts";
import { refuseLive } from "./refuse-live.ts";
import { type RewriteOptions, rewriteSession } from "./rewrite-session.ts";
import { writableFiles } from "./writable-files.ts";

export interface CompactOptions extends RewriteOptions {
  readonly rule: CompactionOptions;
  readonly dryRun?: boolean | undefined;
  /** Leave the session unchanged, and write the shrunk copy as a new one. */
  readonly fork?: ForkNames | undefined;
}

export interface CompactAnswer extends SessionName, Pick<CompactionPlan, "before" | "after" | "shrunk"> {
  /** The log, and the other logs with its id. */
  readonly source: string;
  readonly otherCopies: readonly string[];
  readonly records: ShrunkRecords;
  readonly dryRun: boolean;
  /** Tokens that the agent loads; `before` and `after` may also count what it does not, as in Claude Code. */
  readonly context: TokenChange;
  /** Why there was nothing to do; null if there was something. */
  readonly nothing: string | null;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  /** Whether everything that the log had is still in it: then there is nothing to restore. */
  readonly isAppended: boolean;
  /** The readable copy, or else the folder of the bytes; and the generation with the earlier bytes. */
  readonly archive: string | null;
  readonly backup: number | null;
  readonly bak: string | null;
  /** The new session, if one was made. */
  readonly fork: { readonly id: string; readonly path: string } | null;
  /** The command that resumes the result. */
  readonly resume: ResumeCommand;
}

/** Makes a session smaller by its agent's own rules. Nothing is lost: its bytes are archived first. */
export function compactSession(
  library: Library,
  pointer: SessionPointer,
  options: CompactOptions,
): Promise<CompactAnswer> {
  const selected = writableFiles(library, pointer);
  const compaction = compactionOf(selected);
  const run = async (files: LogFiles): Promise<CompactAnswer> => {
    const path = files.files[0]?.path ?? "";
    const snapshot = takeSnapshot(library, path);
    // First of all, because a session in use is refused even if there is nothing to do.
    if (options.dryRun !== true && options.fork === undefined) {
      const { pid } = options.locking.processes;
      refuseLive(library, files, snapshot, { force: options.force === true, pid });
    }
    const planned = compaction.plan({ library, files, snapshot, options: options.rule });
    const { before, after, shrunk, nothing, plan } = planned;
    const project = projectOfLog(library, files);
    const resume = (id: string, source: string): ResumeCommand =>
      agentNamed(files.agent).resume({ id, project, source });
    const answer: CompactAnswer = {
      agent: files.agent,
      id: files.id,
      source: path,
      otherCopies: pointer.others,
      dryRun: options.dryRun === true,
      before,
      after,
      shrunk,
      records: planned.records ?? { lines: 0, bytes: 0 },
      context: planned.context ?? { before: before.total, after: after.total },
      nothing,
      bytesBefore: snapshot.mark.size,
      bytesAfter: plannedSize(plan),
      isAppended: keepsEverything(plan),
      archive: null,
      backup: null,
      bak: null,
      fork: null,
      resume: resume(files.id, path),
    };
    if (answer.dryRun || nothing !== null || (changesNothing(plan) && options.fork === undefined))
      return answer;
    if (options.fork !== undefined) {
      const fork = forkSession(library, files, snapshot, plan, { ...options, names: options.fork });
      return { ...answer, fork, resume: resume(fork.id, fork.path) };
    }
    const done = await rewriteSession(library, files, snapshot, plan, options);
    const { archive, generation, bytesAfter, bak } = done;
    return { ...answer, archive, backup: generation, bytesAfter, bak };
  };
  if (options.dryRun === true) return run(selected);
  return withStore(library, options.locking, () => run(identifyAgain(library, selected)));
}

function compactionOf({ agent }: LogFiles): Compactor {
  const { compaction } = actionsOf(agent);
  if (compaction !== undefined) return compaction;
  throw new UserError(
    `Cannot compact: logs of ${agentNamed(agent).displayName} are only read, never changed`,
    {
      exitCode: exitCodes.wrongUsage,
      hint: "`sessions archive` keeps them, and `sessions search` finds what is in them",
    },
  );
}
