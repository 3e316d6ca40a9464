import type { Digest } from "../extract/digest.ts";

export interface TouchedFile {
  /** Relative to the project where it lies in it. */
  readonly name: string;
  readonly reads: number;
  readonly writes: number;
}

/** Files that tools read or wrote, those written most first. */
export function touchedFiles({ files, project }: Digest): readonly TouchedFile[] {
  return files
    .filter(({ reads, writes }) => reads + writes > 0)
    .map(({ path, reads, writes }) => ({ name: relativeTo(project, path), reads, writes }))
    .sort((a, b) => b.writes - a.writes || b.reads - a.reads);
}

/** Files that are only named in what was said. */
export function namedFiles({ files, project }: Digest): readonly string[] {
  return files
    .filter(({ reads, writes }) => reads + writes === 0)
    .map(({ path }) => relativeTo(project, path));
}

export function relativeTo(project: string | null, path: string): string {
  const inside = project !== null && (path.startsWith(`${project}/`) || path.startsWith(`${project}\\`));
  return inside && path.length > project.length + 1 ? path.slice(project.length + 1) : path;
}
