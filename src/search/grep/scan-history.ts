import type { Redactor } from "../../redact/redact.ts";
import { sessionOfStub } from "../history-stubs.ts";
import { findMatches } from "./find-matches.ts";
import type { GrepHit, GrepJob, GrepStep, GrepTaskData } from "./grep-job.ts";
import { makeHits } from "./make-hits.ts";
import { factsOf, fits, isNarrow } from "./open-layer.ts";

/** Searches the prompts of a session of which nothing else is left. */
export async function* scanHistory(
  { files, prompts = [], project = null }: GrepJob,
  {
    wish,
    regex,
    redactor,
  }: GrepTaskData & { readonly regex: RegExp; readonly redactor: Redactor | undefined },
): AsyncGenerator<GrepStep, void, void> {
  const { since, until, contexts } = wish.filter;
  if (!wish.roles.includes("request") || (contexts.length > 0 && !contexts.includes("current"))) return;
  const hits: GrepHit[] = [];
  for (const [index, { path, line, at, text }] of prompts.entries()) {
    if (at !== null && (at < (since ?? at) || at > (until ?? at))) continue;
    const placed = { line, at, isPlain: false };
    const place = { path, generation: null, turn: index + 1, turnAt: at, context: "current" } as const;
    for (const matching of findMatches([{ role: "request", text }], regex, new Set(["request"])))
      hits.push(...makeHits(matching, placed, place, { contextLines: wish.contextLines, redactor }));
  }
  if (hits.length === 0) return;
  const session = sessionOfStub({ agent: files.agent, id: files.id, project, prompts });
  if (isNarrow(wish.filter) && !(await fits(session, files, "history", wish.filter))) return;
  yield { kind: "hits", facts: factsOf(session), hits: wish.sessionsOnly ? [] : hits };
}
