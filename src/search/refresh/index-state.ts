import type { Config } from "../../fs/config.ts";
import type { Problem } from "../../session/session.ts";

/** What the index must know about the whole, besides its sessions. Kept with every commit. */
export interface IndexState {
  readonly indexedAt: number;
  /** Keys of sessions whose files are gone. */
  readonly gone: readonly string[];
  /** Marks of what looked like a session and is none, or is not to be read: not looked at again until it changes. */
  readonly skipped: Readonly<Record<string, string>>;
  /** What of the settings decides what the index has of a session, as `settingsMark` gives it. */
  readonly settings?: string;
  /** Of the files that prompts of deleted sessions come from. */
  readonly historyMark: string;
  /** Of the archive when the index had all of it; what it was told then needs not be looked for again. */
  readonly archiveMark?: string;
  /** Of folders and files that could not be looked at. */
  readonly problems: readonly Problem[];
}

export const emptyState: IndexState = { indexedAt: 0, gone: [], skipped: {}, historyMark: "", problems: [] };

/** Changes with what is read, kept and masked: then all is read again. */
export function settingsMark({ exclude, redact, index }: Config): string {
  return JSON.stringify({ exclude, redact, index });
}

export function readState(text: string): IndexState {
  return text === "" ? emptyState : JSON.parse(text);
}
