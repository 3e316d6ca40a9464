import type { Problem } from "../errors.ts";
import { ArchiveDamage } from "../fs/damage.ts";
import type { MachineManifest } from "./machine-manifest.ts";
import type { ManifestPlace, Repository } from "./repository.ts";

/** Everything that all machines have pushed. */
export interface PushedManifests {
  /** The newest readable manifest of each machine, by the machine's id. */
  readonly newest: ReadonlyMap<string, MachineManifest>;
  /** Their objects. */
  readonly places: ReadonlyMap<string, ManifestPlace>;
  /** All manifests that exist. */
  readonly all: readonly ManifestPlace[];
  readonly problems: readonly Problem[];
}

/** Reads the newest manifest of each machine. If it is damaged, the one before it counts, and that is reported. */
export async function readManifests(repository: Repository): Promise<PushedManifests> {
  const all = await repository.listManifests();
  const newest = new Map<string, MachineManifest>();
  const places = new Map<string, ManifestPlace>();
  const problems: Problem[] = [];
  for (const place of all.toSorted((a, b) => b.number - a.number)) {
    if (newest.has(place.machine)) continue;
    try {
      newest.set(place.machine, await repository.getManifest(place));
      places.set(place.machine, place);
    } catch (error) {
      if (!(error instanceof ArchiveDamage)) throw error;
      problems.push({ path: place.name, line: 0, what: error.what });
    }
  }
  return { newest, places, all, problems };
}
