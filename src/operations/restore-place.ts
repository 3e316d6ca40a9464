import { basename, dirname, join, relative, resolve } from "node:path";
import type { KeptFile } from "../core/archive/archive-store.ts";
import { exitCodes, UserError } from "../core/errors.ts";
import type { Agent } from "../core/model/entry.ts";
import { formatOf } from "../formats/formats.ts";
import { rehomingOf } from "../formats/rehome.ts";
import { insideOf } from "../store/places.ts";
import type { Library } from "./library.ts";

export interface PlaceOptions {
  /** A folder that stands for the home: `DIR/.claude/projects/…`. */
  readonly to?: string | undefined;
  /** The folder of another project, absolute. */
  readonly into?: string | undefined;
}

/**
 * Where a file of an archived session is to stand: where it stood, as long as its agent looks there;
 * else below the folder of logs that the agent has now.
 */
export function restorePlace(library: Library, agent: Agent, file: KeptFile, options: PlaceOptions): string {
  const { to, into } = options;
  const roots = rootsNow(library, agent, to);
  const stays = to === undefined && isInUse(library, agent, file, roots);
  if (stays && into === undefined) return file.path;
  // A log that stood outside of all folders of logs goes into a folder named like its own.
  const root = file.root ?? dirname(dirname(file.path));
  const within = relative(root, file.path);
  if (!insideOf(root, file.path)) throw leaves(file.path);
  const rootNow =
    stays && file.root !== null
      ? root
      : (roots.find((each) => basename(each) === basename(root)) ?? roots[0]);
  if (rootNow === undefined) throw leaves(file.path);
  if (into === undefined) return checked(rootNow, within);
  const place = rehomingOf(agent).place(within, basename(root), into);
  return place.inProject === undefined || to !== undefined
    ? checked(rootNow, place.relative)
    : checked(join(into, place.inProject), place.relative);
}

/** What an archive says may have been tampered with: no file leaves the folder that it belongs in. */
function checked(root: string, within: string): string {
  const path = resolve(root, within);
  if (!insideOf(root, path)) throw leaves(path);
  return path;
}

function leaves(path: string): UserError {
  return new UserError(`Cannot restore ${JSON.stringify(path)}: its path leads out of its folder`, {
    exitCode: exitCodes.refused,
  });
}

function rootsNow(library: Library, agent: Agent, to: string | undefined): readonly string[] {
  const { surroundings } = library;
  const around = to === undefined ? surroundings : { home: to, variables: {}, folder: to, projects: [] };
  return formatOf(agent)
    .roots(around)
    .map(({ folder }) => folder);
}

/** Does the agent look for logs where this file stood? */
function isInUse(library: Library, agent: Agent, { root }: KeptFile, roots: readonly string[]): boolean {
  if (root === null || roots.includes(root) || library.config.sources[agent].includes(root)) return true;
  // Logs inside a project, `<project>/.claw/sessions`, are looked for as long as there is that project.
  const project = dirname(dirname(root));
  return formatOf(agent).inProjects === true && library.disk.stat(project)?.kind === "folder";
}
