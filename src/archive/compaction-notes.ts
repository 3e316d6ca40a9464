import { dirname, join } from "node:path";
import { makeFolders } from "../fs/folders.ts";
import type { Library } from "../fs/library.ts";
import { replaceFile } from "../fs/replace-file.ts";
import { createRedactor } from "../redact/redact.ts";
import type { LogKey } from "../session/session.ts";
import { forgottenSessions } from "./open-archive.ts";
import { folderNameOf } from "./raw/generations.ts";

/** The summary of a compaction, as the agent reported it: the log may lag behind, or lose it. */
export interface NotedSummary {
  readonly at: number;
  readonly trigger: string | null;
  readonly text: string;
}

type Store = Pick<Library, "disk" | "places">;

const MAX_NOTES = 20;
const MAX_TEXT_CHARS = 100_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** Where the summaries of one session are noted. */
export function notesPath({ places }: Pick<Library, "places">, session: LogKey): string {
  return join(places.notes, session.agent, `${folderNameOf(session)}.json`);
}

/**
 * Notes a summary, with secrets masked; one that is noted already is not noted again. The file is read and rewritten:
 * call it with the store's lock held, or a note of another process may be lost.
 */
export function noteSummary(
  library: Pick<Library, "disk" | "places" | "config" | "now">,
  session: LogKey,
  { text, trigger }: Omit<NotedSummary, "at">,
): void {
  if (forgottenSessions(library).has(session)) return;
  const { redact } = createRedactor({ extra: library.config.redact });
  const masked = redact(text).slice(0, MAX_TEXT_CHARS);
  const before = readSummaries(library, session);
  if (before.at(-1)?.text === masked) return;
  const summaries = [...before, { at: library.now(), trigger, text: masked }].slice(-MAX_NOTES);
  const path = notesPath(library, session);
  makeFolders(library.disk, dirname(path));
  replaceFile(
    library.disk,
    path,
    `${JSON.stringify({ sessionId: session.id, agent: session.agent, summaries }, null, 1)}\n`,
  );
}

/** Reads the notes, oldest first. A file that cannot be parsed counts as empty. */
export function readSummaries(store: Store, session: LogKey): readonly NotedSummary[] {
  const text = store.disk.readFile(notesPath(store, session), MAX_BYTES)?.toString("utf8");
  if (text === undefined) return [];
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || !("summaries" in value)) return [];
    return Array.isArray(value.summaries) ? value.summaries.flatMap(readSummary) : [];
  } catch {
    return [];
  }
}

function readSummary(value: unknown): readonly NotedSummary[] {
  if (typeof value !== "object" || value === null) return [];
  const { at, trigger, text }: Partial<Record<keyof NotedSummary, unknown>> = value;
  if (typeof at !== "number" || typeof text !== "string") return [];
  return [{ at, trigger: typeof trigger === "string" ? trigger : null, text }];
}
