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
 * The session whose log this is, with all its files; undefined if it is no log. Only the folders of
 * its own agent are looked through: an agent waits for this.
 */
export function sessionOfLog(library: Library, named: string): SessionFiles | undefined {
  const { disk, surroundings } = library;
  const path = expandHome(named, surroundings.home);
  const stat = disk.stat(path);
  // What the kernel makes up has no size, and whoever reads it may wait for ever.
  if (stat?.kind !== "file" || stat.size === 0) return undefined;
  if (isStrayLink(library, path, belowRoots(library))) return undefined;
  const { head } = diskSource(disk);
  const format = agents.find((each) => each.owns(head(path)));
  // A log whose start does not show whose it is, is of the agent that takes it for its own by its place.
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

/** What the first lines of a log say about its session. */
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
