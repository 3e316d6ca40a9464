import type { Context, Session, Step } from "../../session/session.ts";

/** The turn and context that a line belongs to. */
export interface SessionPlace {
  /** null: before the first turn, or unknown. */
  readonly turn: number | null;
  /** When the turn started. */
  readonly turnAt: number | null;
  readonly context: Context | null;
}

export interface SessionPlaces {
  /** The place of a line in the main log. `isSidechain`: it belongs to a sub-agent that writes to the same log. */
  ofLine(line: number, isSidechain: boolean): SessionPlace;
  /** The place of a sub-agent, by the path of its log. */
  ofSubagent(path: string): SessionPlace;
  /** The place of a spilled output file, by its name, since the log may have been moved. */
  ofSpilled(path: string): SessionPlace;
}

interface PlacedLine {
  readonly line: number;
  readonly place: SessionPlace;
}

export const UNKNOWN_PLACE: SessionPlace = { turn: null, turnAt: null, context: null };

/** Maps lines to turns. A line that is not a step belongs to the step before it. */
export function sessionPlaces(session: Session): SessionPlaces {
  const main: PlacedLine[] = [];
  const sidechain: PlacedLine[] = [];
  const spilled = new Map<string, SessionPlace>();
  const turnTimes = new Map(session.turns.map(({ number, at }) => [number, at]));

  const add = (step: Step, turn: number | null, into: PlacedLine[]): void => {
    const place = { turn, turnAt: turnTimes.get(turn ?? 0) ?? null, context: step.context };
    into.push({ line: step.line, place });
    const path = step.kind === "tool" ? step.call.result?.spilledTo : undefined;
    if (path !== undefined) spilled.set(baseName(path), place);
  };

  for (const step of session.preamble) add(step, null, main);
  for (const { number, at, line, context, steps } of session.turns) {
    main.push({ line, place: { turn: number, turnAt: at, context } });
    for (const step of steps) add(step, number, main);
  }
  const subagents = new Map<string, SessionPlace>();
  for (const { source, turn, steps } of session.subagents) {
    const place = { turn, turnAt: turnTimes.get(turn ?? 0) ?? null, context: "subagent" as const };
    if (source !== null) subagents.set(source, place);
    for (const step of steps) add({ ...step, context: "subagent" }, turn, source === null ? sidechain : []);
  }
  main.sort(byLine);
  sidechain.sort(byLine);
  return {
    ofLine: (line, isSidechain) =>
      isSidechain
        ? (placeAt(sidechain, line) ?? { ...(placeAt(main, line) ?? UNKNOWN_PLACE), context: "subagent" })
        : (placeAt(main, line) ?? UNKNOWN_PLACE),
    ofSubagent: (path) => subagents.get(path) ?? { ...UNKNOWN_PLACE, context: "subagent" },
    ofSpilled: (path) => spilled.get(baseName(path)) ?? UNKNOWN_PLACE,
  };
}

function baseName(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? path;
}

function byLine(a: PlacedLine, b: PlacedLine): number {
  return a.line - b.line;
}

/** Returns the place of the last entry at or before a line. */
function placeAt(places: readonly PlacedLine[], line: number): SessionPlace | undefined {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle]?.line ?? 0) <= line) low = middle + 1;
    else high = middle;
  }
  return places[low - 1]?.place;
}
