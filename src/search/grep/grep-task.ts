import { nodeDisk } from "../../fs/node-disk.ts";
import type { GrepJob, GrepStep, GrepTaskData } from "./grep-job.ts";
import { createScanner } from "./scan-session.ts";

/** What a thread is told: search a session; go on, what you found was taken. */
export type GrepRequest = { readonly kind: "search"; readonly job: GrepJob } | { readonly kind: "go-on" };

export type GrepAnswer = GrepStep | { readonly kind: "done" };

/**
 * Searches sessions in a thread of its own. After each batch of hits it waits until that was taken, so that
 * a pattern that matches everywhere does not fill the memory.
 */
export function grepTask(data: unknown, post: (message: unknown) => void): (message: unknown) => void {
  // Both ends are this program: what comes here was typed where it was sent.
  const scan = createScanner(data as GrepTaskData, nodeDisk);
  let steps: AsyncGenerator<GrepStep, void, void> | undefined;
  const answer = (message: GrepAnswer): void => post(message);

  const goOn = async (): Promise<void> => {
    for (;;) {
      const next = await steps?.next();
      if (next === undefined || next.done === true) {
        answer({ kind: "done" });
        return;
      }
      answer(next.value);
      if (next.value.kind === "hits") return;
    }
  };
  return (message) => {
    const request = message as GrepRequest;
    if (request.kind === "search") steps = scan(request.job);
    void goOn();
  };
}
