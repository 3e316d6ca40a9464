import { dirname, isAbsolute, join } from "node:path";
import type { Problem } from "../errors.ts";
import type { Disk } from "../fs/disk.ts";
import { errorCode } from "../fs/disk-error.ts";
import type { Library } from "../fs/library.ts";
import { insideOf } from "../fs/places.ts";
import { isSamePath } from "../fs/real-path.ts";
import { findFiles, peekOn } from "../fs/sources.ts";
import type { AgentName } from "../session/entry.ts";
import type { Agent, FoundFile, LogRoot, PlacementCache, PromptHistory, SessionFiles } from "./agent.ts";
import { agentNamed, agents } from "./agents.ts";

interface FoundSessions {
  readonly sessions: readonly SessionFiles[];
  readonly problems: readonly Problem[];
}

/**
 * Updates the files that mirror the sessions of agents whose logs are not files. Returns problems with sessions that
 * could not be read.
 */
export function mirrorLogs(library: Library): readonly Problem[] {
  return agents.flatMap(({ mirror }) => mirror?.(library) ?? []);
}

/** All files in which an agent may have logs. */
export interface FoundLogs {
  readonly format: Agent;
  readonly files: readonly FoundFile[];
  readonly problems: readonly Problem[];
}

/** Finds the logs of all agents. Reads only names, and the heads of files whose name does not identify them. */
export function findSessions(library: Library, projects: readonly string[] = []): FoundSessions {
  const found = findLogs(library, projects);
  return {
    sessions: found.flatMap((logs) => groupLogs(library, logs)),
    problems: found.flatMap(({ problems }) => problems),
  };
}

/** Finds the logs of one agent; `projects` are folders in which an agent may also keep logs. */
export function findSessionsOf(library: Library, format: Agent, projects: readonly string[]): FoundSessions {
  const logs = findLogsOf(library, format, projects.filter(isFolderPath));
  return { sessions: groupLogs(library, logs), problems: logs.problems };
}

/** Finds the files of all agents, without opening any. */
export function findLogs(library: Library, projects: readonly string[]): readonly FoundLogs[] {
  const folders = projects.filter(isFolderPath);
  return agents.map((format) => findLogsOf(library, format, folders));
}

/** Groups files into sessions. */
export function groupLogs(
  library: Library,
  { format, files }: FoundLogs,
  memory?: PlacementCache,
): readonly SessionFiles[] {
  return format.group(files, peekOn(library.disk), memory);
}

function findLogsOf(library: Library, format: Agent, folders: readonly string[]): FoundLogs {
  let files: readonly FoundFile[] = [];
  const problems: Problem[] = [...(format.mirror?.(library) ?? [])];
  const mayRead = belowRoots(library);
  for (const root of rootsOf(library, format, folders)) {
    const found = findFiles(library.disk, root, mayRead);
    if (found.files.length > 0)
      files = files.length === 0 ? found.files : withoutDuplicates(library.disk, files, found.files);
    problems.push(...found.problems);
  }
  return { format, files, problems };
}

/**
 * Leaves out known files: one root may be inside another, or two roots may be links to one folder. Nearly always only
 * one of them has files, and a set of all paths would take a while.
 */
function withoutDuplicates(
  disk: Disk,
  files: readonly FoundFile[],
  more: readonly FoundFile[],
): readonly FoundFile[] {
  const paths = new Set(files.map(({ path }) => path));
  const byInode = new Map(files.map((file) => [file.inode, file.path]));
  return [
    ...files,
    ...more.filter(({ path, inode }) => {
      const other = byInode.get(inode);
      return !paths.has(path) && (other === undefined || !isSamePath(disk, other, path));
    }),
  ];
}

/** A log's project field may contain anything: only absolute paths are searched. */
export function isFolderPath(project: string): boolean {
  return isAbsolute(project) && !project.includes("\0");
}

/** The folders with an agent's logs; `projects` are folders in which it may also keep logs. */
function rootsOf(library: Library, format: Agent, projects: readonly string[]): readonly LogRoot[] {
  const own = format.roots({ ...library.environment, projects });
  const extra = (library.config.sources[format.name] ?? []).map(
    (folder): LogRoot => ({ folder, depth: 8, extensions: [".jsonl", ".json"] }),
  );
  return [...own, ...extra];
}

/** The nearest folder of logs above a file of an agent; null if there is none. */
export function rootOfFile(library: Library, agent: AgentName, path: string): string | null {
  // Agents that keep logs inside projects: any folder above the file may be the project.
  return rootsWith(library, agent, foldersAbove(path))
    .filter((root) => insideOf(root, path))
    .reduce<string | null>((best, root) => (best === null || root.length > best.length ? root : best), null);
}

/** The extensions of an agent's logs in the folder of logs that this path is in; empty if it is in none. */
export function logExtensionsAt(library: Library, agent: AgentName, path: string): readonly string[] {
  return (
    rootsOf(library, agentNamed(agent), foldersAbove(path))
      .filter(({ folder }) => insideOf(folder, path))
      .reduce<LogRoot | undefined>(
        (best, root) => (best === undefined || root.folder.length > best.folder.length ? root : best),
        undefined,
      )?.extensions ?? []
  );
}

/**
 * Whether a file, by its path without links, is below a folder of logs of any agent. A link may lead anywhere: its
 * target is read or written only if this is true.
 */
export function belowRoots(library: Library): (real: string) => boolean {
  let known: readonly string[] | undefined;
  return (real) => {
    known ??= agents.flatMap(({ name: agent }) =>
      rootsWith(library, agent, library.environment.projects).flatMap((root) => realpathOf(library, root)),
    );
    return (
      known.some((root) => insideOf(root, real)) ||
      agents.some(({ name, inProjects }) => inProjects === true && rootOfFile(library, name, real) !== null)
    );
  };
}

/** Whether it is a link that leads to nothing, or out of all folders of logs. */
export function isStrayLink({ disk }: Library, path: string, isBelow: (real: string) => boolean): boolean {
  if (disk.lstat(path)?.kind !== "link") return false;
  return disk.stat(path) === undefined || !isBelow(disk.realpath(path));
}

function rootsWith(library: Library, agent: AgentName, projects: readonly string[]): readonly string[] {
  const own = agentNamed(agent).roots({ ...library.environment, projects });
  return [...own.map(({ folder }) => folder), ...(library.config.sources[agent] ?? [])];
}

function realpathOf({ disk }: Library, folder: string): readonly string[] {
  try {
    return disk.stat(folder) === undefined ? [] : [disk.realpath(folder)];
  } catch (error) {
    // A folder that can't be read has no files either.
    if (errorCode(error) === undefined) throw error;
    return [];
  }
}

function foldersAbove(path: string): readonly string[] {
  const folders: string[] = [];
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) folders.push(at);
  return folders;
}

/** Whether there is any log of any agent, or anything in the archive. Stops at the first. */
export function hasLogs(library: Library): boolean {
  const extra = agents.flatMap(({ name }) => library.config.sources[name] ?? []);
  return (
    agents.some((format) =>
      format
        .roots(library.environment)
        .some(({ folder, depth, extensions }) => hasFile(library.disk, folder, depth, extensions)),
    ) ||
    extra.some((folder) => hasFile(library.disk, folder, 8, [".jsonl", ".json"])) ||
    hasFile(library.disk, library.places.raw, 8, [".json"])
  );
}

function hasFile(disk: Disk, folder: string, depth: number, extensions: readonly string[]): boolean {
  const folders: string[] = [];
  try {
    for (const { name, kind } of disk.readdir(folder)) {
      // The real search follows links: there may be logs behind one.
      if (kind !== "folder" && extensions.some((extension) => name.endsWith(extension))) return true;
      if (kind === "link") return true;
      if (kind === "folder") folders.push(name);
    }
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    // A folder that may not be read may contain logs; a missing one does not.
    return errorCode(error) === "EACCES";
  }
  return depth > 1 && folders.some((name) => hasFile(disk, join(folder, name), depth - 1, extensions));
}

/** A file with the prompts that were typed into an agent. */
interface HistoryFile extends Pick<PromptHistory, "readLine"> {
  readonly agent: AgentName;
  readonly path: string;
}

/** The prompt histories of all agents that keep one. The files may be missing. */
export function promptHistories({ environment }: Pick<Library, "environment">): readonly HistoryFile[] {
  return agents.flatMap(({ name: agent, history }) =>
    history === undefined
      ? []
      : history.files(environment).map((path) => ({ agent, path, readLine: history.readLine })),
  );
}
