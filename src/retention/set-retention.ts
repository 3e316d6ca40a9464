import { agentsThat } from "../agents/actions.ts";
import type { Library } from "../fs/library.ts";
import { nameOfChange, type RequestedFile } from "../settings/change-files.ts";
import type { FileChange } from "../settings/receipt.ts";

/** The user's settings files with this number of days; undefined undoes earlier changes. */
export function retentionFiles(library: Library, days: number | undefined): readonly RequestedFile[] {
  return agentsThat("retention").flatMap(({ agent: { name: agent }, how: { key, settingsFiles } }) =>
    settingsFiles(library).map(
      (path): RequestedFile => ({
        path,
        agent,
        scope: "user",
        kind: "settings",
        changesFor: (present) =>
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
