import { mergeActivity } from "./activity.ts";
import { isFlatMarker } from "./flat-marker.ts";
import type { Session, Step, ToolCall, Turn } from "./session.ts";

/** A session together with what it had before it was shrunk. */
export interface WholeSession {
  /** Calls have their inputs and results again; what is no longer in the log has the context `compacted`. */
  readonly session: Session;
  /** Turns that are no longer in the log at all. */
  readonly lost: readonly Turn[];
}

/** Joins a session with earlier states of its log, so that everything that was in one of them can still be found. */
export function withShrunkAway(session: Session, earlier: readonly Session[]): WholeSession {
  const calls = new Map<string, ToolCall>();
  const notes = new Map<string, Step>();
  for (const old of earlier) {
    for (const step of stepsOf(old)) {
      if (step.kind === "tool") keepLarger(calls, step.call);
      else if (step.kind === "note" && !isFlatMarker(step.text))
        notes.set(`${step.line} ${step.about}`, step);
    }
  }
  const whole = (step: Step): Step => {
    if (step.kind === "tool") {
      const old = calls.get(step.call.id);
      if (old === undefined || sizeOf(old) <= sizeOf(step.call)) return step;
      return { ...step, context: away(step), call: { ...step.call, ...old } };
    }
    if (step.kind !== "note" || !isFlatMarker(step.text)) return step;
    const old = notes.get(`${step.line} ${step.about}`);
    return old?.kind === "note" ? { ...step, context: away(step), text: old.text } : step;
  };
  const turns = session.turns.map((turn) => ({ ...turn, steps: turn.steps.map(whole) }));
  const subagents = session.subagents.map((each) => ({ ...each, steps: each.steps.map(whole) }));
  const preamble = session.preamble.map(whole);
  const activity = mergeActivity([session, ...earlier].map((each) => each.activity));
  return { session: { ...session, preamble, turns, subagents, activity }, lost: lostTurns(session, earlier) };
}

function away(step: Step): Step["context"] {
  return step.context === "current" ? "compacted" : step.context;
}

function* stepsOf(session: Session): Generator<Step> {
  yield* session.preamble;
  for (const turn of session.turns) yield* turn.steps;
  for (const subagent of session.subagents) yield* subagent.steps;
}

function keepLarger(calls: Map<string, ToolCall>, call: ToolCall): void {
  const known = calls.get(call.id);
  if (known === undefined || sizeOf(call) > sizeOf(known)) calls.set(call.id, call);
}

function sizeOf({ inputChars, result }: ToolCall): number {
  return inputChars + (result?.chars ?? 0);
}

/** Finds turns that are missing now: by name if they have one, else by the text of the request. */
function lostTurns(session: Session, earlier: readonly Session[]): readonly Turn[] {
  const there = new Set(session.turns.flatMap(namesOf));
  const lost: Turn[] = [];
  for (const turn of earlier.flatMap(({ turns }) => turns)) {
    const names = namesOf(turn);
    if (names.some((name) => there.has(name))) continue;
    for (const name of names) there.add(name);
    const last = Math.max(1, session.turns.length);
    lost.push({
      ...turn,
      number: Math.min(turn.number, last),
      context: "compacted",
      steps: turn.steps.map((step) => ({ ...step, context: away(step) })),
    });
  }
  return lost;
}

function namesOf({ uid, request }: Turn): readonly string[] {
  return uid === null ? [`text ${request}`] : [`uid ${uid}`];
}
