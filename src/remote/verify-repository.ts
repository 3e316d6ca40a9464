import type { Progress } from "../archive/progress.ts";
import { unpackChunk } from "../archive/raw/chunk.ts";
import { type Manifest, manifestFromJson } from "../archive/raw/manifest.ts";
import { chunksOf } from "../archive/raw/tidy-session.ts";
import type { Problem } from "../errors.ts";
import { ArchiveDamage } from "../fs/damage.ts";
import { inParallel } from "./in-parallel.ts";
import type { PushedSession } from "./machine-manifest.ts";
import { readManifests } from "./other-machines.ts";
import { REQUESTS } from "./push-sessions.ts";
import type { Repository } from "./repository.ts";

export interface RepositoryProof {
  readonly machines: readonly { readonly name: string; readonly sessions: number }[];
  readonly sessions: number;
  readonly generations: number;
  /** Objects that were fetched, opened and verified by their hash: records and chunks, each once. */
  readonly objects: number;
  /** The size of the stored objects, and of their content. */
  readonly storedBytes: number;
  readonly bytes: number;
  /** Objects that no manifest names: garbage that is not 7 days old, or a push that is still running. */
  readonly unnamed: number;
  readonly damages: readonly Problem[];
}

export interface VerifyRepositoryOptions {
  readonly onProgress: (done: Progress) => void;
  readonly pause: () => Promise<void>;
}

/**
 * Verifies a repository: fetches everything that any machine has pushed, and compares it with its hashes. Changes
 * nothing.
 */
export async function verifyRepository(
  repository: Repository,
  { onProgress, pause }: VerifyRepositoryOptions,
): Promise<RepositoryProof> {
  const { newest, problems } = await readManifests(repository);
  const objects = await repository.listObjects();
  const damages: Problem[] = [...problems];
  const seen = new Set<string>();
  let bytes = 0;
  let storedBytes = 0;
  let generations = 0;
  const bytesTotal = [...objects.values()].reduce((sum, object) => sum + object.bytes, 0);
  const count = (name: string): void => {
    storedBytes += objects.get(name)?.bytes ?? 0;
    onProgress({ files: seen.size, filesTotal: objects.size, bytes: storedBytes, bytesTotal });
  };
  const prove = async (sha256: string, where: string, work: () => Promise<void>): Promise<void> => {
    const name = repository.objectName(sha256);
    if (seen.has(name)) return;
    seen.add(name);
    await pause();
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ArchiveDamage)) throw error;
      damages.push({ path: where, line: 0, what: `${name}: ${error.what}` });
    }
    count(name);
  };
  const proveSession = async (where: string, session: PushedSession): Promise<void> => {
    for (const { record } of session.generations) {
      generations++;
      let manifest: Manifest | undefined;
      await prove(record, where, async () => {
        manifest = manifestFromJson(await repository.getRecord(record));
      });
      await inParallel(manifest === undefined ? [] : chunksOf(manifest), REQUESTS, (chunk) =>
        prove(chunk.sha256, where, async () => {
          bytes += unpackChunk(await repository.getPacked(chunk.sha256), chunk).length;
        }),
      );
    }
  };
  const machines: { name: string; sessions: number }[] = [];
  for (const { machine, sessions } of newest.values()) {
    machines.push({ name: machine.name, sessions: sessions.length });
    for (const session of sessions) await proveSession(`${machine.name}:${session.id}`, session);
  }
  return {
    machines: machines.sort((a, b) => (a.name < b.name ? -1 : 1)),
    sessions: machines.reduce((sum, { sessions }) => sum + sessions, 0),
    generations,
    objects: seen.size,
    storedBytes,
    bytes,
    unnamed: [...objects.keys()].filter((name) => !seen.has(name)).length,
    damages,
  };
}
