import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { formatOf } from "../agents/agents.ts";
import { rehomingOf } from "../agents/rehome.ts";
import { rootOfFile } from "../agents/roots-of-files.ts";
import { exitCodes, UserError } from "../errors.ts";
import type { Library } from "../fs/library.ts";
import { insideOf } from "../fs/places.ts";
import type { Agent } from "../session/entry.ts";
import type { KeptFile } from "./archive-store.ts";

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
  // What an archive says may have been tampered with.
  if (!isAbsolute(file.path) || resolve(file.path) !== file.path || file.path.includes("\0")) {
    throw leaves(file.path);
  }
  const roots = rootsNow(library, agent, to);
  const stays = to === undefined && isInUse(library, agent, file);
  if (stays && into === undefined) return file.path;
  if (file.root === null && to === undefined && into === undefined) throw stoodElsewhere(file.path);
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

/** No file leaves the folder that it belongs in. */
function checked(root: string, within: string): string {
  const path = resolve(root, within);
  if (!insideOf(root, path)) throw leaves(path);
  return path;
}

function leaves(path: string): UserError {
  return new UserError(`Cannot restore ${JSON.stringify(path)}: its path leads out of its folder`, {
    exitCode: exitCodes.refused,
    hint: ELSEWHERE,
  });
}

function stoodElsewhere(path: string): UserError {
  return new UserError(`Cannot restore ${JSON.stringify(path)}: its agent keeps no logs there`, {
    exitCode: exitCodes.refused,
    hint: ELSEWHERE,
  });
}

const ELSEWHERE = "--into PROJECT_DIR makes it a session of a project, --to DIR puts it below another home";

function rootsNow(library: Library, agent: Agent, to: string | undefined): readonly string[] {
  const { surroundings } = library;
  const around = to === undefined ? surroundings : { home: to, variables: {}, folder: to, projects: [] };
  return formatOf(agent)
    .roots(around)
    .map(({ folder }) => folder);
}

/** Does the agent look for logs where this file stood? */
function isInUse(library: Library, agent: Agent, { path }: KeptFile): boolean {
  const root = rootOfFile(library, agent, path);
  if (root === null) return false;
  const isFixed = [...rootsNow(library, agent, undefined), ...library.config.sources[agent]].includes(root);
  // Logs inside a project, `<project>/.claw/sessions`, are looked for as long as there is that project.
  return isFixed || library.disk.stat(dirname(dirname(root)))?.kind === "folder";
}
