import type { Library } from "../fs/library.ts";
import { splitLines } from "../jsonl/lines.ts";
import { createTextBudget } from "../session/text-budget.ts";
import type { SessionFiles } from "./agent.ts";
import { formatOf } from "./agents.ts";
import { diskSource } from "./disk-source.ts";

/** The project that a log belongs to, as the beginning of the leading one tells. */
export function projectOfLog(library: Library, { agent, files }: SessionFiles): string | null {
  const path = files[0]?.path ?? "";
  return projectInHead(agent, path, diskSource(library.disk).head(path));
}

export function projectInHead(agent: SessionFiles["agent"], path: string, head: Uint8Array): string | null {
  const parser = formatOf(agent).parser({
    emit: () => undefined,
    budget: createTextBudget(),
    path,
    isSubagent: false,
  });
  for (const line of splitLines([head])) parser.line(line);
  return parser.finish().project;
}
