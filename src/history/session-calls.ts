import { exitCodes, UserError } from "../errors.ts";
import { wordsOf } from "./call-options.ts";
import type { HistoryContext } from "./context.ts";
import type { History } from "./history.ts";

/** Calls that read one session, or a few that are named. */
export type SessionCalls = Pick<History, "session" | "select" | "resume" | "export" | "summary" | "retrieve">;

export function sessionCalls(context: HistoryContext): SessionCalls {
  const { library, access, mask, selecting, pointTo } = context;
  const calls: SessionCalls = {
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
        if (error.exitCode !== exitCodes.nothingFound || word === "last" || word === "current") throw error;
        const { nearestTitles, onlyInIndex } = await import("../search/only-in-index.ts");
        throw (
          (await onlyInIndex(library, access.engine, word)) ??
          (await nearestTitles(library, access.engine, word)) ??
          error
        );
      }
    },
    async select(selector, call = {}) {
      const { selectSessions } = await import("../search/select-sessions.ts");
      return selectSessions(library, wordsOf(selector), await selecting(selector, call));
    },
    async resume(selector, call = {}) {
      const { openSession } = await import("../search/open-session.ts");
      const options = await selecting(selector, call);
      const { session, resume, state, ...open } = openSession(library, wordsOf(selector), options);
      const { source, log, others, part } = open;
      return { agent: session.agent, id: session.id, resume, state, ...mask({ source, log, others, part }) };
    },
    async export(selector, call) {
      call.signal?.throwIfAborted();
      const { exportSession } = await import("../search/export-session.ts");
      const options = await selecting(selector, call);
      return exportSession(library, wordsOf(selector), { ...options, format: call.format, mask });
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
  };
  return calls;
}
