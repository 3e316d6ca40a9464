import type { Context, Session, Step } from "../../session/session.ts";

/** Where in a session something stands. */
export interface SessionPlace {
  /** null: before the first, or not known. */
  readonly turn: number | null;
  /** When the turn began. */
  readonly turnAt: number | null;
  readonly context: Context | null;
}

export interface SessionPlaces {
  /** Of a line of the log itself. `isSidechain`: the line is a sub-agent's that stands in the same log. */
  ofLine(line: number, isSidechain: boolean): SessionPlace;
  /** Of the log of a sub-agent, by its path. */
  ofSubagent(path: string): SessionPlace;
  /** Of a file with long output, by its path or its name: the log may have been moved. */
  ofSpilled(path: string): SessionPlace;
}

interface PlacedLine {
  readonly line: number;
  readonly place: SessionPlace;
}

const NOWHERE: SessionPlace = { turn: null, turnAt: null, context: null };

/** Tells the turns of lines. Lines that are no step of their own belong to the step before them. */
export function sessionPlaces(session: Session): SessionPlaces {
  const main: PlacedLine[] = [];
  const aside: PlacedLine[] = [];
  const spilled = new Map<string, SessionPlace>();
  const turnTimes = new Map(session.turns.map(({ number, at }) => [number, at]));

  const take = (step: Step, turn: number | null, into: PlacedLine[]): void => {
    const place = { turn, turnAt: turnTimes.get(turn ?? 0) ?? null, context: step.context };
    into.push({ line: step.line, place });
    const path = step.kind === "tool" ? step.call.result?.spilledTo : undefined;
    if (path !== undefined) spilled.set(nameOf(path), place);
  };

  for (const step of session.preamble) take(step, null, main);
  for (const { number, at, line, context, steps } of session.turns) {
    main.push({ line, place: { turn: number, turnAt: at, context } });
    for (const step of steps) take(step, number, main);
  }
  const subagents = new Map<string, SessionPlace>();
  for (const { source, turn, steps } of session.subagents) {
    const place = { turn, turnAt: turnTimes.get(turn ?? 0) ?? null, context: "subagent" as const };
    if (source !== null) subagents.set(source, place);
    for (const step of steps) take({ ...step, context: "subagent" }, turn, source === null ? aside : []);
  }
  main.sort(byLine);
  aside.sort(byLine);
  return {
    ofLine: (line, isSidechain) =>
      isSidechain
        ? (at(aside, line) ?? { ...(at(main, line) ?? NOWHERE), context: "subagent" })
        : (at(main, line) ?? NOWHERE),
    ofSubagent: (path) => subagents.get(path) ?? { ...NOWHERE, context: "subagent" },
    ofSpilled: (path) => spilled.get(nameOf(path)) ?? NOWHERE,
  };
}

function nameOf(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? path;
}

function byLine(a: PlacedLine, b: PlacedLine): number {
  return a.line - b.line;
}

/** Of the last entry at or before a line. */
function at(places: readonly PlacedLine[], line: number): SessionPlace | undefined {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle]?.line ?? 0) <= line) low = middle + 1;
    else high = middle;
  }
  return places[low - 1]?.place;
}
