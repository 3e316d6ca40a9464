import { isAbsolute } from "node:path";
import type { Library } from "../fs/library.ts";
import { findFiles, peekOn } from "../fs/sources.ts";
import type { Problem } from "../session/session.ts";
import type { Format, FoundFile, PlacementMemory, Root, SessionFiles } from "./agent.ts";
import { formats } from "./agents.ts";
import { belowRoots } from "./roots-of-files.ts";

export interface FoundSessions {
  readonly sessions: readonly SessionFiles[];
  readonly problems: readonly Problem[];
}

/** All files in which an agent may have logs. */
export interface FoundLogs {
  readonly format: Format;
  readonly files: readonly FoundFile[];
  readonly problems: readonly Problem[];
}

/** Finds the logs of all agents. Nothing is read but names, and heads of files whose name says nothing. */
export function findSessions(library: Library, projects: readonly string[] = []): FoundSessions {
  const found = findLogs(library, projects);
  return {
    sessions: found.flatMap((logs) => groupLogs(library, logs)),
    problems: found.flatMap(({ problems }) => problems),
  };
}

/** Finds the logs of one agent; `projects` are folders in which an agent may keep logs too. */
export function findSessionsOf(library: Library, format: Format, projects: readonly string[]): FoundSessions {
  const logs = findLogsOf(library, format, projects);
  return { sessions: groupLogs(library, logs), problems: logs.problems };
}

/** Finds the files of all agents, without looking into any. */
export function findLogs(library: Library, projects: readonly string[]): readonly FoundLogs[] {
  return formats.map((format) => findLogsOf(library, format, projects));
}

/** Puts files together into sessions. */
export function groupLogs(
  library: Library,
  { format, files }: FoundLogs,
  memory?: PlacementMemory,
): readonly SessionFiles[] {
  return format.group(files, peekOn(library.disk), memory);
}

function findLogsOf(library: Library, format: Format, projects: readonly string[]): FoundLogs {
  let files: readonly FoundFile[] = [];
  const problems: Problem[] = [];
  const mayRead = belowRoots(library);
  for (const root of rootsOf(library, format, projects)) {
    const found = findFiles(library.disk, root, mayRead);
    if (found.files.length > 0) files = files.length === 0 ? found.files : withoutTwins(files, found.files);
    problems.push(...found.problems);
  }
  return { format, files, problems };
}

/** Roots may lie within one another. Nearly always only one of them has files: a set of all paths takes a while. */
function withoutTwins(files: readonly FoundFile[], more: readonly FoundFile[]): readonly FoundFile[] {
  const seen = new Set(files.map(({ path }) => path));
  return [...files, ...more.filter(({ path }) => !seen.has(path))];
}

/** What a log says of its folder may be anything: only an absolute path is one to be looked into. */
export function isFolderPath(project: string): boolean {
  return isAbsolute(project) && !project.includes("\0");
}

function rootsOf(library: Library, format: Format, projects: readonly string[]): readonly Root[] {
  const own = format.roots({ ...library.surroundings, projects: projects.filter(isFolderPath) });
  const extra = library.config.sources[format.agent].map(
    (folder): Root => ({ folder, depth: 8, extensions: [".jsonl", ".json"] }),
  );
  return [...own, ...extra];
}
