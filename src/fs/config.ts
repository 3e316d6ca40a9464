import { exitCodes, UserError } from "../errors.ts";
import { findJsonBreak, findJsonValue, type TextPlace } from "../jsonl/json-place.ts";
import type { WrittenConfig } from "./config-schema.ts";
import type { Disk } from "./disk.ts";
import { diskError } from "./disk-error.ts";
import { matchesProject } from "./glob.ts";
import { expandHome } from "./places.ts";

/** The price of a model, in US dollars per million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Read from the cache; a tenth of `input` if absent. */
  readonly cacheRead?: number | undefined;
  /** Written to the cache for five minutes (a quarter more than `input`), and for an hour (twice `input`). */
  readonly cacheWrite?: number | undefined;
  readonly cacheWriteHour?: number | undefined;
}

/** The user's settings, with a default for each that is not set. */
export interface Config {
  /** Globs of project folders whose sessions are never read. */
  readonly exclude: readonly string[];
  /** Additional folders with logs, by agent. */
  readonly sources: Readonly<Record<string, readonly string[]>>;
  /** Additional secrets to mask: regular expressions with the `u` flag. */
  readonly redact: readonly string[];
  readonly hooks: {
    /** When an agent gets a summary of earlier sessions: never, after a compaction, at each start. */
    readonly recall: "off" | "compact" | "always";
  };
  readonly search: { readonly limit: number };
  /** How many characters of each tool output are indexed and kept. */
  readonly index: { readonly outputChars: number };
  /** Prices of models, by the start of their name, in dollars for a million tokens. */
  readonly prices: Readonly<Record<string, ModelPrice>>;
  /** Whether the archive is also kept as static pages. */
  readonly archive: { readonly site: boolean };
  /** The name of this machine for other machines; absent: the name of the host. */
  readonly machine?: string;
  /** Folders of other machines, and which folders of this machine correspond to them. `~/` on the right is this home. */
  readonly paths: Readonly<Record<string, string>>;
  /** Remotes that the guard syncs with, and how often. */
  readonly sync: { readonly remotes: readonly string[]; readonly everyMinutes: number };
  /** Projects whose sessions everybody in the team may read; those of all others are private. Absent: none. */
  readonly push?: { readonly team: readonly string[] };
}

export interface ReadConfig {
  readonly config: Config;
  /** Keys in the file that this version does not know, such as `search.limits`. Names of agents are not checked here. */
  readonly unknownKeys: readonly string[];
}

/** Errors in the settings, for work that must not wait until they are corrected. */
export interface SettingsFault {
  /** The error as a command would report it, with the file and the position. */
  readonly message: string;
  /** Whether a part of `redact` could not be read: then nothing may be written that needs masking. */
  readonly isRedactUnknown: boolean;
  /** Whether a part of `exclude` could not be read. */
  readonly isExcludeUnknown: boolean;
}

/** The readable settings; the others have their defaults. */
export interface ReadableConfig {
  readonly config: Config;
  readonly fault?: SettingsFault;
}

const MAX_CONFIG_BYTES = 1024 * 1024;

/**
 * Reads config.json. Without a file, returns the defaults. A broken file is a UserError with the position of the fault; the
 * file is never changed. `~/` in it means `home`.
 */
export async function readConfig(disk: Disk, path: string, home: string): Promise<ReadConfig> {
  const text = readText(disk, path);
  if (text === undefined) return { config: withDefaults({}, home), unknownKeys: [] };
  // Most users have no config file, and loading zod would slow down every search.
  const { validateConfig } = await import("./config-schema.ts");
  const checked = validateConfig(parse(text, path));
  if (checked.kind === "bad") throw faultyConfig(path, text, checked);
  return { config: withDefaults(checked.written, home), unknownKeys: checked.unknownKeys };
}

/**
 * Reads the valid part of config.json, and describes the errors in the rest. Of a bad list, the valid elements count.
 */
export async function readReadableConfig(disk: Disk, path: string, home: string): Promise<ReadableConfig> {
  try {
    const { config } = await readConfig(disk, path, home);
    return { config };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return salvage(error, () => readText(disk, path), home);
  }
}

async function salvage(
  { message }: UserError,
  read: () => string | undefined,
  home: string,
): Promise<ReadableConfig> {
  const { salvageConfig } = await import("./config-schema.ts");
  try {
    const { written, badPaths } = salvageConfig(JSON.parse(read() ?? "{}"));
    const isUnknown = (key: keyof Config): boolean =>
      badPaths.some(([first]) => first === undefined || first === key);
    return {
      config: withDefaults(written, home),
      fault: { message, isRedactUnknown: isUnknown("redact"), isExcludeUnknown: isUnknown("exclude") },
    };
  } catch {
    // It can't be read at all, or is not JSON.
    return {
      config: withDefaults({}, home),
      fault: { message, isRedactUnknown: true, isExcludeUnknown: true },
    };
  }
}

function withDefaults(written: WrittenConfig, home: string): Config {
  const expand = (paths: readonly string[] | undefined): readonly string[] =>
    (paths ?? []).map((path) => expandHome(path, home));
  return {
    exclude: expand(written.exclude),
    sources: Object.fromEntries(
      Object.entries(written.sources ?? {}).map(([agent, folders]) => [agent, expand(folders)]),
    ),
    redact: written.redact ?? [],
    prices: written.prices ?? {},
    hooks: { recall: written.hooks?.recall ?? "compact" },
    search: { limit: written.search?.limit ?? 10 },
    index: { outputChars: written.index?.outputChars ?? 2_000 },
    archive: { site: written.archive?.site ?? false },
    ...(written.machine === undefined ? {} : { machine: written.machine }),
    paths: Object.fromEntries(
      Object.entries(written.paths ?? {}).map(([there, here]) => [there, expandHome(here, home)]),
    ),
    sync: { remotes: written.sync?.remotes ?? [], everyMinutes: written.sync?.everyMinutes ?? 60 },
    ...(written.push === undefined ? {} : { push: { team: expand(written.push.team) } }),
  };
}

function readText(disk: Disk, path: string): string | undefined {
  try {
    // Some editors write a BOM, which is not part of the JSON.
    return disk
      .readFile(path, MAX_CONFIG_BYTES)
      ?.toString("utf8")
      .replace(/^\ufeff/, "");
  } catch (error) {
    throw diskError("read", path, error);
  }
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const place = findJsonBreak(text);
    if (place === undefined) throw error;
    throw brokenConfig(path, place, place.what);
  }
}

function faultyConfig(
  path: string,
  text: string,
  bad: { readonly path: readonly (string | number)[]; readonly what: string },
): UserError {
  const key = bad.path.join(".");
  return brokenConfig(path, findJsonValue(text, bad.path), key === "" ? bad.what : `${key} ${bad.what}`);
}

function brokenConfig(path: string, place: TextPlace, what: string): UserError {
  return new UserError(`Cannot read the settings: ${path}:${place.line}:${place.column}: ${what}`, {
    exitCode: exitCodes.broken,
    hint: "correct that file, or move it away to continue without it",
  });
}

/** Whether this is a session of a project that the user excluded. */
export function isExcluded(
  { config }: { readonly config: Config },
  { project }: { readonly project: string | null },
): boolean {
  return project !== null && config.exclude.some((pattern) => matchesProject(pattern, project));
}
