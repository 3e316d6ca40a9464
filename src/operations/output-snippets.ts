import { isOwnCall } from "../core/documents/own-answers.ts";
import type { Session, Step } from "../core/model/session.ts";
import { once } from "../core/search/once.ts";
import type { SessionHit, TurnHit } from "../core/search/search-engine.ts";
import { makeSnippet, type Snippet } from "../core/snippet/make-snippet.ts";
import { linesSince } from "../formats/lines-since.ts";
import type { ByteSource } from "./byte-source.ts";
import { diskSource } from "./disk-source.ts";
import type { SessionRow } from "./indexing/session-row.ts";
import type { Library } from "./library.ts";
import { readPointed } from "./open-session.ts";
import { readSession } from "./read-session.ts";
import { type HitSnippet, SNIPPET_CHARS } from "./search-snippets.ts";
import { selectSession } from "./select-sessions.ts";

/** Logs that are longer take too long for a search. */
const MAX_BYTES = 32 * 1024 * 1024;

/** A passage is at most this much of a log, nearly always: longer ones are looked for in the whole. */
const WINDOW_BYTES = 256 * 1024;

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
  const whole = once(() => readAgain(library, row, needsAll));
  const found: HitSnippet[] = [];
  for (const turn of hit.turns) {
    if (found.length === limit) break;
    const { turn: number, at, context } = turn;
    const snippet =
      snippetIn(outputSince(library, row, turn), terms) ?? snippetIn(outputOf(whole(), turn), terms);
    if (snippet === undefined) continue;
    const { text, highlights } = snippet;
    found.push({ turn: number, role: "output", at, context, text, highlights });
  }
  return found;
}

function snippetIn(text: string, terms: ReadonlySet<string>): Snippet | undefined {
  return makeSnippet(text, terms, { maxChars: SNIPPET_CHARS });
}

/** What stands in the log behind the moment in which a passage begins. Reading all of it takes too long. */
function outputSince({ disk }: Library, row: SessionRow, { at, context }: TurnHit): string {
  const { agent, id, lead, origin } = row;
  if (lead === null || at === null || origin !== "log" || context === "subagent") return "";
  const source = diskSource(disk);
  const window: ByteSource = {
    ...source,
    chunks: (path) => linesSince(source.chunks(path), at, WINDOW_BYTES),
  };
  const main = { role: "main", path: lead, size: WINDOW_BYTES, mtimeMs: 0, inode: 0 } as const;
  const { preamble, turns } = readSession(window, { agent, id, files: [main] });
  // It begins with the request of the turn, or in its middle.
  const [first] = turns;
  return textOf(first?.at === at ? first.steps : preamble);
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

function outputOf(session: Session | undefined, { turn, context }: TurnHit): string {
  if (session === undefined) return "";
  const steps: readonly Step[] =
    context === "subagent"
      ? session.subagents.filter((subagent) => (subagent.turn ?? 1) === turn).flatMap(({ steps }) => steps)
      : [...(turn === 1 ? session.preamble : []), ...(session.turns[turn - 1]?.steps ?? [])];
  return textOf(steps);
}

function textOf(steps: readonly Step[]): string {
  return steps.flatMap(outputText).join("\n\n");
}

function outputText(step: Step): readonly string[] {
  if (step.kind === "note") return step.about === "output" ? [step.text] : [];
  if (step.kind !== "tool" || isOwnCall(step.call)) return [];
  const { result } = step.call;
  return result === undefined || result.isError ? [] : [result.text];
}
