import { setImmediate } from "node:timers/promises";
import type { IndexAccess } from "../search/refresh/index-access.ts";
import type { SelectOptions } from "../search/select-sessions.ts";
import type { AnyCallOptions, SelectedOptions, Selector } from "./history.ts";

/** Which of the logs with one id a call uses. */
export function copiesToTake({
  everywhere = false,
  allCopies,
  forWriting,
}: SelectedOptions & { readonly forWriting?: boolean }): SelectOptions {
  if (forWriting === true) return { everywhere, copies: allCopies === true ? "present" : "refuse" };
  return { everywhere, copies: allCopies === true ? "all" : "one" };
}

export function wordsOf(selector: Selector): readonly string[] {
  return typeof selector === "string" ? [selector] : selector;
}

/** Lets timers, signals and Ctrl-C through between two steps of synchronous work, and ends it if it was aborted. */
export function pauseOf({ signal }: AnyCallOptions): () => Promise<void> {
  return async () => {
    await setImmediate();
    signal?.throwIfAborted();
  };
}

/** Ends the reading of logs into the index if the call is aborted. */
export function abortable(access: IndexAccess, { signal }: AnyCallOptions): IndexAccess {
  if (signal === undefined) return access;
  signal.throwIfAborted();
  return {
    ...access,
    meter: () => {
      const meter = access.meter?.();
      return {
        update(progress) {
          signal.throwIfAborted();
          meter?.update(progress);
        },
        end: () => meter?.end(),
      };
    },
  };
}
