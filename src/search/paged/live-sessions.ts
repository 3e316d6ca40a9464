import type { FieldTable } from "../ranking/index-schema.ts";
import {
  goneFlags,
  liveTotals,
  type ManifestSegment,
  type PartialSession,
  type SessionSlot,
} from "./manifest.ts";
import type { Piece } from "./reuse-turns.ts";
import type { Segment } from "./segment.ts";

/** A segment that the next manifest may name. */
export interface Candidate {
  readonly segment: Segment;
  /** Its entry in the current manifest; undefined for a new segment. */
  readonly before: ManifestSegment | undefined;
}

/** The changes of a commit, besides added segments. */
export interface SessionChanges {
  readonly removed: ReadonlySet<string>;
  /** By key of the sessions whose new segments have only the last turns: where the first ones are. */
  readonly kept: ReadonlyMap<string, readonly Piece[]>;
}

/**
 * Decides which sessions of which segments are live: for each key the one that was put last, unless it is removed,
 * and of earlier ones the turns that it continues. Segments without a live session are left out.
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

  /** The part of a session that is still valid after it was put again. */
  const partialOf = (file: string, session: number, key: string, was: PartialSession | undefined) => {
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
    const partials = new Map(before?.partials.map((partial) => [partial.session, partial]));
    let isChanged = before === undefined;
    keys.forEach((key, session) => {
      if (lost.has(session)) return;
      const head = heads.get(key);
      if (head?.file === file && head.session === session) return;
      const was = partials.get(session);
      const partial = partialOf(file, session, key, was);
      if (partial === was && was !== undefined) return;
      isChanged = true;
      if (partial !== undefined) partials.set(session, partial);
      else {
        partials.delete(session);
        lost.add(session);
      }
    });
    if (!isChanged && before !== undefined) return [before];
    if (lost.size === keys.length) return [];
    const gone = [...lost].sort((a, b) => a - b);
    const entry = { descriptor: segment.descriptor, gone, partials: [...partials.values()] };
    const flags = goneFlags({ ...entry, live: segment.totals });
    return [{ ...entry, live: liveTotals({ segment, gone: flags, partials: entry.partials }, fields) }];
  });
}

/** The pieces of each session by key, in order; the last one has its card. */
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
    for (const { session, turns, from } of before?.partials ?? [])
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
