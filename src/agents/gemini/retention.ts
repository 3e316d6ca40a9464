import { join } from "node:path";
import { settingAt } from "../../settings/parse-settings.ts";
import { readSettingsFile } from "../../settings/settings-file.ts";
import type { EffectiveRetention, Retention } from "../agent-actions.ts";
import { geminiFolder } from "./files.ts";

const KEY = "general.sessionRetention";
const DEFAULT_DAYS = 30;
/** A number of days that means "never deleted". */
const FOR_EVER = 99_999;

/** How long Gemini CLI keeps sessions. Its setting is an object that the user owns: it is only read. */
export const geminiRetention: Retention = {
  key: KEY,
  // It deletes at each start.
  pauseMs: 0,
  folders: ({ disk, environment }) =>
    [geminiFolder(environment)].filter((folder) => disk.stat(join(folder, "tmp"))?.kind === "folder"),
  settingsFiles: () => [],
  sweptFolder: (folder) => join(folder, "tmp"),
  effective({ disk }, folder) {
    const path = join(folder, "settings.json");
    const file = readSettingsFile(disk, path);
    const read = (name: string): unknown =>
      file.kind === "parsed" ? settingAt(file.settings, ["general", "sessionRetention", name]) : undefined;
    if (read("enabled") === false) return { ...DEFAULT, days: FOR_EVER, from: path, layer: "user" };
    const days = daysOf(read("maxAge"));
    return days === undefined ? DEFAULT : { ...DEFAULT, days, from: path, layer: "user" };
  },
  lastSweepMs: () => undefined,
};

const DEFAULT: EffectiveRetention = {
  days: DEFAULT_DAYS,
  from: "default",
  layer: "default",
  managed: false,
  paused: undefined,
};

const DAYS_OF: Readonly<Record<string, number>> = { h: 1 / 24, d: 1, w: 7, m: 30 };

/** `"30d"`, `"24h"`, `"2w"`, `"1m"`. */
function daysOf(maxAge: unknown): number | undefined {
  const [, number, unit = ""] = typeof maxAge === "string" ? (/^(\d+)([hdwm])$/.exec(maxAge) ?? []) : [];
  return number === undefined ? undefined : Number(number) * (DAYS_OF[unit] ?? 1);
}
