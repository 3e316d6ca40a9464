import type { Session, Step } from "../model/session.ts";
import type { DigestCommand, DigestError, ToolCount } from "./digest.ts";
import { shorten } from "./sentences.ts";

export function countTools(steps: Iterable<Step>): Readonly<Record<string, ToolCount>> {
  const counts = new Map<string, { count: number; errors: number }>();
  for (const step of steps) {
    if (step.kind !== "tool") continue;
    const known = counts.get(step.call.name) ?? { count: 0, errors: 0 };
    known.count++;
    if (step.call.result?.isError === true) known.errors++;
    counts.set(step.call.name, known);
  }
  // Names come from logs: a prototype must not answer for one.
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Shell commands in order, those of sub-agents with the turn that started them. */
export function extractCommands(session: Session): readonly DigestCommand[] {
  const commands: DigestCommand[] = [];
  const take = (steps: readonly Step[], turn: number): void => {
    for (const step of steps) {
      if (step.kind !== "tool" || step.call.command === undefined) continue;
      commands.push({ turn, command: step.call.command, exitCode: step.call.result?.exitCode ?? null });
    }
  };
  take(session.preamble, 0);
  for (const turn of session.turns) {
    take(turn.steps, turn.number);
    for (const subagent of session.subagents)
      if (subagent.turn === turn.number) take(subagent.steps, turn.number);
  }
  for (const subagent of session.subagents) if (subagent.turn === null) take(subagent.steps, 0);
  return commands;
}

const MAX_ERRORS = 60;
const ERROR_CHARS = 300;

/** The last errors of tools and of the service, by turn. */
export function extractErrors(session: Session): readonly DigestError[] {
  const errors: DigestError[] = [];
  const take = (steps: readonly Step[], turn: number): void => {
    for (const step of steps) {
      if (step.kind === "tool" && step.call.result?.isError === true) {
        errors.push({ turn, tool: step.call.name, text: shorten(step.call.result.text, ERROR_CHARS) });
      } else if (
        (step.kind === "reply" && step.isError) ||
        (step.kind === "note" && step.about === "error")
      ) {
        errors.push({ turn, tool: null, text: shorten(step.text, ERROR_CHARS) });
      }
    }
  };
  for (const turn of session.turns) take(turn.steps, turn.number);
  for (const subagent of session.subagents) take(subagent.steps, subagent.turn ?? 0);
  return errors.slice(-MAX_ERRORS);
}
