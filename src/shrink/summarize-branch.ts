import { findPiBranch } from "../agents/pi/pi-branch.ts";
import type { PiEntry } from "../agents/pi/pi-trail.ts";
import { readPiEntries } from "../agents/pi/read-pi-entries.ts";
import { type PiTrail, readPiTrail } from "../agents/pi/read-trail.ts";
import { exitCodes, UserError } from "../errors.ts";
import { nearest } from "../search/query/nearest.ts";
import type { Session } from "../session/session.ts";

/** Shortest beginning of a name that may stand for it. */
const MIN_PREFIX = 4;

export interface BranchOfSession {
  /** The entry that was asked for, by its whole name. */
  readonly entry: string;
  /** The branch as a session of its own. */
  readonly session: Session;
}

/** Reads a branch that a Pi session has left, named by one of its entries or by the number of a turn on it. */
export function readPiBranch(
  session: Session,
  chunks: () => Iterable<Uint8Array>,
  name: string,
): BranchOfSession {
  if (session.agent !== "pi") {
    throw new UserError(
      `Cannot sum up a branch of session ${session.id}: only Pi names the entries of its branches`,
      {
        exitCode: exitCodes.wrongUsage,
      },
    );
  }
  const trail = readPiTrail(chunks());
  const entry = findEntry(trail, session, name);
  const branch = findPiBranch(trail.entries, entry);
  if (branch.kind === "current") {
    throw new UserError(`Cannot sum up the branch of entry ${entry.id}: it is on the current path`, {
      exitCode: exitCodes.wrongUsage,
      hint: `\`sessions show ${session.id} --tree\` shows the branches that were left`,
    });
  }
  const loaded = branch.entries.map((each) => ({ entry: each, edited: false }));
  const { title, project } = session;
  return {
    entry: entry.id,
    session: { ...readPiEntries(chunks, trail, loaded), id: session.id, title, project },
  };
}

function findEntry({ entries }: PiTrail, session: Session, name: string): PiEntry {
  const exact = entries.findLast(({ id }) => id === name);
  if (exact !== undefined) return exact;
  const begin = name.length < MIN_PREFIX ? [] : entries.filter(({ id }) => id.startsWith(name));
  const [first] = begin;
  if (first !== undefined && begin.every(({ id }) => id === first.id)) return first;
  const turn = /^\d+$/.test(name) ? session.turns[Number(name) - 1] : undefined;
  const ofTurn = turn === undefined ? undefined : entries.findLast(({ id }) => id === turn.uid);
  if (ofTurn !== undefined) return ofTurn;
  const close = nearest(name, [...new Set(entries.map(({ id }) => id))], { limit: 3 });
  throw new UserError(
    begin.length > 1
      ? `Cannot tell which entry "${name}" is: ${begin.length} begin with it`
      : `Cannot find an entry "${name}" in session ${session.id}`,
    {
      exitCode: begin.length > 1 ? exitCodes.wrongUsage : exitCodes.nothingFound,
      hint: close.length > 0 ? `the nearest are ${close.join(", ")}` : "a turn's number will do as well",
    },
  );
}
