import { dirname } from "node:path";
import { errorCode } from "../fs/disk-error.ts";
import type { Library } from "../fs/library.ts";
import { insideOf } from "../fs/places.ts";
import type { Agent } from "../session/entry.ts";
import { formatOf, formats } from "./agents.ts";

/** The folder of logs below which a file of an agent stands, the nearest one; null where it stands elsewhere. */
export function rootOfFile(library: Library, agent: Agent, path: string): string | null {
  // Agents that keep logs inside projects: any folder above the file may be the project.
  return rootsWith(library, agent, foldersAbove(path))
    .filter((root) => insideOf(root, path))
    .reduce<string | null>((best, root) => (best === null || root.length > best.length ? root : best), null);
}

/**
 * Tells of a file, by its path without links, whether it is below a folder of logs of any agent. A link may lead
 * anywhere: what it leads to is read or written only if it is.
 */
export function belowRoots(library: Library): (real: string) => boolean {
  let known: readonly string[] | undefined;
  return (real) => {
    known ??= formats.flatMap(({ agent }) =>
      rootsWith(library, agent, library.surroundings.projects).flatMap((root) => realpathOf(library, root)),
    );
    return (
      known.some((root) => insideOf(root, real)) ||
      formats.some(
        ({ agent, inProjects }) => inProjects === true && rootOfFile(library, agent, real) !== null,
      )
    );
  };
}

/** Is it a link that leads to nothing, or out of all folders of logs? */
export function isStrayLink({ disk }: Library, path: string, isBelow: (real: string) => boolean): boolean {
  if (disk.lstat(path)?.kind !== "link") return false;
  return disk.stat(path) === undefined || !isBelow(disk.realpath(path));
}

function rootsWith(library: Library, agent: Agent, projects: readonly string[]): readonly string[] {
  const own = formatOf(agent).roots({ ...library.surroundings, projects });
  return [...own.map(({ folder }) => folder), ...library.config.sources[agent]];
}

function realpathOf({ disk }: Library, folder: string): readonly string[] {
  try {
    return disk.stat(folder) === undefined ? [] : [disk.realpath(folder)];
  } catch (error) {
    // One that can't be looked at has no files either.
    if (errorCode(error) === undefined) throw error;
    return [];
  }
}

function foldersAbove(path: string): readonly string[] {
  const folders: string[] = [];
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) folders.push(at);
  return folders;
}
