import { join } from "node:path";
import { crc32 } from "node:zlib";
import { isExcluded } from "../fs/config.ts";
import { namesIn } from "../fs/folders.ts";
import type { Library } from "../fs/library.ts";
import { isObject, tryParse } from "../jsonl/json-line.ts";
import { stringAt } from "../jsonl/values.ts";
import type { AgentName } from "../session/entry.ts";

/** Sessions that must not be copied into the store: those of excluded projects, and forgotten ones. */
export interface MirrorExclusions {
  /** Changes whenever the set of these sessions changes; empty if it is empty. */
  readonly mark: string;
  has(log: CopiedLog): boolean;
}

export interface CopiedLog {
  readonly id: string;
  /** Where its copy is, or would be. */
  readonly path: string;
  readonly project: string | null;
}

const MAX_STONE_BYTES = 1024 * 1024;

/** Reads the config and the tombstones (`archive/raw/tombstones.ts`) for an agent whose sessions are copied into the store. */
export function mirrorExclusions(library: Library, agent: AgentName): MirrorExclusions {
  const { disk, places, config } = library;
  const folder = join(places.home, "forgotten", agent);
  const paths: string[] = [];
  /** Tombstones that name no file cover every log with their id, even if they can't be read. */
  const ids: string[] = [];
  for (const name of namesIn(disk, folder)) {
    const bytes = disk.readFile(join(folder, name, "tombstone.json"), MAX_STONE_BYTES);
    if (bytes === undefined) continue;
    const stone = tryParse(bytes.toString("utf8").split("\n")[0] ?? "");
    const path = isObject(stone) ? stringAt(stone, "path") : undefined;
    if (path !== undefined) paths.push(path);
    else ids.push((isObject(stone) ? stringAt(stone, "id") : undefined) ?? name.replace(/~.*$/, ""));
  }
  const isAny = config.exclude.length + paths.length + ids.length > 0;
  return {
    mark: isAny ? crc32(JSON.stringify([config.exclude, paths, ids])).toString(16) : "",
    has: ({ id, path, project }) =>
      paths.includes(path) || ids.includes(id) || isExcluded(library, { project }),
  };
}
