import { isOwnCall } from "../core/documents/own-answers.ts";
import type { Session, Step } from "../core/model/session.ts";
import type { TurnHit } from "../core/search/search-engine.ts";
import { diskSource } from "./disk-source.ts";
import { identifySession } from "./identify-session.ts";
import { knownFiles } from "./indexing/known-files.ts";
import type { SessionRow } from "./indexing/session-row.ts";
import type { Library } from "./library.ts";
import { readPointed } from "./open-session.ts";
import { readSession } from "./read-session.ts";
import { selectSession } from "./select-sessions.ts";

/**
 * What tools gave back in each turn, out of the whole session. It needs how logs are read, which few passages do:
 * it is loaded when it is called.
 */
export function wholeOutputs(
  library: Library,
  row: SessionRow,
  needsAll: boolean,
): (turn: TurnHit) => string {
  const session = readAgain(library, row, needsAll);
  return (turn) => outputOf(session, turn);
}

/** undefined where it is gone, or can't be read: a hit without a passage is still a hit. */
function readAgain(library: Library, row: SessionRow, needsAll: boolean): Session | undefined {
  try {
    return (needsAll ? undefined : readLead(library, row)) ?? readWhole(library, row);
  } catch {
    return undefined;
  }
}

/** The log alone: to find all that belongs to it, every log would have to be looked at. */
function readLead({ disk }: Library, { agent, id, lead, origin }: SessionRow): Session | undefined {
  const stat = lead === null || origin !== "log" ? undefined : disk.stat(lead);
  if (lead === null || stat === undefined) return undefined;
  return readSession(diskSource(disk), { agent, id, files: [{ role: "main", path: lead, ...stat }] });
}

function readWhole(library: Library, row: SessionRow): Session {
  const known = knownFiles(library, row);
  const source = diskSource(library.disk);
  const files = known === undefined ? undefined : identifySession(source, known);
  if (files !== undefined) return readSession(source, files);
  return readPointed(library, selectSession(library, [row.id])).session;
}

function outputOf(session: Session | undefined, { turn, context }: TurnHit): string {
  if (session === undefined) return "";
  const steps: readonly Step[] =
    context === "subagent"
      ? session.subagents.filter((subagent) => (subagent.turn ?? 1) === turn).flatMap(({ steps }) => steps)
      : [...(turn === 1 ? session.preamble : []), ...(session.turns[turn - 1]?.steps ?? [])];
  return textOf(steps);
}

function textOf(steps: readonly Step[]): string {
  return steps.flatMap(outputText).join("\n\n");
}

function outputText(step: Step): readonly string[] {
  if (step.kind === "note") return step.about === "output" ? [step.text] : [];
  if (step.kind !== "tool" || isOwnCall(step.call)) return [];
  const { result } = step.call;
  return result === undefined || result.isError ? [] : [result.text];
}
