import type { Session } from "../../session/session.ts";
import { mergePiSections } from "./merge-pi-summary.ts";
import { piSectionsOf, turnPrefixSummary } from "./pi-digest.ts";
import { NO_HISTORY, renderFileLists, renderPiSections, SPLIT_TURN } from "./pi-sections.ts";

export interface FileLists {
  /** Read and not changed, sorted. */
  readonly readFiles: readonly string[];
  readonly modifiedFiles: readonly string[];
}

export interface PiSummaryParts {
  /** What is to be summarised; null where all of it belongs to a turn that is split. */
  readonly history: Session | null;
  /** The beginning of a turn whose end is kept. */
  readonly turnPrefix: Session | null;
  readonly earlier: string | null;
  readonly files: FileLists;
}

/** The summary that Pi writes into a compaction, made without a model. */
export function piSummary({ history, turnPrefix, earlier, files }: PiSummaryParts): string {
  const lists = renderFileLists(files.readFiles, files.modifiedFiles);
  const before = history === null ? historyAlone(earlier) : renderPiSections(sectionsOf(history, earlier));
  return `${before}${turnPrefix === null ? "" : `${SPLIT_TURN}${turnPrefixSummary(turnPrefix)}`}${lists}`;
}

function sectionsOf(history: Session, earlier: string | null): ReturnType<typeof piSectionsOf> {
  const newer = piSectionsOf(history);
  return earlier === null ? newer : mergePiSections(earlier, newer);
}

/** The files of an earlier summary stand behind the new one. */
function historyAlone(earlier: string | null): string {
  return earlier === null
    ? NO_HISTORY
    : earlier.replace(/\s*<(read-files|modified-files)>[\s\S]*?<\/\1>/g, "").trimEnd();
}

const BRANCH_PREAMBLE =
  "The user explored a different conversation branch before returning here.\nSummary of that exploration:\n\n";

/** What Pi attaches where the user came back from a branch. */
export function piBranchSummary(branch: Session, files: FileLists): string {
  const lists = renderFileLists(files.readFiles, files.modifiedFiles);
  return `${BRANCH_PREAMBLE}${renderPiSections(piSectionsOf(branch))}${lists}`;
}

/** The files that the tools of a session touched, and those that an earlier summary names. */
export function fileListsOf(session: Session, earlier: string | null): FileLists {
  const read = new Set(listed(earlier, "read-files"));
  const modified = new Set(listed(earlier, "modified-files"));
  const steps = [...session.preamble, ...session.turns.flatMap((turn) => turn.steps)];
  for (const step of steps) {
    if (step.kind !== "tool") continue;
    for (const { path, mode } of step.call.files) (mode === "read" ? read : modified).add(path);
  }
  return {
    readFiles: [...read].filter((path) => !modified.has(path)).sort(),
    modifiedFiles: [...modified].sort(),
  };
}

function listed(summary: string | null, tag: string): readonly string[] {
  const list = new RegExp(`<${tag}>\\n([\\s\\S]*?)\\n</${tag}>`).exec(summary ?? "")?.[1];
  return list?.split("\n") ?? [];
}
