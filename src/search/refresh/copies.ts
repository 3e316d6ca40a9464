import type { SessionToRead } from "./plan-refresh.ts";
import type { SessionRow } from "./session-row.ts";

/** A session whose first turn stands in another one that ended before it is a fork of that one. */
export function copyFinder(rows: ReadonlyMap<string, SessionRow>): (row: SessionRow) => boolean {
  const firsts = new Map<string, { readonly key: string; readonly endedAt: number }>();
  const note = (row: SessionRow): boolean => {
    if (row.firstTurn === null) return false;
    const name = `${row.agent} ${row.firstTurn}`;
    const key = `${row.agent}:${row.id}`;
    const endedAt = row.endedAt ?? 0;
    const first = firsts.get(name);
    if (
      first !== undefined &&
      first.key !== key &&
      (first.endedAt < endedAt || (first.endedAt === endedAt && first.key < key))
    )
      return true;
    firsts.set(name, { key, endedAt });
    return false;
  };
  for (const row of rows.values()) note(row);
  return note;
}

/** A session that was put, and what it is known by. */
export interface ReadSession {
  readonly session: SessionToRead;
  readonly row: SessionRow;
}

/** A fork may be read before what it was copied from: when all are known it is told, and put again as one. */
export function putCopies(
  sessions: readonly ReadSession[],
  isCopy: (row: SessionRow) => boolean,
  putAsCopy: (session: SessionToRead) => void,
): void {
  for (const { row } of sessions) isCopy(row);
  for (const { session, row } of sessions) if (isCopy(row)) putAsCopy(session);
}
