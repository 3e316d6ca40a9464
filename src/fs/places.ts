import { isAbsolute, join, relative, resolve, sep } from "node:path";

/** The places of everything that this program owns. */
export interface Places {
  readonly home: string;
  readonly index: string;
  /** Files that only save time. */
  readonly cache: string;
  readonly archive: string;
  /** The archive as static pages, if the user wants them. */
  readonly site: string;
  readonly raw: string;
  /** Sidecars of flattened sessions. */
  readonly flat: string;
  /** Summaries that agents passed to their hooks. */
  readonly notes: string;
  /** Which logs are being rewritten, and their state after the last rewrite. */
  readonly rewrites: string;
  readonly logs: string;
  /** Copies of other programs' files, from before this program changed them. */
  readonly backups: string;
  /** A record of the parts that this program wrote into those files. */
  readonly receipt: string;
  readonly config: string;
  readonly version: string;
  readonly lock: string;
}

export interface PlacesFrom {
  readonly home: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The folder that a relative SESSIONS_HOME is resolved against. */
  readonly folder: string;
}

export function findPlaces(from: PlacesFrom): Places {
  const set = from.variables.SESSIONS_HOME ?? "";
  const home = set === "" ? join(from.home, ".sessions") : resolve(from.folder, expandHome(set, from.home));
  return {
    home,
    index: join(home, "index"),
    cache: join(home, "cache"),
    archive: join(home, "archive"),
    site: join(home, "site"),
    raw: join(home, "raw"),
    flat: join(home, "flat"),
    notes: join(home, "notes"),
    rewrites: join(home, "rewrites"),
    logs: join(home, "logs"),
    backups: join(home, "backups"),
    receipt: join(home, "receipt.json"),
    config: join(home, "config.json"),
    version: join(home, "version.json"),
    lock: join(home, "lock"),
  };
}

/** Expands `~/x` as a shell would: variables set by programs and paths in files are not expanded. */
export function expandHome(path: string, home: string): string {
  if (path === "~") return home;
  return path.startsWith("~/") || path.startsWith(`~${sep}`) ? join(home, path.slice(2)) : path;
}

/** Whether the path is below the folder, and not the folder itself. Compares paths only; links are not followed. */
export function insideOf(folder: string, path: string): boolean {
  const way = relative(resolve(folder), resolve(path));
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
