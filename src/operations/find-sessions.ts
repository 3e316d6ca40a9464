import type { Problem } from "../core/model/session.ts";
import type { Format, FoundFile, PlacementMemory, Root, SessionFiles } from "../formats/format.ts";
import { formats } from "../formats/formats.ts";
import { findFiles, peekOn } from "../store/sources.ts";
import type { Library } from "./library.ts";

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
  const files: FoundFile[] = [];
  const problems: Problem[] = [];
  const seen = new Set<string>();
  for (const root of rootsOf(library, format, projects)) {
    const found = findFiles(library.disk, root);
    for (const file of found.files) {
      if (seen.has(file.path)) continue;
      seen.add(file.path);
      files.push(file);
    }
    problems.push(...found.problems);
  }
  return { format, files, problems };
}

function rootsOf(library: Library, format: Format, projects: readonly string[]): readonly Root[] {
  const own = format.roots({ ...library.surroundings, projects });
  const extra = library.config.sources[format.agent].map(
    (folder): Root => ({ folder, depth: 8, extensions: [".jsonl", ".json"] }),
  );
  return [...own, ...extra];
}
