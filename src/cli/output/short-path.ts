import { sep } from "node:path";

/** A path as people write it: `~` for their home. */
export function shortPath(path: string, home: string): string {
  if (path === home) return "~";
  return path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path;
}

/** The last folder of a project's path: what people call it. */
export function projectName(path: string | null): string {
  if (path === null) return "–";
  return path.split(/[/\\]/).findLast((part) => part !== "") ?? path;
}
