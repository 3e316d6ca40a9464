import type { Session } from "./session.ts";

/** Which lines of a log, and which calls, the agent would load. */
export function loadedParts(session: Session): {
  readonly lines: ReadonlySet<number>;
  readonly calls: ReadonlySet<string>;
} {
  const lines = new Set<number>();
  const calls = new Set<string>();
  const steps = [...session.preamble, ...session.turns.flatMap((turn) => turn.steps)];
  for (const { context, line } of session.turns) if (context === "current") lines.add(line);
  for (const step of steps) {
    if (step.context !== "current") continue;
    lines.add(step.line);
    if (step.kind === "tool") calls.add(step.call.id);
  }
  return { lines, calls };
}
