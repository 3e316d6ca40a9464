import { isOwnCall } from "../core/documents/own-answers.ts";
import type { Session, Step } from "../core/model/session.ts";
import type { SessionHit, TurnHit } from "../core/search/search-engine.ts";
import { makeSnippet } from "../core/snippet/make-snippet.ts";
import { diskSource } from "./disk-source.ts";
import type { SessionRow } from "./indexing/session-row.ts";
import type { Library } from "./library.ts";
import { readPointed } from "./open-session.ts";
import { readSession } from "./read-session.ts";
import { type HitSnippet, SNIPPET_CHARS } from "./search-snippets.ts";
import { selectSession } from "./select-sessions.ts";

/** Logs that are longer take too long for a search. */
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Passages of tool output, for a hit that has its words nowhere else. Output is found but not kept in the
 * index: it is read again from the log, or from the archive where that is gone.
 */
export function outputSnippets(
  library: Library,
  row: SessionRow,
  hit: SessionHit,
  terms: ReadonlySet<string>,
  limit: number,
): readonly HitSnippet[] {
  if (hit.turns.length === 0 || row.bytes > MAX_BYTES) return [];
  const needsAll = hit.turns.some(({ context }) => context === "subagent");
  const session = readAgain(library, row, needsAll);
  if (session === undefined) return [];
  const found: HitSnippet[] = [];
  for (const turn of hit.turns) {
    if (found.length === limit) break;
    const { turn: number, at, context } = turn;
    const snippet = makeSnippet(outputOf(session, turn), terms, { maxChars: SNIPPET_CHARS });
    if (snippet === undefined) continue;
    const { text, highlights } = snippet;
    found.push({ turn: number, role: "output", at, context, text, highlights });
  }
  return found;
}

/** undefined where it is gone, or can't be read: a hit without a passage is still a hit. */
function readAgain(library: Library, row: SessionRow, needsAll: boolean): Session | undefined {
  try {
    return (needsAll ? undefined : readLead(library, row)) ?? readWhole(library, row);
  } catch {
    return undefined;
  }
}

/** The log alone: to find all that belongs to it, every log would have to be looked at. */
function readLead({ disk }: Library, { agent, id, lead, origin }: SessionRow): Session | undefined {
  const stat = lead === null || origin !== "log" ? undefined : disk.stat(lead);
  if (lead === null || stat === undefined) return undefined;
  return readSession(diskSource(disk), { agent, id, files: [{ role: "main", path: lead, ...stat }] });
}

function readWhole(library: Library, { id }: SessionRow): Session {
  return readPointed(library, selectSession(library, [id])).session;
}

function outputOf(session: Session, { turn, context }: TurnHit): string {
  const steps: readonly Step[] =
    context === "subagent"
      ? session.subagents.filter((subagent) => (subagent.turn ?? 1) === turn).flatMap(({ steps }) => steps)
      : [...(turn === 1 ? session.preamble : []), ...(session.turns[turn - 1]?.steps ?? [])];
  return steps.flatMap(outputText).join("\n\n");
}

function outputText(step: Step): readonly string[] {
  if (step.kind === "note") return step.about === "output" ? [step.text] : [];
  if (step.kind !== "tool" || isOwnCall(step.call)) return [];
  const { result } = step.call;
  return result === undefined || result.isError ? [] : [result.text];
}
