import type { Library } from "../fs/library.ts";
import { expandHome } from "../fs/places.ts";
import { isSamePath } from "../fs/real-path.ts";
import { splitLines } from "../jsonl/lines.ts";
import type { AgentName, SourceFacts } from "../session/entry.ts";
import { createTextBudget } from "../session/text-budget.ts";
import type { SessionFiles } from "./agent.ts";
import { agentNamed, agents } from "./agents.ts";
import { diskSource } from "./byte-source.ts";
import { belowRoots, findSessionsOf, isStrayLink, rootOfFile } from "./find-sessions.ts";

/**
 * The session of a log, with all its files; undefined if it is not a log. Only the folders of its own agent are
 * searched, because an agent waits for this.
 */
export function sessionOfLog(library: Library, named: string): SessionFiles | undefined {
  const { disk, environment } = library;
  const path = expandHome(named, environment.home);
  const stat = disk.stat(path);
  // Files that the kernel generates have no size, and reading one may block forever.
  if (stat?.kind !== "file" || stat.size === 0) return undefined;
  if (isStrayLink(library, path, belowRoots(library))) return undefined;
  const { head } = diskSource(disk);
  const format = agents.find((each) => each.owns(head(path)));
  // If the start of a log does not show whose it is, it belongs to the agent that accepts it by its path.
  const candidates =
    format === undefined ? agents.filter(({ name }) => rootOfFile(library, name, path) !== null) : [format];
  for (const each of candidates) {
    const { sessions } = findSessionsOf(library, each, []);
    const known =
      sessions.find(({ files }) => files.some((file) => file.path === path)) ??
      sessions.find(({ files }) =>
        files.some((file) => file.inode === stat.inode && isSamePath(disk, file.path, path)),
      );
    if (known !== undefined) return known;
  }
  const file = { path, size: stat.size, mtimeMs: stat.mtimeMs, inode: stat.inode };
  return format?.group([file], head)[0];
}

/** The project that a log belongs to, by the start of the leading one. */
export function projectOfLog(library: Library, { agent, files }: SessionFiles): string | null {
  const path = files[0]?.path ?? "";
  return projectInHead(agent, path, diskSource(library.disk).head(path));
}

export function projectInHead(agent: SessionFiles["agent"], path: string, head: Uint8Array): string | null {
  return factsInHead(agent, path, head).project;
}

/** Facts about a session from the first lines of a log. */
export function factsInHead(agent: SessionFiles["agent"], path: string, head: Uint8Array): SourceFacts {
  const parser = agentNamed(agent).parser({
    emit: () => undefined,
    budget: createTextBudget(),
    path,
    isSubagent: false,
  });
  for (const line of splitLines([head])) parser.line(line);
  return parser.finish();
}

/** Returns the sessions that a log was forked from, according to its start. */
export function parentsInHead(agent: AgentName, path: string, head: Uint8Array): readonly string[] {
  const parents = new Set<string>();
  const parser = agentNamed(agent).parser({
    emit: (entry) => {
      if (entry.kind === "fact" && entry.fact.name === "parent") parents.add(entry.fact.lineage.session);
      if (entry.kind === "request" && entry.copiedFrom !== undefined) parents.add(entry.copiedFrom);
    },
    budget: createTextBudget(),
    path,
    isSubagent: false,
  });
  for (const line of splitLines([head])) parser.line(line);
  parser.finish();
  return [...parents];
}
