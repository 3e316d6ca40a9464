import { agentsThat } from "../agents/actions.ts";
import { exitCodes, UserError } from "../errors.ts";
import type { Library } from "../fs/library.ts";
import { nameOfChange, type RequestedFile } from "../settings/change-files.ts";
import type { FileChange } from "../settings/receipt.ts";

/** What "for ever" is written as: 273 years. */
export const FOREVER_DAYS = 99_999;

/** Refuses what Claude Code would not take, with the reason. */
export function checkDays(text: string | undefined): number {
  const days = /^\d{1,6}$/.test(text ?? "") ? Number(text) : Number.NaN;
  if (days >= 1) return days;
  const reason =
    text === undefined
      ? "the number of days is missing"
      : days === 0
        ? "0 is an error to Claude Code since 2.1.89, and made older versions write no sessions at all"
        : `${JSON.stringify(text)} is not a whole number of days from 1 to 999999`;
  throw new UserError(`Cannot set the retention: ${reason}`, {
    exitCode: exitCodes.wrongUsage,
    hint: "`sessions retention forever` keeps sessions for good",
  });
}

/** The user's settings files with this number of days in them; undefined takes back what was set. */
export function retentionFiles(library: Library, days: number | undefined): readonly RequestedFile[] {
  return agentsThat("retention").flatMap(({ agent: { agent }, how: { key, settingsFiles } }) =>
    settingsFiles(library).map(
      (path): RequestedFile => ({
        path,
        agent,
        scope: "user",
        kind: "settings",
        wanted: (present) =>
          days === undefined ? without(key, present) : withRetention(key, present, days, "retention"),
        ...(days === undefined ? { resets: key } : {}),
      }),
    ),
  );
}

export function withRetention(
  key: string,
  present: readonly FileChange[],
  value: number,
  by: "install" | "retention",
): readonly FileChange[] {
  return [...without(key, present), { kind: "value", key, value, by }];
}

function without(key: string, present: readonly FileChange[]): readonly FileChange[] {
  return present.filter((change) => nameOfChange(change) !== key);
}
