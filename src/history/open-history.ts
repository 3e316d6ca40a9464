import { type HistoryOptions, openContext } from "./context.ts";
import { findCalls } from "./find-calls.ts";
import type { History } from "./history.ts";
import { keepCalls } from "./keep-calls.ts";
import type { OpenStore } from "./open-store.ts";
import { sessionCalls } from "./session-calls.ts";
import { shrinkCalls } from "./shrink-calls.ts";
import type { Writing } from "./writing.ts";

/** A history together with its parts, for the integrations of this program. */
export interface OpenHistory extends History, OpenStore {
  /** Everything that calls that write to the store need. */
  writing(): Promise<Writing>;
}

/**
 * Opens the history of a machine's coding agents: their logs, and this program's store. Every call loads only the
 * code that it needs.
 */
export async function openHistory(options: HistoryOptions): Promise<OpenHistory> {
  const context = await openContext(options);
  const { library, access, mask, writing } = context;
  return {
    demo: library.demo,
    mask,
    ...findCalls(context),
    ...sessionCalls(context),
    ...keepCalls(context),
    ...shrinkCalls(context),
    library,
    access,
    writing,
  };
}
