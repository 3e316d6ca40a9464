import { abortable, pauseOf, wordsOf } from "./call-options.ts";
import type { HistoryContext } from "./context.ts";
import type { History } from "./history.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Calls that keep sessions or remove them: index, archive, guard, restore, verify, forget, retention. */
export type KeepCalls = Pick<
  History,
  | "index"
  | "archive"
  | "guard"
  | "restore"
  | "finishImport"
  | "verify"
  | "forgetPreview"
  | "forget"
  | "undoForget"
  | "retention"
  | "setRetention"
>;

export function keepCalls(context: HistoryContext): KeepCalls {
  const { library, access, machine, managedFolder, mask, writing, catalog, endTimes, selecting } = context;
  const calls: KeepCalls = {
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
      // If there is nothing to read, there is time to tidy up.
      if (answer.read === 0) await tidyIndex(library, kept);
      return answer;
    },
    async archive(selector, call = {}) {
      const { archiveSessions } = await import("../archive/archive-sessions.ts");
      const { selectSessions } = await import("../search/select-sessions.ts");
      const { check: thorough = false, dryRun = false, onProgress } = call;
      // Of sessions whose log is gone, the archive has everything except parts of other files added since.
      const isThere = ({ path }: { readonly path: string }): boolean =>
        library.disk.stat(path)?.kind === "file";
      const sessions =
        selector === undefined
          ? undefined
          : selectSessions(library, wordsOf(selector), {
              ...(await selecting(selector, call)),
              copies: "all",
            })
              .map(({ files, kept }) =>
                kept === undefined ? files : { ...files, files: files.files.filter(isThere) },
              )
              .filter(({ files }) => files.length > 0);
      const answer = await archiveSessions(library, {
        ...(sessions === undefined ? {} : { sessions }),
        ...(onProgress === undefined ? {} : { onProgress }),
        ...(await writing()),
        thorough,
        dryRun,
        pause: pauseOf(call),
      });
      if (selector === undefined && !dryRun) {
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
          markdown: library.settingsFault?.isRedactUnknown === true ? undefined : markdown,
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
        await restoreArchived(
          { library, writing: await writing(), machineName: machine.machineName, endedAt },
          selector,
          call,
        ),
      );
    },
    async finishImport(restored) {
      const { finishImport } = await import("../archive/restore-imports.ts");
      return finishImport(library, restored);
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
      const preview = isPreview ? selector : await calls.forgetPreview(selector, call);
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
      const { FOREVER_DAYS } = await import("../retention/retention-days.ts");
      const { retentionFiles } = await import("../retention/set-retention.ts");
      const { changeFiles, planFiles } = await import("../settings/change-files.ts");
      signal?.throwIfAborted();
      const files = retentionFiles(library, days === "forever" ? FOREVER_DAYS : days);
      return dryRun ? planFiles(library, files) : changeFiles(library, files, (await writing()).locking);
    },
  };
  return calls;
}
