import type { Session, Step, Turn } from "./session.ts";

/** One request or step that the agent would load. */
export type ContextItem = { readonly turn: number } & (
  | { readonly kind: "request"; readonly text: string; readonly at: number | null }
  | { readonly kind: "step"; readonly step: Step }
);

/**
 * Lists what the agent would load if the session were resumed now, in that order: the last summary, the messages that
 * its compaction kept, and later ones. If the compaction kept the head, the head comes before the summary.
 */
export function sessionContext(session: Session): readonly ContextItem[] {
  const items: ContextItem[] = session.preamble
    .filter(isLoaded)
    .map((step) => ({ kind: "step", turn: 0, step }));
  for (const turn of session.turns) {
    const { number, request, at, steps } = turn;
    if (isRequestLoaded(turn)) items.push({ kind: "request", turn: number, text: request, at });
    for (const step of steps) if (isLoaded(step)) items.push({ kind: "step", turn: number, step });
  }
  const summary = items.findLastIndex(
    (item) => item.kind === "step" && item.step.kind === "summary" && item.step.of === "compaction",
  );
  const moved = items[summary];
  if (moved === undefined || session.compactions.at(-1)?.keeps === "head") return items;
  return [moved, ...items.slice(0, summary), ...items.slice(summary + 1)];
}

/** A prompt that is only in the agent's queue, without an entry in the conversation, is not loaded. */
function isRequestLoaded({ context, via, uid }: Turn): boolean {
  return context === "current" && !(via === "queued" && uid === null);
}

function isLoaded(step: Step): boolean {
  return step.context === "current";
}

/** Finds the lines of a log, and the calls, that the agent would load. */
export function loadedParts(session: Session): {
  readonly lines: ReadonlySet<number>;
  readonly calls: ReadonlySet<string>;
} {
  const lines = new Set<number>();
  const calls = new Set<string>();
  const steps = [...session.preamble, ...session.turns.flatMap((turn) => turn.steps)];
  for (const turn of session.turns) if (isRequestLoaded(turn)) lines.add(turn.line);
  for (const step of steps) {
    if (step.context !== "current") continue;
    lines.add(step.line);
    if (step.kind === "tool") calls.add(step.call.id);
  }
  return { lines, calls };
}
