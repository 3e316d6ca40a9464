import { join, resolve } from "node:path";
import type { Library } from "../../fs/library.ts";
import { insideOf } from "../../fs/places.ts";
import { isObject } from "../../jsonl/json-line.ts";
import { stringAt } from "../../jsonl/values.ts";
import { settingAt } from "../../settings/parse-settings.ts";
import { readSettingsFile } from "../../settings/settings-file.ts";
import type { InstalledPlugin, PluginSupport } from "../agent-actions.ts";
import { claudeHooks } from "./hooks.ts";
import { ownFolders } from "./retention.ts";

/** Our plugin's name, before the `@` and the name of the marketplace that it came from. */
const PLUGIN = "sessions";

export const claudePlugins: PluginSupport = {
  find: (library) => ownFolders(library).flatMap((folder) => installedIn(library, folder)),
  hookCommand: ({ folder }, words) => ({
    command: "sh",
    args: [join(folder, "scripts", "sessions.sh"), ...words, "--plugin", "claude"],
  }),
  enable: ({ name }) => `claude plugin enable ${name}`,
  update: ({ name }) => `claude plugin update ${name}`,
};

/** Claude Code lists installed plugins in a separate file; settings say which of them are enabled. */
function installedIn(library: Library, folder: string): readonly InstalledPlugin[] {
  const file = readSettingsFile(library.disk, join(folder, "plugins", "installed_plugins.json"));
  const plugins = file.kind === "parsed" ? settingAt(file.settings, ["plugins"]) : undefined;
  if (!isObject(plugins)) return [];
  return Object.entries(plugins).flatMap(([name, installations]) => {
    if (!name.startsWith(`${PLUGIN}@`) || !Array.isArray(installations)) return [];
    return installations.flatMap((each: unknown) => {
      if (!isObject(each)) return [];
      const place = stringAt(each, "installPath");
      const project = stringAt(each, "projectPath");
      if (place === undefined || !isOurs(library, place) || !isFor(library, project)) return [];
      const version = stringAt(each, "version") ?? null;
      return [{ name, version, folder: place, isEnabled: isEnabled(library, name) }];
    });
  });
}

/** Another plugin may have the same name. */
function isOurs({ disk }: Library, place: string): boolean {
  return disk.stat(join(place, "scripts", "sessions.sh"))?.kind === "file";
}

/** A plugin of a project is loaded only there. */
function isFor({ environment: { folder } }: Library, project: string | undefined): boolean {
  return project === undefined || resolve(project) === resolve(folder) || insideOf(project, folder);
}

/** Settings of the project override the user's, and local ones override shared ones. */
function isEnabled(library: Library, name: string): boolean {
  const said = claudeHooks.allSettingsFiles(library).flatMap((path) => {
    const file = readSettingsFile(library.disk, path);
    const value = file.kind === "parsed" ? settingAt(file.settings, ["enabledPlugins", name]) : undefined;
    return typeof value === "boolean" ? [value] : [];
  });
  return said.at(-1) ?? false;
}
