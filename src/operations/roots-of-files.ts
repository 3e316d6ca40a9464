import { dirname } from "node:path";
import type { Agent } from "../core/model/entry.ts";
import { formatOf } from "../formats/formats.ts";
import { insideOf } from "../store/places.ts";
import type { Library } from "./library.ts";

/** The folder of logs below which a file of an agent stands, the nearest one; null where it stands elsewhere. */
export function rootOfFile(library: Library, agent: Agent, path: string): string | null {
  const roots = formatOf(agent)
    // Agents that keep logs inside projects: any folder above the file may be the project.
    .roots({ ...library.surroundings, projects: foldersAbove(path) })
    .map(({ folder }) => folder);
  return [...roots, ...library.config.sources[agent]]
    .filter((root) => insideOf(root, path))
    .reduce<string | null>((best, root) => (best === null || root.length > best.length ? root : best), null);
}

function foldersAbove(path: string): readonly string[] {
  const folders: string[] = [];
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) folders.push(at);
  return folders;
}
