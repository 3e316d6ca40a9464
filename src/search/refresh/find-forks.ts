import type { SessionToRead } from "./scan-sources.ts";
import type { SessionRow } from "./session-row.ts";

/**
 * Returns a function that checks whether a session is a fork: its first turn is in another one that ended before it. It
 * remembers every session that it is asked about.
 */
export function forkFinder(rows: ReadonlyMap<string, SessionRow>): (row: SessionRow) => boolean {
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

/** A session that was put, and its row. */
export interface ReadSession {
  readonly session: SessionToRead;
  readonly row: SessionRow;
}

/** Puts forks again that were read before their original, now that all sessions are known. */
export async function putForks(
  sessions: readonly ReadSession[],
  isFork: (row: SessionRow) => boolean,
  putAsFork: (session: SessionToRead) => Promise<void>,
): Promise<void> {
  for (const { row } of sessions) isFork(row);
  for (const { session, row } of sessions) if (isFork(row)) await putAsFork(session);
}
