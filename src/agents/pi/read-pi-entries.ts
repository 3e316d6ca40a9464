import type { Session } from "../../session/session.ts";
import { createSessionBuilder } from "../../session/session-builder.ts";
import { createTextBudget } from "../../session/text-budget.ts";
import type { PiLoaded } from "./pi-trail.ts";
import type { PiTrail } from "./read-trail.ts";
import { readEdits, summarisedEntries } from "./summarised-entries.ts";

const NO_FACTS = { id: null, project: null, branch: null, version: null, firstAt: null, lastAt: null };

/** Some entries of a Pi log as a session of their own, with their words as they are loaded. */
export function readPiEntries(
  chunks: () => Iterable<Uint8Array>,
  trail: PiTrail,
  loaded: readonly Pick<PiLoaded, "entry" | "edited">[],
): Session {
  const lineOf = new Map(trail.entries.map(({ id, line }) => [id, line]));
  const replaced = loaded.filter(({ edited }) => edited).map(({ entry }) => entry.id);
  const contents = replaced.length === 0 ? new Map<string, unknown>() : readEdits(chunks());
  const edits = new Map(replaced.map((id) => [lineOf.get(id) ?? 0, contents.get(id)]));
  const lines = new Set(loaded.map(({ entry }) => lineOf.get(entry.id) ?? 0));
  const builder = createSessionBuilder("last-entry");
  for (const entry of summarisedEntries(chunks(), lines, edits, createTextBudget())) builder.add(entry);
  return builder.finish({ agent: "pi", id: "", facts: NO_FACTS, lines: lines.size, problems: [] });
}
