import { join } from "node:path";
import { agentNames } from "../../agents/agents.ts";
import { splitByLog } from "../../agents/session-copies.ts";
import type { Disk } from "../../fs/disk.ts";
import { namesIn } from "../../fs/folders.ts";
import { replaceFile } from "../../fs/replace-file.ts";
import type { MigrationStep } from "../../fs/store.ts";
import type { LogKey } from "../../session/session.ts";
import { type Chunk, chunkPath, MAX_STORED } from "./chunk.ts";
import {
  beginGeneration,
  copyHash,
  foldersOf,
  generationNumbers,
  newestManifest,
  readGeneration,
  sessionFolder,
  writeManifest,
} from "./generations.ts";
import type { Manifest, StoredFile } from "./manifest.ts";

/**
 * Version 1 kept all logs with one id in one record. This gives each log except the first its own record, with the
 * generations that contain it under the same numbers. Existing files are not moved or changed. A generation appears
 * at once and complete, so after a killed run some are missing, and the next run makes them.
 */
export const splitRecords: MigrationStep = {
  from: 1,
  what: "logs with one id have records of their own",
  run(disk, { raw }) {
    for (const agent of agentNames()) {
      for (const name of namesIn(disk, join(raw, agent))) splitRecord(disk, raw, join(raw, agent, name));
    }
  },
};

function splitRecord(disk: Disk, raw: string, folder: string): void {
  const manifests = generationNumbers(disk, folder).flatMap((number) => {
    const found = readGeneration(disk, folder, number);
    return found.kind === "good" ? [found.manifest] : [];
  });
  const newest = newestManifest(manifests);
  // Records of this version name their log.
  if (newest === undefined || newest.log !== null) return;
  const [own] = newest.files;
  for (const [lead] of splitByLog(newest.files)) {
    if (lead === undefined || lead === own || lead.role !== "main") continue;
    const key = { agent: newest.agent, id: newest.id, copy: copyHash(lead.root, lead.path) };
    copyRecord(disk, { from: folder, to: sessionFolder(raw, key) }, key, lead.path, manifests);
  }
}

function copyRecord(
  disk: Disk,
  folders: { readonly from: string; readonly to: string },
  key: LogKey,
  log: string,
  manifests: readonly Manifest[],
): void {
  /** The generation of the new record that has a chunk. */
  const placed = new Map<string, number>();
  const note = (files: readonly StoredFile[]): void => {
    for (const { chunks } of files)
      for (const { sha256, generation } of chunks) placed.set(sha256, generation);
  };
  for (const { generation, files, isAside } of manifests) {
    const part = isAside ? undefined : splitByLog(files).find(([lead]) => lead?.path === log);
    if (part === undefined) continue;
    const done = readGeneration(disk, folders.to, generation, key);
    if (done.kind === "good") {
      note(done.manifest.files);
      continue;
    }
    const chunks = part.flatMap((file) => file.chunks);
    const missing = chunks.filter(({ sha256 }) => !placed.has(sha256));
    const bytes = missing.map((chunk) => readStored(disk, folders.from, chunk));
    // Damage in the old record stays there: `verify` reports it.
    if (bytes.includes(undefined)) continue;
    const begun = beginGeneration(disk, folders.to, generation);
    missing.forEach((chunk, at) => {
      if (placed.get(chunk.sha256) === generation) return;
      replaceFile(disk, chunkPath(begun.folder, chunk), bytes[at] ?? new Uint8Array());
      placed.set(chunk.sha256, generation);
    });
    const own = part.map((file) => ({
      ...file,
      chunks: file.chunks.map((chunk) => ({ ...chunk, generation: placed.get(chunk.sha256) ?? generation })),
    }));
    const record = {
      ...key,
      generation,
      log,
      markdown: null,
      files: own,
      earlier: [],
      isAside: false,
      origin: null,
    };
    writeManifest(disk, begun.folder, record);
    begun.finish();
  }
}

function readStored(disk: Disk, sessionFolder: string, chunk: Chunk): Uint8Array | undefined {
  return disk.readFile(chunkPath(foldersOf(sessionFolder)(chunk.generation), chunk), MAX_STORED);
}
