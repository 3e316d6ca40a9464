import type { Digest } from "../extract/digest.ts";
import { safeName } from "../fs/safe-name.ts";
import { hashOfName } from "./raw/session-folder.ts";

const MAX_TITLE_BYTES = 60;

/**
 * The name of a session's readable copy, below the folder of those:
 * `<agent>/<project>/<start date>_<title>_<hash>.md`. It is chosen once, for other programs link to it.
 * What comes out of logs may not leave its place, so all of it is made harmless.
 */
export function markdownName(digest: Digest, isTaken: (name: string) => boolean): string {
  const { agent, id, project, title, startedAt, endedAt } = digest;
  const day = dayOf(startedAt ?? endedAt);
  const folder = project === null ? "unknown" : safeName(lastPart(project));
  const words = safeName(title ?? "untitled", MAX_TITLE_BYTES);
  const nameWith = (digits: number): string =>
    `${agent}/${folder}/${day}_${words}_${hashOfName({ agent, id }, digits)}.md`;
  const short = nameWith(8);
  return isTaken(short) ? nameWith(32) : short;
}

function lastPart(path: string): string {
  return path.split(/[/\\]/).findLast((part) => part !== "") ?? path;
}

function dayOf(at: number | null): string {
  const date = new Date(at ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? "undated" : date.toISOString().slice(0, 10);
}
