import type { Session } from "../../session/session.ts";
import type { NamedBranch, NamedBranches } from "../agent-actions.ts";
import { readPiEntries } from "./compact.ts";
import { findPiBranch, type PiEntry } from "./context.ts";
import { readPiTrail } from "./read-log.ts";

/** In Pi every entry has an id, so any entry on an abandoned branch can name the branch. */
export const piBranches: NamedBranches = { read: readBranch };

function readBranch(session: Session, chunks: () => Iterable<Uint8Array>, name: string): NamedBranch {
  const trail = readPiTrail(chunks());
  const found = findEntry(trail.entries, session, name);
  if (found.kind !== "found") return found;
  const { entry } = found;
  const branch = findPiBranch(trail.entries, entry);
  if (branch.kind === "current") return { kind: "current", entry: entry.id };
  const loaded = branch.entries.map((each) => ({ entry: each, edited: false }));
  const { id, title, project } = session;
  const entries = readPiEntries(chunks, trail, loaded);
  return { kind: "branch", entry: entry.id, session: { ...entries, id, title, project } };
}

/** The shortest accepted prefix of an id. */
const MIN_PREFIX = 4;

type FoundEntry =
  | { readonly kind: "found"; readonly entry: PiEntry }
  | Extract<NamedBranch, { kind: "ambiguous" | "unknown" }>;

function findEntry(entries: readonly PiEntry[], session: Session, name: string): FoundEntry {
  const exact = entries.findLast(({ id }) => id === name);
  if (exact !== undefined) return { kind: "found", entry: exact };
  const begin = name.length < MIN_PREFIX ? [] : entries.filter(({ id }) => id.startsWith(name));
  const [first] = begin;
  if (first !== undefined && begin.every(({ id }) => id === first.id)) return { kind: "found", entry: first };
  const turn = /^\d+$/.test(name) ? session.turns[Number(name) - 1] : undefined;
  const ofTurn = turn === undefined ? undefined : entries.findLast(({ id }) => id === turn.uid);
  if (ofTurn !== undefined) return { kind: "found", entry: ofTurn };
  const ids = entries.map(({ id }) => id);
  return begin.length > 1
    ? { kind: "ambiguous", entries: ids, count: begin.length }
    : { kind: "unknown", entries: ids };
}
