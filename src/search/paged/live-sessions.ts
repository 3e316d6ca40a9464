import type { FieldTable } from "../ranking/index-schema.ts";
import { liveTotals, type PartialSession, type SessionSlot } from "./live-segment.ts";
import { goneFlags, type ManifestSegment } from "./manifest.ts";
import type { Piece } from "./reuse-turns.ts";
import type { Segment } from "./segment.ts";

/** A segment in the making of a manifest. */
export interface Candidate {
  readonly segment: Segment;
  /** As the manifest has it; undefined for one that is new. */
  readonly before: ManifestSegment | undefined;
}

/** What a commit does to sessions, besides what new segments hold. */
export interface SessionChanges {
  readonly removed: ReadonlySet<string>;
  /** By key, for sessions of which new segments hold only the end: where the rest is. */
  readonly kept: ReadonlyMap<string, readonly Piece[]>;
}

/**
 * Of each session the last one that was put is there, unless it is removed, and of the ones before it what
 * the last one builds on. Segments of which nothing is left are left out.
 */
export function resolveLiveSessions(
  candidates: readonly Candidate[],
  { removed, kept }: SessionChanges,
  fields: FieldTable,
): ManifestSegment[] {
  const heads = new Map<string, SessionSlot>();
  const oldFiles = new Set<string>();
  for (const { segment, before } of candidates.toReversed()) {
    const { file } = segment.descriptor;
    if (before !== undefined) oldFiles.add(file);
    const flags = before === undefined ? undefined : goneFlags(before);
    const keys = segment.keys();
    for (let session = keys.length - 1; session >= 0; session--) {
      const key = keys[session] ?? "";
      if (flags?.[session] === 1 || heads.has(key) || removed.has(key)) continue;
      heads.set(key, { file, session });
    }
  }

  /** What remains of a session that is not the head of its key. */
  const remnantOf = (file: string, session: number, key: string, was: PartialSession | undefined) => {
    const head = heads.get(key);
    if (head === undefined) return undefined;
    if (oldFiles.has(head.file)) return was;
    const pieces = kept.get(key) ?? [];
    const index = pieces.findIndex((piece) => piece.file === file && piece.session === session);
    const piece = pieces[index];
    if (piece === undefined) return undefined;
    const from = pieces.slice(0, index).reduce((sum, { turns }) => sum + turns, 0);
    return { session, turns: piece.turns, from, head };
  };

  return candidates.flatMap(({ segment, before }): ManifestSegment[] => {
    const { file } = segment.descriptor;
    const keys = segment.keys();
    const lost = new Set(before?.gone);
    const remnants = new Map(before?.remnants.map((remnant) => [remnant.session, remnant]));
    let isChanged = before === undefined;
    keys.forEach((key, session) => {
      if (lost.has(session)) return;
      const head = heads.get(key);
      if (head?.file === file && head.session === session) return;
      const was = remnants.get(session);
      const remnant = remnantOf(file, session, key, was);
      if (remnant === was && was !== undefined) return;
      isChanged = true;
      if (remnant !== undefined) remnants.set(session, remnant);
      else {
        remnants.delete(session);
        lost.add(session);
      }
    });
    if (!isChanged && before !== undefined) return [before];
    if (lost.size === keys.length) return [];
    const gone = [...lost].sort((a, b) => a - b);
    const entry = { descriptor: segment.descriptor, gone, remnants: [...remnants.values()] };
    const flags = goneFlags({ ...entry, live: segment.totals });
    return [{ ...entry, live: liveTotals({ segment, gone: flags, remnants: entry.remnants }, fields) }];
  });
}

/** By key, the pieces of each session in their order; the last one is that with its card. */
export function piecesByKey(candidates: readonly Candidate[]): ReadonlyMap<string, readonly Piece[]> {
  const found = new Map<string, (Piece & { readonly from: number })[]>();
  const note = (key: string, piece: Piece & { readonly from: number }): void => {
    const known = found.get(key);
    if (known === undefined) found.set(key, [piece]);
    else known.push(piece);
  };
  for (const { segment, before } of candidates) {
    const { file } = segment.descriptor;
    const keys = segment.keys();
    const starts = segment.turnStarts();
    const flags = before === undefined ? undefined : goneFlags(before);
    for (const { session, turns, from } of before?.remnants ?? [])
      note(keys[session] ?? "", { file, session, turns, from });
    keys.forEach((key, session) => {
      if (flags?.[session] === 1) return;
      const turns = (starts[session + 1] ?? 0) - (starts[session] ?? 0);
      note(key, { file, session, turns, from: Number.POSITIVE_INFINITY });
    });
  }
  for (const pieces of found.values()) pieces.sort((a, b) => a.from - b.from);
  return found;
}
