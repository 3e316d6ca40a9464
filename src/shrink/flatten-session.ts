import { actionsOf, agentsThat } from "../agents/actions.ts";
import type { LogFiles, ResumeCommand } from "../agents/agent.ts";
import type { Fork } from "../agents/agent-actions.ts";
import { agentNamed } from "../agents/agents.ts";
import type { BulkyFinder, BulkyOptions } from "../agents/bulky-block.ts";
import { type LogSnapshot, plannedChunks, readPlanned, takeSnapshot } from "../agents/log-snapshot.ts";
import { projectOfLog } from "../agents/session-of-log.ts";
import { identifyAgain } from "../archive/log-identity.ts";
import { exitCodes, UserError } from "../errors.ts";
import type { Library } from "../fs/library.ts";
import { withStore } from "../fs/store.ts";
import { rawLines } from "../jsonl/lines.ts";
import { changesNothing, plannedSize, type RewritePlan, rewrittenBytes } from "../jsonl/rewrite-plan.ts";
import { logSelector } from "../render/words.ts";
import type { SessionPointer } from "../search/session-pointers.ts";
import type { LogKey, Session, SessionName, Step } from "../session/session.ts";
import { sessionContext } from "../session/session-context.ts";
import { type Forked, type ForkNames, type ForkOptions, prepareFork, writeFork } from "./fork-session.ts";
import { openSidecar, type Sidecar } from "./open-sidecar.ts";
import { giveOwnSidecar } from "./own-sidecar.ts";
import { type PastLog, pastLogs } from "./past-logs.ts";
import { type FlattenPlan, planFlatten, ruleFor } from "./plan-flatten.ts";
import { planUnflatten } from "./plan-unflatten.ts";
import { refuseLive } from "./refuse-live.ts";
import { firstReadableSidecar, hasMarkers, relativesOf } from "./relatives.ts";
import { type RewriteOptions, rewriteSession } from "./rewrite-session.ts";
import { sidecarPath, withSidecar, writeSidecar } from "./sidecar.ts";
import { withDraft } from "./with-draft.ts";
import { writableFiles } from "./writable-files.ts";

export interface FlattenOptions extends RewriteOptions {
  readonly rule: BulkyOptions;
  readonly dryRun?: boolean | undefined;
  readonly fork?: ForkNames | undefined;
  /** Counts the tokens of a session's context; absent: they are estimated. */
  readonly countTokens?: CountTokens | undefined;
}

export type CountTokens = (
  library: Library,
  files: LogFiles,
  session: Session,
  chunks: () => Iterable<Uint8Array>,
) => Promise<number>;

export interface FlattenAnswer extends SessionName {
  /** The log, and the other logs with its id. */
  readonly source: string;
  readonly otherCopies: readonly string[];
  readonly dryRun: boolean;
  /** Moved by this run, or put back by it. */
  readonly blocks: number;
  /** Less than 0 if the log has grown. */
  readonly diskBytesSaved: number;
  readonly contextTokensSaved: number;
  /** Before it was done. */
  readonly contextTokensTotal: number;
  readonly sidecar: string | null;
  readonly archive: string | null;
  /** The generation with the earlier bytes. */
  readonly backup: number | null;
  readonly fork: { readonly id: string; readonly path: string } | null;
  readonly resume: ResumeCommand;
}

/** Moves bulky tool results out of a session's log into a sidecar. `unflattenSession` restores the identical bytes. */
export function flattenSession(
  library: Library,
  pointer: SessionPointer,
  options: FlattenOptions,
): Promise<FlattenAnswer> {
  const selected = writableFiles(library, pointer);
  const makeFinder = finderOf(selected);
  const run = async (files: LogFiles): Promise<FlattenAnswer> => {
    const { disk, places } = library;
    const path = files.files[0]?.path ?? "";
    const snapshot = takeSnapshot(library, path);
    const resume = (id: string, source: string): ResumeCommand =>
      agentNamed(files.agent).resume({ id, project: projectOfLog(library, files), source });
    const flat = sidecarPath(places.flat, files);
    const before = openSidecar(disk, flat);
    if (before !== undefined && before.damage !== null && options.fork === undefined)
      throw damagedSidecar(
        { id: files.id, source: path, otherCopies: pointer.others },
        before.path,
        before.damage,
      );
    const isCopy = before === undefined && hasMarkers(snapshot.chunks());
    const isRewrite = options.dryRun !== true && options.fork === undefined;
    if (isRewrite) {
      const { pid } = options.locking.processes;
      refuseLive(library, files, snapshot, { force: options.force === true, pid });
    }
    // A copy of a flattened log first gets its own sidecar, with everything that the original's sidecar has for it.
    const own =
      isCopy && isRewrite ? (await giveOwnSidecar(library, files, snapshot, options)).sidecar : before;
    const sidecar =
      own ?? (isCopy ? firstReadableSidecar(library, relativesOf(library, files, snapshot)) : undefined);
    if (options.fork !== undefined && options.dryRun !== true) {
      const forked = await flattenFork(library, files, snapshot, sidecar, {
        names: options.fork,
        markdown: options.markdown,
        rule: options.rule,
        makeFinder,
      });
      const tokens = await contextChange(library, files, snapshot, forked.plan, options);
      const { fork, blocks, diskBytesSaved, sidecar: made } = forked;
      return {
        agent: files.agent,
        id: files.id,
        source: path,
        otherCopies: pointer.others,
        dryRun: false,
        blocks,
        diskBytesSaved,
        ...tokens,
        sidecar: made,
        archive: null,
        backup: null,
        fork,
        resume: resume(fork.id, fork.path),
      };
    }
    const count = contextCounter(library, files, snapshot, options);
    // Before planning, while the most memory is free for a session.
    const total = await count(undefined);
    const rule = ruleFor(sidecar, options.rule);
    const planned = planFlatten(snapshot, files.id, sidecar, makeFinder, rule);
    const { plan, blocks } = planned;
    const isLeft = options.dryRun === true || changesNothing(plan);
    if (isLeft) planned.builder.clear();
    const finish = async (): Promise<FlattenAnswer> => {
      const left = changesNothing(plan) ? total : await count(plan);
      const answer: FlattenAnswer = {
        agent: files.agent,
        id: files.id,
        source: path,
        otherCopies: pointer.others,
        dryRun: options.dryRun === true,
        blocks,
        diskBytesSaved: snapshot.mark.size - plannedSize(plan),
        contextTokensSaved: total - left,
        contextTokensTotal: total,
        sidecar: own?.path ?? null,
        archive: null,
        backup: null,
        fork: null,
        resume: resume(files.id, path),
      };
      if (isLeft) return answer;
      const { archive, generation } = await rewriteSession(library, files, snapshot, plan, options);
      return { ...answer, sidecar: flat, archive, backup: generation };
    };
    if (isLeft) return finish();
    const log = { path: snapshot.realPath, inode: snapshot.mark.inode };
    // The sidecar first: writing it frees what was collected for it, which makes room for the session.
    return withSidecar(library, log, {
      isNew: own === undefined,
      sidecar: () => writeSidecar(library, files, path, planned),
      log: finish,
    });
  };
  if (options.dryRun === true) return run(selected);
  return withStore(library, options.locking, () => run(identifyAgain(library, selected)));
}

function finderOf({ agent }: LogFiles): (options: BulkyOptions) => BulkyFinder {
  const { flattening } = actionsOf(agent);
  if (flattening !== undefined) return flattening.finder;
  throw new UserError(
    `Cannot flatten: logs of ${agentNamed(agent).displayName} are only read, never changed`,
    {
      exitCode: exitCodes.wrongUsage,
      hint: `flatten works on sessions of ${agentsThat("flattening")
        .map(({ agent: each }) => each.displayName)
        .join(" and ")}`,
    },
  );
}

function damagedSidecar(
  log: Pick<FlattenAnswer, "id" | "source" | "otherCopies">,
  path: string,
  damage: string,
): UserError {
  return new UserError(
    `Cannot flatten session ${log.id}: its sidecar ${JSON.stringify(path)} is damaged (${damage})`,
    {
      exitCode: exitCodes.broken,
      hint: `\`sessions unflatten ${logSelector(log)}\` puts back what can be, from the archive too; then flatten it again`,
    },
  );
}

interface ContextChange {
  readonly contextTokensSaved: number;
  readonly contextTokensTotal: number;
}

/** Returns the context tokens before the plan, and how many it saves. */
export async function contextChange(
  library: Library,
  files: LogFiles,
  snapshot: LogSnapshot,
  plan: RewritePlan,
  options: Pick<FlattenOptions, "countTokens">,
): Promise<ContextChange> {
  const count = contextCounter(library, files, snapshot, options);
  const total = await count(undefined);
  const left = changesNothing(plan) ? total : await count(plan);
  return { contextTokensSaved: total - left, contextTokensTotal: total };
}

/**
 * Counts the tokens of the present context, or of the context after a plan. Two sessions of a long log are never in
 * memory together.
 */
function contextCounter(
  library: Library,
  files: LogFiles,
  snapshot: LogSnapshot,
  { countTokens }: Pick<FlattenOptions, "countTokens">,
): (plan: RewritePlan | undefined) => Promise<number> {
  return async (plan) => {
    const session = readPlanned(library, files, snapshot, plan);
    return countTokens === undefined
      ? contextTokens(session)
      : countTokens(library, files, session, () => plannedChunks(snapshot, plan));
  };
}

/** Tokens that the agent would load if the session were resumed: about four characters each. */
function contextTokens(session: Session): number {
  let characters = 0;
  for (const item of sessionContext(session))
    characters += item.kind === "request" ? item.text.length : stepCharacters(item.step);
  return Math.floor(characters / 4);
}

function stepCharacters(step: Step): number {
  switch (step.kind) {
    case "thinking":
      return step.chars;
    case "tool":
      return step.call.inputChars + (step.call.result?.chars ?? 0);
    case "reply":
    case "summary":
    case "note":
      return step.text.length;
  }
}

interface FlattenForkOptions extends ForkOptions {
  readonly rule: BulkyOptions;
  readonly makeFinder: (options: BulkyOptions) => BulkyFinder;
}

interface FlattenedFork {
  readonly fork: Forked;
  readonly sidecar: string | null;
  readonly blocks: number;
  readonly diskBytesSaved: number;
  /** The plan in terms of the log itself. */
  readonly plan: RewritePlan;
}

/**
 * Writes a flattened copy as a new session with its own sidecar: its lines differ from the original's, and so do the
 * lines that unflattening restores.
 */
async function flattenFork(
  library: Library,
  files: LogFiles,
  snapshot: LogSnapshot,
  sidecar: Sidecar | undefined,
  { rule, makeFinder, ...options }: FlattenForkOptions,
): Promise<FlattenedFork> {
  const archived = (): Iterable<PastLog> =>
    pastLogs(library, [files, ...relativesOf(library, files, snapshot)]);
  const whole = planUnflatten(files.agent, snapshot, { sidecar, archived }).plan;
  const fork = prepareFork(library, files, snapshot, options);
  const content = fork.content(() => rawLines(rewrittenBytes(whole, snapshot.chunks())));
  const path = sidecarPath(library.places.flat, nameOf(files, fork));
  const { flat, written } = await withDraft(library, path, content, async (draft) => {
    const plan = planFlatten(draft, fork.id, undefined, makeFinder, rule);
    return { flat: plan, written: await writeFlattened(library, files, snapshot, fork, draft, plan) };
  });
  return {
    ...written,
    blocks: flat.blocks,
    diskBytesSaved: flat.original.size - plannedSize(flat.plan),
    plan: planFlatten(snapshot, files.id, sidecar, makeFinder, rule).plan,
  };
}

async function writeFlattened(
  library: Library,
  files: LogFiles,
  snapshot: LogSnapshot,
  fork: Fork,
  draft: LogSnapshot,
  flat: FlattenPlan,
): Promise<Pick<FlattenedFork, "fork" | "sidecar">> {
  const log = (): Forked =>
    writeFork(library, files, snapshot, fork, rewrittenBytes(flat.plan, draft.chunks()));
  if (flat.builder.isEmpty) return { fork: log(), sidecar: null };
  const name = nameOf(files, fork);
  const written = await withSidecar(
    library,
    { path: fork.path, inode: undefined },
    { isNew: true, sidecar: () => writeSidecar(library, name, fork.path, flat), log },
  );
  return { fork: written, sidecar: sidecarPath(library.places.flat, name) };
}

/** The name of a fork in the store. */
function nameOf({ agent }: LogFiles, { id }: Fork): LogKey {
  return { agent, id, copy: null };
}
