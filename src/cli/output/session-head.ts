import { shellQuote } from "../../render/json/shell-quote.ts";
import type { OpenSession } from "../../search/open-session.ts";
import type { World } from "../world.ts";
import { countOf, formatBytes, formatCount, formatDuration } from "./amounts.ts";
import { localDateTime, localTime, relativeDate } from "./dates.ts";
import { sanitize } from "./sanitize.ts";
import { shortPath } from "./short-path.ts";
import { createStyle } from "./style.ts";

/** What a session is, in four lines: title, where and when, how much, how to go on. */
export function sessionHead(open: OpenSession, world: World): string {
  const style = createStyle(world.stdout.hasColor);
  const { digest, session } = open;
  const branch = digest.branch === null ? "" : ` (${digest.branch})`;
  const where = digest.project === null ? [] : [`${shortPath(digest.project, world.home)}${branch}`];
  const state = open.state === "live" ? style.green("live") : open.state;
  const much = [
    countOf(digest.turns, "turn"),
    countOf(digest.messages, "message"),
    ...(digest.compactions > 0 ? [countOf(digest.compactions, "compaction")] : []),
    ...(digest.subagents.length > 0 ? [countOf(digest.subagents.length, "sub-agent")] : []),
    `about ${formatCount(digest.tokens.total)} tokens`,
    formatBytes(open.bytes),
  ];
  const parent = digest.lineage === null ? [] : [`${digest.lineage.kind} of ${digest.lineage.session}`];
  const next = session.continuedIn === null ? [] : [`continued in ${session.continuedIn}`];
  const folder = open.resume.folder === null ? "" : `cd ${shellQuote([open.resume.folder])} && `;
  // Whatever comes out of a log is cleaned before it is painted.
  const line = (words: readonly string[]): string => sanitize(words.join(" · "));
  return [
    style.bold(sanitize(digest.title ?? "(no title)")),
    `${style.cyan(sanitize(digest.id))} · ${line([digest.agent, ...where, ...when(open, world)])} · ${state}`,
    line([...(digest.model === null ? [] : [digest.model]), ...much, ...parent, ...next]),
    `${style.dim("resume:")} ${sanitize(`${folder}${shellQuote(open.resume.command)}`)}`,
    "",
  ].join("\n");
}

function when({ digest }: OpenSession, world: World): readonly string[] {
  const { startedAt, endedAt } = digest;
  if (startedAt === null || endedAt === null) return [];
  const sameDay = localDateTime(startedAt, world).slice(0, 10) === localDateTime(endedAt, world).slice(0, 10);
  const end = sameDay ? localTime(endedAt, world) : localDateTime(endedAt, world);
  const span = endedAt - startedAt >= 60_000 ? ` (${formatDuration(endedAt - startedAt)})` : "";
  return [`${localDateTime(startedAt, world)} – ${end}${span}, ${relativeDate(endedAt, world)}`];
}
