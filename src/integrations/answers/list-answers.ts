import type { FilesAnswer, PendingAnswer, PlaceCount, ProjectsAnswer, SessionList } from "../../index.ts";
import { cleanLine } from "../../redact/clean-text.ts";
import type { AgentAnswer } from "../../render/agent/page-answer.ts";
import { countOf, pendingText, pendingWords, relativeTo, utcMinute } from "../../render/words.ts";
import { firstChars, sessionLine } from "./session-line.ts";

/** Where a page of a list starts, and who reads it. */
export interface ListPlace {
  readonly offset: number;
  readonly callingSession?: string | undefined;
  /** Advice on what to do with an item, and what to do if there is none. */
  readonly readOn: string;
  readonly nothing: string;
}

/** Presents a list of sessions, newest first, a line each. */
export function listAnswer({ rows, total }: SessionList, place: ListPlace): AgentAnswer {
  if (rows.length === 0) return { says: [`No session matches. ${place.nothing}`], items: [] };
  return {
    says: [`${countOf(total, "session")}, newest first. ${place.readOn}`],
    items: rows.map((row, index) => ({
      at: place.offset + index,
      text: sessionLine(row, place.callingSession),
    })),
    ...nextOf(place.offset + rows.length, total),
  };
}

/** Presents projects, a line each, with their worktrees below. */
export function projectsAnswer({ projects, total }: ProjectsAnswer, place: ListPlace): AgentAnswer {
  if (projects.length === 0) return { says: [`No project matches. ${place.nothing}`], items: [] };
  const counts = ({ sessions, endedAt }: PlaceCount): string =>
    [countOf(sessions, "session"), ...(endedAt === null ? [] : [`last ${utcMinute(endedAt) ?? ""}`])].join(
      ", ",
    );
  return {
    says: [`${countOf(total, "project")}, the last active first. ${place.readOn}`],
    items: projects.map((each, index) => ({
      at: place.offset + index,
      text: [
        `${cleanLine(each.name)} (${cleanLine(each.project ?? "no folder")}): ${counts(each)}`,
        ...each.worktrees.map((tree) => `  worktree ${cleanLine(tree.worktree)}: ${counts(tree)}`),
      ].join("\n"),
    })),
    ...nextOf(place.offset + projects.length, total),
  };
}

/** Presents the sessions that read or wrote a file. `answer` has them from the first one on. */
export function filesAnswer({ sessions, total }: FilesAnswer, place: ListPlace): AgentAnswer {
  if (total === 0)
    return { says: [`No session read, wrote or named such a file. ${place.nothing}`], items: [] };
  return {
    says: [`${countOf(total, "session")}, newest first. ${place.readOn}`],
    items: sessions.slice(place.offset).map(({ row, files }, index) => ({
      at: place.offset + index,
      text: [
        sessionLine(row, place.callingSession),
        ...files.map(({ path, reads, writes, mentions, lastAt }) => {
          const what = [
            ...(writes > 0 ? [`written ${countOf(writes, "time")}`] : []),
            ...(reads > 0 ? [`read ${countOf(reads, "time")}`] : []),
            ...(writes + reads === 0 ? [`named ${countOf(mentions, "time")}`] : []),
            ...(lastAt === null ? [] : [`last ${utcMinute(lastAt) ?? ""}`]),
          ];
          return `  ${relativeTo(row.digest.project, path)}: ${what.join(", ")}`;
        }),
      ].join("\n"),
    })),
    ...nextOf(sessions.length, total),
  };
}

const ITEM_CHARS = 400;

/** Presents unfinished work by session. `answer` has the sessions from the first one on. */
export function pendingAnswer(
  { sessions, total, project }: PendingAnswer,
  place: ListPlace & { readonly isFiltered: boolean },
): AgentAnswer {
  const which = place.isFiltered ? " that matches" : "";
  if (total === 0) {
    const says =
      project === undefined
        ? `No unfinished work${which} in any project.`
        : `No unfinished work${which} in this project. ${place.nothing}`;
    return { says: [says], items: [] };
  }
  const where =
    project !== undefined ? "in this project" : place.isFiltered ? "that match" : "in all projects";
  return {
    says: [`${countOf(total, "session")} with unfinished work ${where}, newest first. ${place.readOn}`],
    items: sessions.slice(place.offset).map(({ row, items }, index) => ({
      at: place.offset + index,
      text: [
        sessionLine(row, place.callingSession),
        ...items.map((item) => {
          const at = item.turn === null ? "" : `, turn ${item.turn}`;
          return `  - ${firstChars(pendingText(item), ITEM_CHARS)} (${pendingWords(item)}${at})`;
        }),
      ].join("\n"),
    })),
    ...nextOf(sessions.length, total),
  };
}

function nextOf(shown: number, total: number): { readonly next?: number } {
  return shown < total ? { next: shown } : {};
}
