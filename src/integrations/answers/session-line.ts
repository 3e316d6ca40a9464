import type { CatalogRow, Context, SessionState } from "../../index.ts";
import { cleanLine } from "../../redact/clean-text.ts";
import { contextWords, countOf, utcMinute } from "../../render/words.ts";

const TITLE_CHARS = 140;

/** One line that names a session: id, agent, project, time, size, title. `remarks` come after its state. */
export function sessionLine(
  { digest, state }: CatalogRow,
  callingSession?: string,
  remarks: readonly string[] = [],
): string {
  const { id, agent, project, endedAt, turns, title } = digest;
  const facts = [
    agent,
    project ?? "no project",
    ...(endedAt === null ? [] : [utcMinute(endedAt) ?? ""]),
    countOf(turns, "turn"),
    ...stateWords(state, id === callingSession),
    ...remarks,
  ];
  return `session ${id} (${facts.map(cleanLine).join(", ")}): ${firstChars(title ?? "(no title)", TITLE_CHARS)}`;
}

/** Returns the words for a session that is running or whose log is gone. */
export function stateWords(state: SessionState, isCaller: boolean): readonly string[] {
  if (isCaller) return ["the session that you are in"];
  switch (state) {
    case "live":
      return ["running now"];
    case "kept":
      return ["log deleted, archived here"];
    case "stub":
      return ["only its prompts are left"];
    case "idle":
      return [];
  }
}

/** The context of a turn, if its agent no longer loads it. */
export function contextNote(context: Context): string {
  const words = contextWords(context);
  return words === null ? "" : `, ${words}`;
}

/** The start of a text, on one line. */
export function firstChars(text: string, chars: number): string {
  const line = cleanLine(text);
  return line.length <= chars ? line : `${line.slice(0, chars - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
