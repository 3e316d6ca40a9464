import { countOf } from "./words.ts";

interface Restored {
  readonly files: readonly { readonly changes: number }[];
  readonly move: { readonly from: string; readonly to: string } | null;
  readonly missingProject: string | null;
}

/**
 * Says how a restored session differs, or would differ, from the original: which lines change, and that its project
 * is missing. `mover`: the flag that moves it into another project.
 */
export function restoreNotes(session: Restored, mover: string): readonly string[] {
  return [movedNote(session), missingNote(session, mover)].filter((note) => note !== null);
}

export function movedNote({ files, move }: Restored): string | null {
  if (move === null) return null;
  const changes = files.reduce((sum, file) => sum + file.changes, 0);
  return `${countOf(changes, "line")} changed: ${move.from} → ${move.to}`;
}

export function missingNote({ missingProject }: Restored, mover: string): string | null {
  return missingProject === null
    ? null
    : `its project ${missingProject} is not on this machine; ${mover} moves it into one that is`;
}
