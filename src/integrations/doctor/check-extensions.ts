import { isAbsolute } from "node:path";
import { actionsOf, agentsThat } from "../../agents/actions.ts";
import type { Agent } from "../../agents/agent.ts";
import type { InstalledPlugin, PluginSupport, SummaryBy } from "../../agents/agent-actions.ts";
import type { Library } from "../../fs/library.ts";
import { readTextFile } from "../../settings/settings-file.ts";
import type { Package } from "../install-files.ts";
import { hasInstalledHook, hasInstalledServer } from "../installed.ts";
import { type Check, note, ok, problem } from "./check.ts";

/*
 * Parts of ours that agents load besides hooks in their settings: a plugin, which provides hooks and a server, or an
 * extension.
 */

/** Checks our plugin in the agents that support plugins. If it is not installed, nothing is reported. */
export function checkPlugins(library: Library, version: string): readonly Check[] {
  return agentsThat("plugins").flatMap(({ agent, how }) =>
    how.find(library).map((plugin) => checkPlugin(library, agent, how, plugin, version)),
  );
}

function checkPlugin(
  library: Library,
  { name: agent, displayName }: Agent,
  how: PluginSupport,
  plugin: InstalledPlugin,
  version: string,
): Check {
  const what = `${displayName}: ${[plugin.name, plugin.version].filter((part) => part !== null).join(" ")}`;
  const places = [plugin.folder];
  if (!plugin.isEnabled)
    return note("plugin", `${what} is installed, but disabled`, how.enable(plugin), places);
  if (plugin.version !== null && plugin.version !== version)
    return note("plugin", `${what} is enabled; this program is ${version}`, how.update(plugin), places);
  const events = actionsOf(agent).hooks?.events ?? [];
  const both = [
    ...(events.some(({ subcommand }) => hasInstalledHook(library, agent, subcommand)) ? ["hooks"] : []),
    ...(hasInstalledServer(library, agent) ? ["the server"] : []),
  ].join(" and ");
  return ok(
    "plugin",
    both === ""
      ? `${what} is enabled`
      : `${what} is enabled, and leaves ${both} to \`sessions install\`: everything runs once`,
    places,
  );
}

const writers: Readonly<Record<SummaryBy, (agent: string) => string>> = {
  agent: (agent) => `${agent} writes its own summaries`,
  sessions: () => "summaries are written by `sessions`",
};

/** Checks the extensions of agents that load a file of ours; `isUsed`: whether the agent has sessions here. */
export function checkExtensions(
  library: Library,
  { program }: Package,
  isUsed: (agent: string) => boolean,
): readonly Check[] {
  const own = [program.command, ...program.args];
  return agentsThat("extension").flatMap(({ agent: { name: agent, displayName: name }, how }) => {
    const fix = `sessions install --agent ${agent}`;
    return how.paths(library, "user").flatMap((path) => {
      const file = readTextFile(library.disk, path);
      if (file.kind === "unreadable") return [problem("extension", `${name}: ${path}: ${file.what}`, fix)];
      if (file.kind === "absent") {
        const what = `${name}: not installed, so sessions are archived only when \`sessions\` is run`;
        return isUsed(agent) ? [note("extension", what, fix)] : [];
      }
      const summaryBy = how.summaryBy(file.text);
      const gone = how.program(file.text)?.find((word) => isGone(library, word));
      if (gone !== undefined)
        return [problem("extension", `${name}: installed, but ${gone} does not exist`, fix, [path])];
      if (summaryBy === undefined || file.text !== how.text(own, summaryBy))
        return [note("extension", `${name}: of another version, or edited`, fix, [path])];
      return [ok("extension", `${name}: installed; ${writers[summaryBy](name)}`, [path])];
    });
  });
}

function isGone({ disk }: Library, word: string): boolean {
  return isAbsolute(word) && disk.stat(word) === undefined;
}
