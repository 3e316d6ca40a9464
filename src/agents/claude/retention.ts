import { join, resolve } from "node:path";
import { errorCode } from "../../fs/disk-error.ts";
import type { Library } from "../../fs/library.ts";
import { parseSettings, settingAt } from "../../settings/parse-settings.ts";
import { readSettingsFile, readTextFile } from "../../settings/settings-file.ts";
import type { EffectiveRetention, Retention, SettingsSources } from "../agent-actions.ts";
import { claudeFolders } from "./files.ts";

const KEY = "cleanupPeriodDays";
const DEFAULT_DAYS = 30;

/** How long Claude Code keeps sessions, according to all settings files that count. */
export const claudeRetention: Retention = {
  key: KEY,
  pauseMs: 24 * 60 * 60 * 1000,
  folders: settingsFolders,
  settingsFiles: (library) => ownFolders(library).map((folder) => join(folder, "settings.json")),
  sweptFolder: (folder) => join(folder, "projects"),
  effective: (library, folder, project, sources) =>
    effectiveRetention(readLayers(library, folder, project, sources)),
  lastSweepMs({ disk }, folder) {
    const file = readTextFile(disk, join(folder, ".last-cleanup"));
    const ms = file.kind === "read" ? Date.parse(file.text.trim()) : Number.NaN;
    return Number.isNaN(ms) ? undefined : ms;
  },
};

/** Strongest first. */
const layerNames = ["managed", "command-line", "project-local", "project", "user-local", "user"] as const;
export type LayerName = (typeof layerNames)[number];

/** A settings file as it was found. `place` is a path, or the position of an error in it. */
export interface SettingsLayer {
  readonly name: LayerName;
  readonly path: string;
  readonly content:
    | { readonly kind: "absent" }
    /** The value of `days` in it; undefined if absent. */
    | { readonly kind: "parsed"; readonly days: unknown }
    | { readonly kind: "broken"; readonly place: string; readonly what: string };
}

/** The days that apply, and where they come from. Among several layers of one kind, the first given wins. */
export function effectiveRetention(layers: readonly SettingsLayer[]): EffectiveRetention {
  const ordered = layers.toSorted((a, b) => layerNames.indexOf(a.name) - layerNames.indexOf(b.name));
  const winner = ordered.find(({ content }) => content.kind === "parsed" && isDays(content.days));
  const managed = winner?.name === "managed";
  return {
    days:
      winner?.content.kind === "parsed" && isDays(winner.content.days) ? winner.content.days : DEFAULT_DAYS,
    from: winner?.path ?? "default",
    layer: winner?.name ?? "default",
    managed,
    // A managed value always applies.
    paused: managed ? undefined : pausedBy(ordered),
  };
}

/**
 * The reasons, as Claude Code names them since 2.1.227. Earlier versions do not pause: they ignore the broken file,
 * and sweep.
 */
function pausedBy(layers: readonly SettingsLayer[]): EffectiveRetention["paused"] {
  for (const { content } of layers) {
    if (content.kind === "broken") {
      return { reason: "settings_unknowable", place: content.place, what: content.what };
    }
  }
  for (const { content, path } of layers) {
    if (content.kind === "parsed" && content.days !== undefined && !isDays(content.days)) {
      const what = `${KEY} must be a whole number from 1, and is ${JSON.stringify(content.days)}`;
      return { reason: "settings_invalid_key_set", place: path, what };
    }
  }
  return undefined;
}

/** 0 does not count: it is an error since 2.1.89, and before that it disabled transcripts. */
function isDays(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1;
}

/** The folders of Claude Code on this machine: the first one always, others if they exist. */
function settingsFolders({ disk, environment }: Library): readonly string[] {
  const folders = claudeFolders(environment).map((folder) => resolve(environment.folder, folder));
  return folders.filter((folder, index) => index === 0 || disk.stat(folder)?.kind === "folder");
}

/** The folders whose settings may be changed: not one that only old versions used, unless it is named. */
export function ownFolders(library: Library): readonly string[] {
  const folders = settingsFolders(library);
  return library.environment.variables.CLAUDE_CONFIG_DIR ? folders : folders.slice(0, 1);
}

/** Every settings file that counts if Claude Code is started in `project`, strongest first. */
function readLayers(
  library: Library,
  folder: string,
  project: string,
  sources: SettingsSources,
): readonly SettingsLayer[] {
  const own = join(project, ".claude");
  // In the home folder, the project's settings are the user's.
  const isHome = resolve(own) === resolve(folder);
  return [
    ...managedFiles(library, sources.managedFolder).map((path) => fileLayer(library, "managed", path)),
    ...(sources.commandLine === undefined ? [] : [commandLineLayer(library, sources.commandLine)]),
    ...(isHome
      ? []
      : [
          fileLayer(library, "project-local", join(own, "settings.local.json")),
          fileLayer(library, "project", join(own, "settings.json")),
        ]),
    fileLayer(library, "user-local", join(folder, "settings.local.json")),
    fileLayer(library, "user", join(folder, "settings.json")),
  ];
}

/** Pieces override the file that they extend; the last one wins. */
function managedFiles({ disk }: Library, folder: string): readonly string[] {
  const whole = join(folder, "managed-settings.json");
  const pieces = join(folder, "managed-settings.d");
  try {
    const names = disk.readdir(pieces).map(({ name }) => name);
    const json = names.filter((name) => name.endsWith(".json") && !name.startsWith("."));
    return [
      ...json
        .toSorted()
        .toReversed()
        .map((name) => join(pieces, name)),
      whole,
    ];
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [whole];
  }
}

function fileLayer({ disk }: Library, name: LayerName, path: string): SettingsLayer {
  const file = readSettingsFile(disk, path);
  switch (file.kind) {
    case "absent":
      return { name, path, content: { kind: "absent" } };
    case "broken":
      return { name, path, content: { kind: "broken", place: file.place, what: file.what } };
    case "parsed":
      return { name, path, content: { kind: "parsed", days: settingAt(file.settings, [KEY]) } };
  }
}

function commandLineLayer(library: Library, given: string): SettingsLayer {
  if (!given.trimStart().startsWith("{")) {
    return fileLayer(library, "command-line", resolve(library.environment.folder, given));
  }
  const path = "--settings";
  const parsed = parseSettings(given);
  return {
    name: "command-line",
    path,
    content:
      parsed.kind === "parsed"
        ? { kind: "parsed", days: settingAt(parsed, [KEY]) }
        : { kind: "broken", place: `${path}:${parsed.line}:${parsed.column}`, what: parsed.what },
  };
}
