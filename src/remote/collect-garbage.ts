import { openArchive } from "../archive/open-archive.ts";
import { generationNumbers, readGeneration } from "../archive/raw/generations.ts";
import { manifestFromJson } from "../archive/raw/manifest.ts";
import { chunksOf } from "../archive/raw/tidy-session.ts";
import { ArchiveDamage } from "../fs/damage.ts";
import type { Library } from "../fs/library.ts";
import { inParallel } from "./in-parallel.ts";
import type { MachineManifest } from "./machine-manifest.ts";
import type { ListedObject } from "./object-store.ts";
import { readManifests } from "./other-machines.ts";
import { REQUESTS } from "./push-sessions.ts";
import type { ManifestPlace, Repository } from "./repository.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** As long as forgetting can be undone. */
const KEEP_MS: number = 7 * DAY_MS;

export interface GarbageAnswer {
  /** Objects that were removed, or would be. */
  readonly objects: number;
  readonly bytes: number;
  readonly manifests: number;
  /** The reason why nothing may be removed now, if there is one. */
  readonly postponed: string | null;
}

export interface GarbageOptions {
  readonly dryRun: boolean;
  /** The chunks of each record of this machine's own sessions, by their hashes: these need not be fetched. */
  readonly records: ReadonlyMap<string, readonly string[]>;
}

/**
 * Removes objects that no manifest names. A manifest is removed 7 days after a later one of its machine was stored;
 * an object is removed if it is older than 7 days and no remaining manifest names it. Times are those of the store.
 * If any manifest or record can't be read, nothing is removed, because it may name anything. Runs at most once a day,
 * even if machines push every hour.
 */
export async function collectGarbage(
  library: Library,
  repository: Repository,
  { dryRun, records }: GarbageOptions,
): Promise<GarbageAnswer> {
  const { store } = repository;
  const now = await store.now();
  const isOld = ({ storedAt }: { readonly storedAt: number }): boolean => now - storedAt > KEEP_MS;
  const manifests = await readManifests(repository);
  const nothing = { objects: 0, bytes: 0, manifests: 0 };
  const superseded = manifests.all.filter((place) => {
    const next = nextOf(place, manifests.all);
    return next !== undefined && isOld(next);
  });
  const left = manifests.all.filter((place) => !superseded.includes(place));
  // All manifests of the last week must be read: once a day is enough, when one has been due for that long.
  const isOverdue = superseded.some(
    (place) => now - (nextOf(place, manifests.all)?.storedAt ?? now) > KEEP_MS + DAY_MS,
  );
  if (left.length > manifests.newest.size && !isOverdue) return { ...nothing, postponed: null };
  const objects = await repository.listObjects();
  const old = [...objects.values()].filter(isOld);
  if (old.length === 0 && superseded.length === 0) return { ...nothing, postponed: null };
  let named: ReadonlySet<string>;
  try {
    if (manifests.problems.length > 0) throw new ArchiveDamage(manifests.problems[0]?.what ?? "");
    named = await namesIn(library, repository, left, manifests.newest, records);
  } catch (error) {
    if (!(error instanceof ArchiveDamage)) throw error;
    return { ...nothing, postponed: `a manifest or record can't be read: ${error.what}` };
  }
  const garbage = old.filter(({ name }) => !named.has(name));
  const answer = {
    objects: garbage.length,
    bytes: garbage.reduce((sum, { bytes }) => sum + bytes, 0),
    manifests: superseded.length,
    postponed: null,
  };
  if (dryRun) return answer;
  // Manifests first, so that everything a manifest names exists.
  await inParallel(superseded, REQUESTS, ({ name }) => store.delete(name));
  // Somebody may have pushed in the meantime, relying on the existing objects.
  const latest = await repository.listManifests();
  const known = new Set(manifests.all.map(({ name }) => name));
  if (latest.some(({ name }) => !known.has(name))) {
    return { ...answer, objects: 0, bytes: 0, postponed: "another machine is pushing" };
  }
  await inParallel(garbage, REQUESTS, ({ name }: ListedObject) => store.delete(name));
  return answer;
}

/** The next manifest of the same machine. */
function nextOf(place: ManifestPlace, all: readonly ManifestPlace[]): ManifestPlace | undefined {
  return all
    .filter(({ machine, number }) => machine === place.machine && number > place.number)
    .sort((a, b) => a.number - b.number)[0];
}

/** The names of all objects that manifests need. Throws `ArchiveDamage` if they can't be determined. */
async function namesIn(
  library: Library,
  repository: Repository,
  places: readonly ManifestPlace[],
  newest: ReadonlyMap<string, MachineManifest>,
  own: ReadonlyMap<string, readonly string[]>,
): Promise<ReadonlySet<string>> {
  const records = new Set<string>();
  for (const place of places) {
    const known = newest.get(place.machine);
    const isNewest = places.every(
      ({ machine, number }) => machine !== place.machine || number <= place.number,
    );
    const manifest = isNewest && known !== undefined ? known : await repository.getManifest(place);
    for (const { generations } of manifest.sessions)
      for (const { record } of generations) records.add(record);
  }
  const pulled = recordsPulled(library);
  const names = new Set<string>();
  await inParallel([...records], REQUESTS, async (record) => {
    const chunks =
      own.get(record) ??
      pulled.get(record) ??
      chunksOf(manifestFromJson(await repository.getRecord(record))).map(({ sha256 }) => sha256);
    names.add(repository.objectName(record));
    for (const sha256 of chunks) names.add(repository.objectName(sha256));
  });
  return names;
}

/** Chunks by the hash of their record, of sessions that were pulled: they need not be fetched again. */
function recordsPulled(library: Library): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const { agent, id, copy, location, origin } of openArchive(library).list().sessions) {
    if (origin === null) continue;
    for (const number of generationNumbers(library.disk, location)) {
      const generation = readGeneration(library.disk, location, number, { agent, id, copy });
      if (generation.kind !== "good" || generation.manifest.origin === null) continue;
      found.set(
        generation.manifest.origin.record,
        chunksOf(generation.manifest).map(({ sha256 }) => sha256),
      );
    }
  }
  return found;
}
