import { exitCodes, UserError } from "../errors.ts";
import type { OpenSession } from "../search/open-session.ts";
import { wordsOf } from "./call-options.ts";
import type { HistoryContext } from "./context.ts";
import type { History } from "./history.ts";

/** Calls that read the named sessions. */
export type SessionCalls = Pick<History, "session" | "select" | "resume" | "export" | "summary" | "retrieve">;

export function sessionCalls(context: HistoryContext): SessionCalls {
  const { library, access, mask, selecting, pointTo } = context;
  const calls: SessionCalls = {
    async session(selector, call = {}) {
      call.signal?.throwIfAborted();
      const { openSession, UnreadableLog } = await import("../search/open-session.ts");
      const { hasKeyword } = await import("../search/select-sessions.ts");
      const finish = async (open: OpenSession): Promise<OpenSession> => {
        if (call.clean !== true) return mask(open);
        const { cleanSession } = await import("../search/export-session.ts");
        return cleanSession(open, mask);
      };
      const fromIndex = async (error: unknown): Promise<OpenSession | undefined> => {
        if (!(error instanceof UnreadableLog)) return undefined;
        const { openFromIndex } = await import("../search/only-in-index.ts");
        return openFromIndex(library, access.engine, error.session, error.path);
      };
      try {
        return await finish(openSession(library, wordsOf(selector), await selecting(selector, call)));
      } catch (error) {
        const indexed = await fromIndex(error);
        if (indexed !== undefined) return finish(indexed);
        const [word = "", ...others] = wordsOf(selector);
        if (!(error instanceof UserError) || others.length > 0) throw error;
        if (error.exitCode !== exitCodes.nothingFound || hasKeyword([word])) throw error;
        const { nearestTitles, onlyInIndex } = await import("../search/only-in-index.ts");
        const only = await onlyInIndex(library, access.engine, word);
        const shown = await fromIndex(only);
        if (shown !== undefined) return finish(shown);
        throw only ?? (await nearestTitles(library, access.engine, word)) ?? error;
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
