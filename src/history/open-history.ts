import { UserError } from "../errors.ts";
import { nodeProcesses } from "../fs/processes.ts";
import type { Locking } from "../fs/store.ts";
import type { SelectOptions } from "../search/select-sessions.ts";
import type { SessionCatalog } from "../search/session-catalog.ts";
import { sessionKey } from "../session/session.ts";
import type { RewriteOptions } from "../shrink/rewrite-session.ts";
import { abortable, copiesToTake, pauseOf, wordsOf } from "./call-options.ts";
import { countAgents } from "./count-agents.ts";
import { readFilters, readRequest } from "./filters.ts";
import type {
  AnyCallOptions,
  History,
  RewriteCallOptions,
  SelectedOptions,
  SelectedSession,
  Selector,
} from "./history.ts";
import { type Machine, type OpenStore, openStore } from "./open-store.ts";
import type { Writing } from "./writing.ts";

export interface HistoryOptions extends Machine {
  /** Returns secrets unmasked. */
  readonly reveal?: boolean;
  /** Called while another process holds the store. */
  readonly onWait?: Locking["onWait"];
  /** Ids of forks; random by default. */
  readonly uuid?: () => string;
}

/** A history with the parts that it is made of, for the integrations of this program. */
export interface OpenHistory extends History, OpenStore {
  /** What calls that write to the store need. */
  writing(): Promise<Writing>;
}

/** Of all projects of the example history. */
const DEMO_FOLDER = "/home/ana";

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Opens the history of a machine's coding agents: their logs, and this program's store. Every call loads only the code
 * that it needs.
 */
export async function openHistory(options: HistoryOptions): Promise<OpenHistory> {
  const { processes = nodeProcesses, managedFolder = "/etc/claude-code" } = options;
  const { library, access } = await openStore(options);
  const { createMask } = await import("./masking.ts");
  const mask = options.reveal === true ? <T>(value: T): T => value : createMask(library.config);
  // In the example history `--project .` means all of it.
  const machineName = library.config.machine ?? processes.host;
  const machine = { ...options, machineName, ...(library.demo ? { folder: DEMO_FOLDER } : {}) };
  const uuid = options.uuid ?? ((): string => crypto.randomUUID());
  const writing = async (): Promise<Writing> => {
    const { writingTo } = await import("./writing.ts");
    return writingTo(library, processes, options.onWait);
  };
  const catalog = async <T>(
    call: AnyCallOptions,
    use: (all: SessionCatalog) => T | Promise<T>,
  ): Promise<T> => {
    const { withCatalog } = await import("../search/session-catalog.ts");
    return withCatalog(library, abortable(access, call), use);
  };
  /** `last` is the newest by the times in the logs, which the index knows. */
  const endTimes = async (selector: Selector, call: AnyCallOptions): Promise<SelectOptions["endedAt"]> =>
    wordsOf(selector).some((word) => word === "last" || word === "current")
      ? catalog(
          call,
          ({ rows }) => new Map(rows.map(({ digest }) => [sessionKey(digest), digest.endedAt ?? 0])),
        )
      : undefined;
  const selecting = async (
    selector: Selector,
    call: SelectedOptions & { readonly forWriting?: boolean },
  ): Promise<SelectOptions> => ({ ...copiesToTake(call), endedAt: await endTimes(selector, call) });
  const pointTo = async (
    selector: Selector | SelectedSession,
    call: SelectedOptions & { readonly forWriting?: boolean },
  ): Promise<SelectedSession> => {
    if (typeof selector === "object" && "key" in selector) return selector;
    const { selectSession } = await import("../search/select-sessions.ts");
    return selectSession(library, wordsOf(selector), await selecting(selector, call));
  };
  const rewrite = async <T>(
    selector: Selector | SelectedSession,
    call: RewriteCallOptions,
    work: (pointer: SelectedSession, how: RewriteOptions) => Promise<T>,
  ): Promise<T> => {
    const pointer = await pointTo(selector, { ...call, forWriting: true });
    const { readyToRewrite } = await import("./writing.ts");
    await readyToRewrite(library, pointer, processes, call);
    return work(pointer, { ...(await writing()), force: call.force, bak: call.bak });
  };
  const countTokens = async (isExact: boolean | undefined) =>
    isExact === true ? (await import("./exact-tokens.ts")).exactTokens(options.env) : undefined;
  const fork = (isFork: boolean | undefined) => (isFork === true ? { uuid } : undefined);

  const history: History = {
    demo: library.demo,
    mask,

    async search(query, call = {}) {
      const [result] = await history.searchAll([readRequest(query, call, machine)], call);
      if (result !== undefined) return result;
      throw new Error("A search has no result");
    },
    async searchAll(requests, call = {}) {
      const { searchSessions } = await import("../search/search-sessions.ts");
      const reach = { ...abortable(access, call), skipRefresh: call.skipRefresh === true };
      return mask(await searchSessions(library, reach, requests));
    },
    async searcher(call = {}) {
      const { openHistorySearcher } = await import("./open-searcher.ts");
      return openHistorySearcher(library, abortable(access, call), mask, machine);
    },
    async list({ filter = {}, words = [], ...call } = {}) {
      const { listSessions } = await import("../search/session-catalog.ts");
      const reach = { ...abortable(access, call), skipRefresh: call.skipRefresh === true };
      const found = await listSessions(library, reach, {
        ...call,
        filter: readFilters(filter, words, machine),
      });
      return { ...found, rows: mask(found.rows) };
    },
    async projects({ filter = {}, offset = 0, limit, ...call } = {}) {
      const { countProjects } = await import("../search/list-projects.ts");
      const { rows, coverage } = await history.list({ ...call, filter });
      const all = countProjects(rows);
      const end = limit === undefined ? all.length : offset + limit;
      return { total: all.length, projects: all.slice(offset, end), coverage };
    },
    async indexed({ signal } = {}) {
      signal?.throwIfAborted();
      const { sessionLabels } = await import("./session-labels.ts");
      return mask(await sessionLabels(access));
    },
    async stats({ filter = {}, ...call } = {}) {
      const { sessionStats } = await import("./session-stats.ts");
      const { offsetMinutesAt = () => 0 } = options;
      const { prices } = library.config;
      return catalog(call, async (all) => {
        const stats = await sessionStats(all, readFilters(filter, [], machine), { prices, offsetMinutesAt });
        return { ...mask(stats), coverage: all.coverage };
      });
    },
    async session(selector, call = {}) {
      call.signal?.throwIfAborted();
      const { openSession } = await import("../search/open-session.ts");
      try {
        const open = openSession(library, wordsOf(selector), await selecting(selector, call));
        if (call.clean !== true) return mask(open);
        const { cleanSession } = await import("../search/export-session.ts");
        return cleanSession(open, mask);
      } catch (error) {
        const [word = "", ...others] = wordsOf(selector);
        if (!(error instanceof UserError) || others.length > 0) throw error;
        const { onlyInIndex } = await import("../search/only-in-index.ts");
        throw (await onlyInIndex(library, access.engine, word)) ?? error;
      }
    },
    async select(selector, call = {}) {
      const { selectSessions } = await import("../search/select-sessions.ts");
      return selectSessions(library, wordsOf(selector), await selecting(selector, call));
    },
    async files(pattern, { filter = {}, written = false, limit, ...call } = {}) {
      const { fileHistory } = await import("../search/session-catalog.ts");
      return catalog(call, async (all) => {
        const found = await fileHistory(all, pattern, { filter: readFilters(filter, [], machine), written });
        return { total: found.length, sessions: mask(found.slice(0, limit)), coverage: all.coverage };
      });
    },
    async pending({ filter = {}, everywhere = false, todos = false, limit, ...call } = {}) {
      const { openWork } = await import("./open-work.ts");
      const isEverywhere = everywhere || (filter.project ?? []).length > 0 || library.demo;
      const folder = isEverywhere ? undefined : (options.folder ?? options.home);
      return catalog(call, async (all) => {
        const { project, sessions } = await openWork(all, readFilters(filter, [], machine), {
          folder,
          todos,
        });
        return { total: sessions.length, project, sessions: mask(sessions.slice(0, limit)) };
      });
    },
    async *grep(pattern, call = {}) {
      const { grepHistory } = await import("./grep-history.ts");
      yield* grepHistory({ library, access, mask, options: machine }, pattern, call);
    },
    async overview({ newest = 5, ...call } = {}) {
      const { pendingWork } = await import("../search/pending-work.ts");
      const { retentionStatus } = await import("../retention/retention-status.ts");
      const { guardProgress } = await import("../retention/guard.ts");
      return catalog(call, ({ rows, coverage }) => {
        const whole = rows.filter(({ state }) => state !== "stub");
        return {
          agents: countAgents(whole),
          newest: mask(whole.slice(0, newest)),
          coverage,
          pendingSessions: pendingWork(rows).length,
          archiving: library.demo ? null : (guardProgress(library, processes) ?? null),
          retention: library.demo ? [] : mask(retentionStatus(library, { rows, managedFolder })),
        };
      });
    },
    async resume(selector, call = {}) {
      const { openSession } = await import("../search/open-session.ts");
      const options = await selecting(selector, call);
      const { session, resume, state, ...open } = openSession(library, wordsOf(selector), options);
      const { source, others, part } = mask({ source: open.source, others: open.others, part: open.part });
      return { agent: session.agent, id: session.id, resume, state, source, others, part };
    },
    async export(selector, call) {
      call.signal?.throwIfAborted();
      const { exportSession } = await import("../search/export-session.ts");
      const options = await selecting(selector, call);
      return exportSession(library, wordsOf(selector), { ...options, format: call.format, mask });
    },
    async exportSite({ folder, clientFolder, filter = {}, words = [], query, onProgress, ...call }) {
      const { readClient, writeSite } = await import("../site/write-site.ts");
      const { foundKeys } = await import("./found-keys.ts");
      const answer = await writeSite(library, abortable(access, call), {
        folder,
        filter: readFilters(filter, words, machine),
        keys: await foundKeys(history.search, query, { filter, ...call }),
        mask,
        client: readClient(library, clientFolder),
        pause: pauseOf(call),
        ...(onProgress && { onProgress }),
      });
      return mask(answer);
    },
    async summary(selector, call = {}) {
      call.signal?.throwIfAborted();
      const { summarizeSession } = await import("../shrink/summarize-session.ts");
      const { format, continuation = false, branch } = call;
      return summarizeSession(library, wordsOf(selector), {
        ...(await selecting(selector, call)),
        format,
        continuation,
        branch,
        mask,
      });
    },
    async retrieve(selector, toolUseId, call = {}) {
      const pointer = await pointTo(selector, call);
      const { retrieveMasked } = await import("./retrieve-masked.ts");
      return retrieveMasked(library, pointer, toolUseId, mask);
    },

    async index({ rebuild = false, ...call } = {}) {
      const { tidyIndex, withIndex } = await import("../search/refresh/index-access.ts");
      const { readSessionCatalog } = await import("../search/session-catalog.ts");
      // An index in memory would be of no use here.
      const { inMemory: _, ...kept } = abortable(access, call);
      const answer = await withIndex(
        library,
        { ...kept, patient: true, rebuild },
        async (reader, refreshed) => {
          const { coverage, problems } = await readSessionCatalog(library, reader, refreshed);
          const { read = 0, removed = 0, bytes = 0, rebuilt = null } = refreshed ?? {};
          return { read, removed, bytes, rebuilt, coverage, problems: mask(problems) };
        },
      );
      // With nothing to read, there is time to tidy up.
      if (answer.read === 0) await tidyIndex(library, kept);
      return answer;
    },
    async archive(selector, call = {}) {
      const { archiveSessions } = await import("../archive/archive-sessions.ts");
      const { selectSessions } = await import("../search/select-sessions.ts");
      const { check: thorough = false, onProgress } = call;
      // Of sessions whose log is gone, the archive has everything.
      const sessions =
        selector === undefined
          ? undefined
          : selectSessions(library, wordsOf(selector), {
              ...(await selecting(selector, call)),
              copies: "all",
            })
              .filter(({ kept }) => kept === undefined)
              .map(({ files }) => files);
      const answer = await archiveSessions(library, {
        ...(sessions === undefined ? {} : { sessions }),
        ...(onProgress === undefined ? {} : { onProgress }),
        ...(await writing()),
        thorough,
        pause: pauseOf(call),
      });
      if (selector === undefined) {
        const { sweepLeftovers } = await import("../shrink/sweep-leftovers.ts");
        sweepLeftovers(library);
      }
      return mask(answer);
    },
    async guard({ log, lockTimeoutMs, ...call } = {}) {
      const { guardSessions } = await import("../retention/guard.ts");
      const { locking, markdown } = await writing();
      const timeout = lockTimeoutMs === undefined ? {} : { timeoutMs: lockTimeoutMs };
      return mask(
        await guardSessions(library, {
          ...(log === undefined ? {} : { log }),
          markdown,
          access: abortable(access, call),
          locking: { ...locking, ...timeout },
          pause: pauseOf(call),
        }),
      );
    },
    async restore(selector, call = {}) {
      const { restoreArchived } = await import("./restore-archived.ts");
      const endedAt = await endTimes(selector, call);
      return mask(
        await restoreArchived({ library, writing: await writing(), machineName, endedAt }, selector, call),
      );
    },
    async verify(selector, { everywhere = false, onProgress, ...call } = {}) {
      const { verifyArchive } = await import("../archive/verify-archive.ts");
      const { selectArchived } = await import("../search/select-archived.ts");
      const { checkSidecars } = await import("../shrink/check-sidecars.ts");
      const sessions =
        selector === undefined
          ? undefined
          : selectArchived(library, wordsOf(selector), {
              everywhere,
              endedAt: await endTimes(selector, call),
            });
      const proof = await verifyArchive(library, {
        sessions,
        ...(onProgress === undefined ? {} : { onProgress }),
        pause: pauseOf(call),
      });
      return mask({ ...proof, sidecars: checkSidecars(library, { sessions, blocks: true }) });
    },
    async forgetPreview(selector, call = {}) {
      call.signal?.throwIfAborted();
      const { selectForForgetting } = await import("./select-forgotten.ts");
      const endedAt = await endTimes(selector, call);
      const found = await selectForForgetting(library, access.engine, wordsOf(selector), {
        ...call,
        endedAt,
      });
      const { source, sources, selector: named, flattened } = found;
      return { ...found, ...mask({ source, sources, selector: named, flattened }) };
    },
    async forget(selector, call = {}) {
      const isPreview = typeof selector === "object" && "isIndexed" in selector;
      const preview = isPreview ? selector : await history.forgetPreview(selector, call);
      call.signal?.throwIfAborted();
      const { forgetLogs } = await import("../forget.ts");
      const done = await forgetLogs(library, preview.logs, await writing());
      const { provided, unprovided } = mask({ provided: done.provided, unprovided: done.unprovided });
      return {
        ...preview,
        flattened: [...preview.flattened, ...unprovided],
        provided,
        undoUntil: preview.isIndexed ? null : done.undoUntil,
      };
    },
    async undoForget(selector, call = {}) {
      call.signal?.throwIfAborted();
      const { selectForgotten } = await import("./select-forgotten.ts");
      const { undoForgetLogs } = await import("../forget.ts");
      return undoForgetLogs(library, selectForgotten(library, wordsOf(selector), call), await writing());
    },

    async compact(selector, call = {}) {
      const { compactSession } = await import("../shrink/compact-session.ts");
      const { rules = {}, auto = false, dryRun } = call;
      return mask(
        await rewrite(selector, call, (pointer, how) =>
          compactSession(library, pointer, {
            ...how,
            rule: { ...rules, auto },
            dryRun,
            fork: fork(call.fork),
          }),
        ),
      );
    },
    async flatten(selector, call = {}) {
      const { flattenSession } = await import("../shrink/flatten-session.ts");
      const { minBytes = 1024, copies = true, dryRun } = call;
      const count = await countTokens(call.exactTokens);
      return mask(
        await rewrite(selector, call, (pointer, how) =>
          flattenSession(library, pointer, {
            ...how,
            rule: { minBytes, copies },
            dryRun,
            fork: fork(call.fork),
            countTokens: count,
          }),
        ),
      );
    },
    async unflatten(selector, call = {}) {
      const { unflattenSession } = await import("../shrink/unflatten-session.ts");
      const count = await countTokens(call.exactTokens);
      return mask(
        await rewrite(selector, call, (pointer, how) =>
          unflattenSession(library, pointer, {
            ...how,
            dryRun: call.dryRun,
            countTokens: count,
          }),
        ),
      );
    },
    async matching(words, call = {}) {
      const { matchingSessions } = await import("../shrink/matching-sessions.ts");
      return matchingSessions(library, abortable(access, call), words);
    },

    async retention({ withinDays = 30, settings, ...call } = {}) {
      const { retentionStatus } = await import("../retention/retention-status.ts");
      return catalog(call, ({ rows }) =>
        mask(
          retentionStatus(library, {
            rows,
            managedFolder,
            commandLine: settings,
            withinMs: withinDays * DAY_MS,
          }),
        ),
      );
    },
    async setRetention(days, { dryRun = false, signal } = {}) {
      const { FOREVER_DAYS, retentionFiles } = await import("../retention/set-retention.ts");
      const { changeFiles, planFiles } = await import("../settings/change-files.ts");
      signal?.throwIfAborted();
      const files = retentionFiles(library, days === "forever" ? FOREVER_DAYS : days);
      return dryRun ? planFiles(library, files) : changeFiles(library, files, (await writing()).locking);
    },
  };
  return { ...history, library, access, writing };
}
