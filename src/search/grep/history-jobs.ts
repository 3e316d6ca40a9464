import { join } from "node:path";
import { claudeFolders } from "../../agents/claude/claude-files.ts";
import { readHistoryLine } from "../../agents/claude/history-line.ts";
import { forgottenSessions } from "../../archive/open-archive.ts";
import { errorCode } from "../../fs/disk-error.ts";
import { type Library, sessionKey } from "../../fs/library.ts";
import { splitLines } from "../../jsonl/lines.ts";
import { isExcluded } from "../catalogue.ts";
import type { GrepJob, HistoryPlace } from "./grep-job.ts";

/** More is no history that anybody typed. */
const MOST_PROMPTS = 500_000;

/** The sessions of which only the prompts are left, in Claude Code's history. One that can't be read is none. */
export function historyJobs(library: Library, isKnown: (key: string) => boolean): readonly GrepJob[] {
  if (library.demo) return [];
  const forgotten = forgottenSessions(library);
  const found = new Map<string, { readonly project: string | null; readonly prompts: HistoryPlace[] }>();
  let taken = 0;
  for (const folder of claudeFolders(library.surroundings)) {
    const path = join(folder, "history.jsonl");
    try {
      for (const line of splitLines(library.disk.readChunks(path))) {
        for (const { sessionId: id, project, at, text } of readHistoryLine(line)) {
          if (id === null || isKnown(sessionKey({ agent: "claude", id }))) continue;
          const session = found.get(id) ?? { project, prompts: [] };
          if (taken++ < MOST_PROMPTS) session.prompts.push({ path, line: line.number, at, text });
          found.set(id, session);
        }
      }
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
    }
  }
  return [...found]
    .filter(([id, session]) => !forgotten.has({ agent: "claude", id }) && !isExcluded(library, session))
    .map(([id, { project, prompts }]) => ({
      ...{ files: { agent: "claude", id, files: [] }, origin: "history", generations: "none", fromFile: 0 },
      ...{ facts: null, prompts, project },
    }));
}
