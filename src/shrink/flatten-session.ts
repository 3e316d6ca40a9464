import type { ResumeCommand, SessionFiles } from "../agents/agent.ts";
import { formatOf } from "../agents/agents.ts";
import type { BulkyFinder, BulkyOptions } from "../agents/bulky-block.ts";
import { bulkyFinderOf } from "../agents/bulky-finders.ts";
import { contextTokens } from "../agents/context-tokens.ts";
import { type LogSnapshot, logToRewrite, takeSnapshot, withLead } from "../agents/log-snapshot.ts";
import { projectOfLog } from "../agents/project-of-log.ts";
import { plannedChunks, readPlanned } from "../agents/read-planned.ts";
import type { SessionName } from "../archive/archive-store.ts";
import { exitCodes, UserError } from "../errors.ts";
import type { Library } from "../fs/library.ts";
import { withStore } from "../fs/with-store.ts";
import { changesNothing, plannedSize, type RewritePlan } from "../jsonl/rewrite-plan.ts";
import type { SessionPointer } from "../search/session-pointers.ts";
import type { Session } from "../session/session.ts";
import { writableFiles } from "./compact-session.ts";
import { flattenFork } from "./flatten-fork.ts";
import type { ForkNames } from "./fork-session.ts";
import { openSidecar } from "./open-sidecar.ts";
import { withSidecar, writeSidecar } from "./pending-sidecar.ts";
import { planFlatten, ruleFor } from "./plan-flatten.ts";
import { recoverShrinking } from "./recover-shrinking.ts";
import { refuseLive } from "./refuse-live.ts";
import { type RewriteOptions, rewriteSession } from "./rewrite-session.ts";
import { sidecarPath } from "./sidecar.ts";

export interface FlattenOptions extends RewriteOptions {
  readonly wish: BulkyOptions;
  readonly dryRun?: boolean | undefined;
  readonly fork?: ForkNames | undefined;
  /** Asks how many tokens a session's context has; absent: they are estimated. */
  readonly countTokens?: CountTokens | undefined;
}

export type CountTokens = (
  library: Library,
  files: SessionFiles,
  session: Session,
  chunks: () => Iterable<Uint8Array>,
) => Promise<number>;

export interface FlattenAnswer extends SessionName {
  readonly dryRun: boolean;
  /** Moved by this run, or put back by it. */
  readonly blocks: number;
  /** Less than 0 where the log has grown. */
  readonly diskBytesSaved: number;
  readonly contextTokensSaved: number;
  /** Before it was done. */
  readonly contextTokensTotal: number;
  readonly sidecar: string | null;
  readonly archive: string | null;
  /** The generation that has the bytes from before. */
  readonly backup: number | null;
  readonly fork: { readonly id: string; readonly path: string } | null;
  readonly resume: ResumeCommand;
}

/** Moves what is bulky out of a session's log into a sidecar. `unflattenSession` gives the identical bytes back. */
export function flattenSession(
  library: Library,
  pointer: SessionPointer,
  options: FlattenOptions,
): Promise<FlattenAnswer> {
  const files = writableFiles(library, pointer);
  const makeFinder = finderOf(files);
  const run = async (): Promise<FlattenAnswer> => {
    const { disk, places } = library;
    const path = logToRewrite(files, pointer);
    const snapshot = takeSnapshot(library, path);
    const resume = (id: string, source: string): ResumeCommand =>
      formatOf(files.agent).resume({ id, project: projectOfLog(library, files), source });
    const flat = sidecarPath(places.flat, files);
    const sidecar = openSidecar(disk, flat);
    if (sidecar !== undefined && sidecar.damage !== null && options.fork === undefined)
      throw damagedSidecar(files.id, sidecar.path, sidecar.damage);
    if (options.fork !== undefined && options.dryRun !== true) {
      const forked = await flattenFork(library, files, snapshot, sidecar, {
        ...{ names: options.fork, markdown: options.markdown, wish: options.wish, makeFinder },
      });
      const tokens = await tokensOf(library, withLead(files, path), snapshot, forked.plan, options);
      const { fork, blocks, diskBytesSaved, sidecar: made } = forked;
      return {
        ...{ agent: files.agent, id: files.id, dryRun: false, blocks, diskBytesSaved, ...tokens },
        ...{ sidecar: made, archive: null, backup: null, fork, resume: resume(fork.id, fork.path) },
      };
    }
    if (options.dryRun !== true) {
      const { pid } = options.locking.processes;
      refuseLive(library, files, snapshot, { force: options.force === true, pid });
    }
    const rule = ruleFor(sidecar, options.wish);
    const planned = planFlatten(snapshot, files.id, sidecar, makeFinder(rule), rule);
    const { plan, blocks } = planned;
    const isLeft = options.dryRun === true || changesNothing(plan);
    if (isLeft) planned.builder.clear();
    const finish = async (): Promise<FlattenAnswer> => {
      const tokens = await tokensOf(library, withLead(files, path), snapshot, plan, options);
      const answer: FlattenAnswer = {
        ...{ agent: files.agent, id: files.id, dryRun: options.dryRun === true, blocks },
        diskBytesSaved: snapshot.mark.size - plannedSize(plan),
        ...tokens,
        sidecar: sidecar?.path ?? null,
        ...{ archive: null, backup: null, fork: null, resume: resume(files.id, path) },
      };
      if (isLeft) return answer;
      const { archive, generation } = await rewriteSession(library, files, snapshot, plan, options);
      return { ...answer, sidecar: flat, archive, backup: generation };
    };
    if (isLeft) return finish();
    const before = { path: snapshot.realPath, inode: snapshot.mark.inode };
    // The sidecar first: when it is written, what was collected for it is let go, which makes room for the session.
    return withSidecar(library, before, {
      isNew: sidecar === undefined,
      sidecar: () => writeSidecar(library, files, path, planned),
      log: finish,
    });
  };
  if (options.dryRun === true) return run();
  return withStore(library, options.locking, () => {
    recoverShrinking(library);
    return run();
  });
}

export function finderOf({ agent }: SessionFiles): (options: BulkyOptions) => BulkyFinder {
  const finder = bulkyFinderOf(agent);
  if (finder !== undefined) return finder;
  throw new UserError(`Cannot flatten: sessions of ${formatOf(agent).name} are not supported`, {
    exitCode: exitCodes.wrongUsage,
    hint: "flatten works on sessions of Claude Code and Pi",
  });
}

function damagedSidecar(id: string, path: string, damage: string): UserError {
  return new UserError(
    `Cannot flatten session ${id}: its sidecar ${JSON.stringify(path)} is damaged (${damage})`,
    {
      exitCode: exitCodes.broken,
      hint: `\`sessions unflatten ${id}\` puts back what can be, from the archive too; then flatten it again`,
    },
  );
}

export interface ContextChange {
  readonly contextTokensSaved: number;
  readonly contextTokensTotal: number;
}

/** What the plan does to the context, as the agent would load it. */
export async function tokensOf(
  library: Library,
  files: SessionFiles,
  snapshot: LogSnapshot,
  plan: RewritePlan,
  { countTokens }: Pick<FlattenOptions, "countTokens">,
): Promise<ContextChange> {
  // One after the other: two sessions of a long log do not fit into memory.
  const count = async (now: RewritePlan | undefined): Promise<number> => {
    const session = readPlanned(library, files, snapshot, now);
    return countTokens === undefined
      ? contextTokens(session)
      : countTokens(library, files, session, () => plannedChunks(snapshot, now));
  };
  const total = await count(undefined);
  const left = changesNothing(plan) ? total : await count(plan);
  return { contextTokensSaved: total - left, contextTokensTotal: total };
}
