import { mergeActivity } from "./activity.ts";
import { isFlatMarker } from "./flat-marker.ts";
import type { Session, Step, ToolCall, Turn } from "./session.ts";

/** A session together with its content from before it was shrunk. */
export interface WholeSession {
  /** Calls have their inputs and results again; content that is no longer in the log has the context `compacted`. */
  readonly session: Session;
  /** Turns that are no longer in the log at all. */
  readonly lost: readonly Turn[];
}

/** Yields the earlier states of a log, the oldest first, one at a time: those of a long log do not fit into memory. */
export type EachEarlier = (take: (old: Session) => void) => void;

/** Joins a session with earlier states of its log, so that everything in any of them can still be found. */
export function withShrunkAway(session: Session, eachEarlier: EachEarlier): WholeSession {
  /** By id, how much a call must have at least to be more than what the session has of it. */
  const sizes = new Map<string, number>();
  const marked = new Set<string>();
  for (const step of stepsOf(session)) {
    if (step.kind === "tool")
      sizes.set(
        step.call.id,
        Math.min(sizeOf(step.call), sizes.get(step.call.id) ?? Number.POSITIVE_INFINITY),
      );
    else if (step.kind === "note" && isFlatMarker(step.text)) marked.add(placeOf(step));
  }
  const calls = new Map<string, ToolCall>();
  const notes = new Map<string, Step>();
  const lost = createLostTurns(session);
  const activities = [session.activity];
  eachEarlier((old) => {
    for (const step of stepsOf(old)) {
      if (step.kind === "tool") {
        if (sizeOf(step.call) <= (sizes.get(step.call.id) ?? Number.POSITIVE_INFINITY)) continue;
        sizes.set(step.call.id, sizeOf(step.call));
        calls.set(step.call.id, step.call);
      } else if (step.kind === "note" && marked.has(placeOf(step)) && !isFlatMarker(step.text))
        notes.set(placeOf(step), step);
    }
    lost.take(old.turns);
    activities.push(old.activity);
  });
  const whole = (step: Step): Step => {
    if (step.kind === "tool") {
      const old = calls.get(step.call.id);
      if (old === undefined || sizeOf(old) <= sizeOf(step.call)) return step;
      return { ...step, context: away(step), call: { ...step.call, ...old } };
    }
    if (step.kind !== "note" || !isFlatMarker(step.text)) return step;
    const old = notes.get(placeOf(step));
    return old?.kind === "note" ? { ...step, context: away(step), text: old.text } : step;
  };
  const turns = session.turns.map((turn) => ({ ...turn, steps: turn.steps.map(whole) }));
  const subagents = session.subagents.map((each) => ({ ...each, steps: each.steps.map(whole) }));
  const preamble = session.preamble.map(whole);
  const activity = mergeActivity(activities);
  return { session: { ...session, preamble, turns, subagents, activity }, lost: lost.turns };
}

function placeOf({ line, about }: Extract<Step, { readonly kind: "note" }>): string {
  return `${line} ${about}`;
}

function away(step: Step): Step["context"] {
  return step.context === "current" ? "compacted" : step.context;
}

function* stepsOf(session: Session): Generator<Step> {
  yield* session.preamble;
  for (const turn of session.turns) yield* turn.steps;
  for (const subagent of session.subagents) yield* subagent.steps;
}

function sizeOf({ inputChars, result }: ToolCall): number {
  return inputChars + (result?.chars ?? 0);
}

interface LostTurns {
  readonly turns: readonly Turn[];
  take(turns: readonly Turn[]): void;
}

/** Collects turns that are missing now: by name if they have one, else by the text of the request. */
function createLostTurns(session: Session): LostTurns {
  const there = new Set(session.turns.flatMap(namesOf));
  const last = Math.max(1, session.turns.length);
  const lost: Turn[] = [];
  return {
    turns: lost,
    take(turns) {
      for (const turn of turns) {
        const names = namesOf(turn);
        if (names.some((name) => there.has(name))) continue;
        for (const name of names) there.add(name);
        lost.push({
          ...turn,
          number: Math.min(turn.number, last),
          context: "compacted",
          steps: turn.steps.map((step) => ({ ...step, context: away(step) })),
        });
      }
    },
  };
}

function namesOf({ uid, request }: Turn): readonly string[] {
  return uid === null ? [`text ${request}`] : [`uid ${uid}`];
}
