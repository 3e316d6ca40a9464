import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { Rehoming } from "../agents/agent.ts";
import { agentNamed } from "../agents/agents.ts";
import { rootOfFile } from "../agents/find-sessions.ts";
import { reasonOf } from "../agents/isolate.ts";
import { isPacked, unpackChunks } from "../agents/packed-log.ts";
import { exitCodes, UserError } from "../errors.ts";
import { ArchiveDamage } from "../fs/damage.ts";
import type { Library } from "../fs/library.ts";
import { insideOf } from "../fs/places.ts";
import { rewriteStrings } from "../jsonl/rewrite-strings.ts";
import type { AgentName } from "../session/entry.ts";
import type { KeptFile, KeptSession, MachineOrigin } from "./archive-store.ts";

/** A session that moves into another project. */
export interface SessionMove {
  readonly from: string;
  readonly to: string;
}

/** Logs name the project in their lines; other files do not. */
const ADAPTED_ROLES: ReadonlySet<string> = new Set(["main", "rotation", "subagent"]);

/** The project that an archived session belongs to; undefined if its lines name none. */
export function projectOfKept(kept: KeptSession): string | undefined {
  const [lead] = kept.files;
  if (lead === undefined) return undefined;
  const rehoming = agentNamed(kept.agent).rehoming;
  const within = lead.root === null ? lead.path : lead.path.slice(lead.root.length + 1);
  let first: string | undefined;
  let match: string | undefined;
  const look = (text: string): undefined => {
    const value = rehoming.inText === undefined ? text : rehoming.inText.folder(text);
    if (value === undefined) return undefined;
    first ??= value;
    if (match === undefined && (rehoming.isOf === undefined || rehoming.isOf(within, value))) match = value;
    return undefined;
  };
  for (const _ of rewriteStrings(readUnpacked(kept, lead), { ...shapeOf(rehoming, lead), replace: look })) {
    // The session may have left its project later; its folder is named after the first one.
    if (match !== undefined) break;
  }
  return match ?? first;
}

/** The bytes of a file with the project's folder replaced wherever its lines name it; everything else unchanged. */
export function* rehomed(
  kept: KeptSession,
  file: KeptFile,
  { from, to }: SessionMove,
  onChange: () => void = () => undefined,
): Generator<Uint8Array, void, void> {
  if (!ADAPTED_ROLES.has(file.role)) {
    yield* kept.read(file);
    return;
  }
  const rehoming = agentNamed(kept.agent).rehoming;
  let isFirst = true;
  const replace = (value: string): string | undefined => {
    if (rehoming.onlyFirst === true && !isFirst) return undefined;
    isFirst = false;
    const { inText } = rehoming;
    const folder = inText === undefined ? value : inText.folder(value);
    const moved = folder === undefined ? undefined : moveInto(folder, from, to);
    if (moved === undefined) return undefined;
    onChange();
    return inText === undefined ? moved : inText.replace(value, moved);
  };
  yield* rewriteStrings(readUnpacked(kept, file), { ...shapeOf(rehoming, file), replace });
}

/** The lines of a log, even of one that its agent has packed. */
function* readUnpacked(kept: KeptSession, file: KeptFile): Generator<Uint8Array, void, void> {
  if (!isPacked(file.path)) {
    yield* kept.read(file);
    return;
  }
  try {
    yield* unpackChunks(kept.read(file));
  } catch (error) {
    if (error instanceof ArchiveDamage) throw error;
    throw new UserError(`Cannot unpack ${JSON.stringify(file.path)}: ${reasonOf(error)}`, {
      exitCode: exitCodes.refused,
      hint: "without --into it is restored as it was",
      cause: error,
    });
  }
}

function shapeOf({ keys }: Rehoming, { path }: KeptFile): { at: Rehoming["keys"]; lines: boolean } {
  return { at: keys, lines: !path.endsWith(".json") };
}

/** Moves a path at or below the old folder; other paths do not belong to the project. */
function moveInto(value: string, from: string, to: string): string | undefined {
  if (from === to) return undefined;
  if (value === from) return to;
  const rest = value.slice(from.length);
  return value.startsWith(from) && /^[/\\]/.test(rest) ? to + rest : undefined;
}

/**
 * The project that a session is to belong to: the requested one; for a session of another machine, the folder that
 * corresponds to its project, if it exists here. undefined: it keeps its project.
 */
export function projectHere(
  library: Library,
  { origin }: KeptSession,
  project: string | undefined,
  { to, into }: PlaceOptions,
): { readonly into: string | undefined; readonly missingProject: string | null } {
  if (origin === null || project === undefined || into !== undefined || to !== undefined)
    return { into, missingProject: null };
  const mapped = mappedFolder(library, origin, project);
  const here = [mapped, project].find((path) => path !== undefined && isFolder(library, path));
  if (here === undefined) return { into: undefined, missingProject: project };
  // Agents name a project by its real path.
  return { into: here === project ? undefined : library.disk.realpath(here), missingProject: null };
}

function isFolder({ disk }: Library, path: string): boolean {
  return isAbsolute(path) && disk.stat(path)?.kind === "folder";
}

/**
 * The folder on this machine that corresponds to a folder of another machine: by the longest match in `paths` in the
 * config; otherwise the other user's home corresponds to the home of this one. undefined if none does.
 */
function mappedFolder(
  { config, environment }: Pick<Library, "config" | "environment">,
  { home }: Pick<MachineOrigin, "home">,
  folder: string,
): string | undefined {
  const rules = { [home]: environment.home, ...config.paths };
  const [best] = Object.entries(rules)
    .map(([from, to]) => ({ from: from.replace(/[/\\]+$/, ""), to }))
    .filter(({ from }) => from !== "" && (folder === from || moveInto(folder, from, "/") !== undefined))
    .sort((a, b) => b.from.length - a.from.length);
  if (best === undefined) return undefined;
  return resolve(best.to, ...folder.slice(best.from.length).split(/[/\\]/));
}

export interface PlaceOptions {
  /** A folder that replaces the home: `DIR/.claude/projects/…`. */
  readonly to?: string | undefined;
  /** The folder of another project, absolute. */
  readonly into?: string | undefined;
}

/**
 * The path of a file of an archived session: its original path, as long as its agent looks there; otherwise below the
 * folder of logs that the agent has now.
 */
export function restorePlace(
  library: Library,
  agent: AgentName,
  file: KeptFile,
  options: PlaceOptions,
): string {
  const { to, into } = options;
  // The archive may have been tampered with.
  if (!isAbsolute(file.path) || resolve(file.path) !== file.path || file.path.includes("\0")) {
    throw leaves(file.path);
  }
  const roots = rootsNow(library, agent, to);
  const stays = to === undefined && isInUse(library, agent, file);
  if (stays && into === undefined) return file.path;
  if (file.root === null && to === undefined && into === undefined) throw notInLogFolder(file.path);
  // A log that was outside of all folders of logs goes into a folder with the name of its old one.
  const root = file.root ?? dirname(dirname(file.path));
  const within = relative(root, file.path);
  if (!insideOf(root, file.path)) throw leaves(file.path);
  const rootNow =
    stays && file.root !== null
      ? root
      : (roots.find((each) => basename(each) === basename(root)) ?? roots[0]);
  if (rootNow === undefined) throw leaves(file.path);
  if (into === undefined) return checked(rootNow, within);
  const place = agentNamed(agent).rehoming.place(within, basename(root), into);
  return place.inProject === undefined || to !== undefined
    ? checked(rootNow, place.relative)
    : checked(join(into, place.inProject), place.relative);
}

/** No file may leave its folder. */
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

function notInLogFolder(path: string): UserError {
  return new UserError(`Cannot restore ${JSON.stringify(path)}: its agent keeps no logs there`, {
    exitCode: exitCodes.refused,
    hint: ELSEWHERE,
  });
}

const ELSEWHERE = "--into PROJECT_DIR makes it a session of a project, --to DIR puts it below another home";

function rootsNow(library: Library, agent: AgentName, to: string | undefined): readonly string[] {
  const { environment } = library;
  const around = to === undefined ? environment : { home: to, variables: {}, folder: to, projects: [] };
  return agentNamed(agent)
    .roots(around)
    .map(({ folder }) => folder);
}

/** Whether the agent looks for logs at this file's place. */
function isInUse(library: Library, agent: AgentName, { path }: KeptFile): boolean {
  const root = rootOfFile(library, agent, path);
  if (root === null) return false;
  const fixed = [...rootsNow(library, agent, undefined), ...(library.config.sources[agent] ?? [])];
  const isFixed = fixed.includes(root);
  // Logs inside a project, `<project>/.claw/sessions`, are found as long as the project exists.
  return isFixed || library.disk.stat(dirname(dirname(root)))?.kind === "folder";
}
