import { isAbsolute } from "node:path";
import { actionsOf } from "../agents/actions.ts";
import type { Library } from "../fs/library.ts";
import type { AgentName } from "../session/entry.ts";
import { settingAt } from "../settings/parse-settings.ts";
import { findHooks } from "../settings/settings-change.ts";
import { readSettingsFile } from "../settings/settings-file.ts";
import { hookWords, SERVER_NAME } from "./install-files.ts";

/*
 * A plugin of an agent provides the same hooks and the same server as `sessions install`. If both are installed, the
 * plugin leaves the work to the settings, but only if the program that they name still exists.
 */

/** Whether the agent's settings run our hook for an event, by our name of the event. */
export function hasInstalledHook(library: Library, agent: AgentName, event: string): boolean {
  const { hooks } = actionsOf(agent);
  const name = hooks?.events.find(({ subcommand }) => subcommand === event)?.name;
  if (hooks === undefined || name === undefined) return false;
  return hooks.allSettingsFiles(library).some((path) => {
    const file = readSettingsFile(library.disk, path);
    if (file.kind !== "parsed") return false;
    const found = findHooks(file.settings.text, name, hookWords(agent, event).join(" "));
    return found.some(({ handler }) => exists(library, handler));
  });
}

/** Whether the agent's settings start our server. */
export function hasInstalledServer(library: Library, agent: AgentName): boolean {
  const lists = (["user", "project"] as const).flatMap(
    (scope) => actionsOf(agent).servers?.lists(library, scope) ?? [],
  );
  return lists.some(({ path, at }) => {
    const file = readSettingsFile(library.disk, path);
    if (file.kind !== "parsed") return false;
    const server = settingAt(file.settings, [...at, SERVER_NAME]);
    return typeof server === "object" && server !== null && exists(library, server);
  });
}

/** A program on the PATH counts as existing. */
function exists({ disk }: Library, started: object): boolean {
  const { command, args } = { command: undefined, args: [], ...started };
  const [program, script] = [command, args].flat();
  return [program, script].every(
    (path) => typeof path !== "string" || !isAbsolute(path) || disk.stat(path) !== undefined,
  );
}
