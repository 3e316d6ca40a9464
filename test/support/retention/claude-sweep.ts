import fs from "node:fs";
import { join } from "node:path";

/** Where the settings of one start of Claude Code are; each may be missing. */
export interface SweepSettings {
  readonly managed: string;
  readonly commandLine: string | undefined;
  /** The folder that it is started in. */
  readonly project: string;
  /** Its own folder. */
  readonly claude: string;
}

/**
 * Claude Code's sweep as it is described, written without the program's code: deletes what it deletes at that
 * moment, and names the sessions that went. Plain JSON settings only.
 */
export function sweep(settings: SweepSettings, now: number): readonly string[] {
  const days = daysOf(settings);
  if (days === "paused") return [];
  const gone: string[] = [];
  for (const project of fs.readdirSync(join(settings.claude, "projects"))) {
    const folder = join(settings.claude, "projects", project);
    for (const name of fs.readdirSync(folder)) {
      if (!/^[0-9a-f-]{36}\.jsonl$/.test(name)) continue;
      if (fs.statSync(join(folder, name)).mtimeMs >= now - days * 86_400_000) continue;
      fs.rmSync(join(folder, name));
      fs.rmSync(join(folder, name.slice(0, -6)), { recursive: true, force: true });
      gone.push(name.slice(0, -6));
    }
  }
  return gone.toSorted();
}

function daysOf({ managed, commandLine, project, claude }: SweepSettings): number | "paused" {
  const files = [
    join(managed, "managed-settings.json"),
    ...(commandLine === undefined ? [] : [commandLine]),
    join(project, ".claude", "settings.local.json"),
    join(project, ".claude", "settings.json"),
    join(claude, "settings.local.json"),
    join(claude, "settings.json"),
  ];
  let found: number | undefined;
  let isWrong = false;
  for (const [index, file] of files.entries()) {
    if (!fs.existsSync(file)) continue;
    let value: unknown;
    try {
      value = JSON.parse(fs.readFileSync(file, "utf8")).cleanupPeriodDays;
    } catch {
      isWrong = true;
      continue;
    }
    if (value === undefined) continue;
    if (typeof value !== "number" || !Number.isInteger(value) || value < 1) isWrong = true;
    else if (index === 0) return value;
    else found ??= value;
  }
  return isWrong ? "paused" : (found ?? 30);
}
