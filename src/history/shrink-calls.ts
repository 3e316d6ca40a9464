import { FLATTEN_MIN_BYTES } from "../shrink/flatten-min-bytes.ts";
import type { RewriteOptions } from "../shrink/rewrite-session.ts";
import { abortable } from "./call-options.ts";
import type { HistoryContext } from "./context.ts";
import type { History, RewriteCallOptions, SelectedSession, Selector } from "./history.ts";

/** Calls that rewrite logs. */
export type ShrinkCalls = Pick<History, "compact" | "flatten" | "unflatten" | "matching">;

export function shrinkCalls(context: HistoryContext): ShrinkCalls {
  const { library, access, machine, processes, mask, writing, pointTo } = context;
  const uuid = machine.uuid ?? ((): string => crypto.randomUUID());
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
    isExact === true ? (await import("./exact-tokens.ts")).exactTokens(machine.env) : undefined;
  const fork = (isFork: boolean | undefined) => (isFork === true ? { uuid } : undefined);

  const calls: ShrinkCalls = {
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
      const { minBytes = FLATTEN_MIN_BYTES, copies = true, dryRun } = call;
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
  };
  return calls;
}
