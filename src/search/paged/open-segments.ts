import type { Disk } from "../../fs/disk.ts";
import { isAbsent } from "../../fs/disk-error.ts";
import { type Damaged, IndexDamage } from "../../fs/index-damage.ts";
import type { IndexSchema } from "../ranking/index-schema.ts";
import { goneFlags, type Manifest, type ManifestFound, readManifest } from "./manifest.ts";
import { openSegment, type Segment } from "./segment.ts";
import type { CountedSegment } from "./segments-view.ts";

export interface OpenSegments {
  readonly kind: "open";
  readonly manifest: Manifest;
  readonly segments: readonly CountedSegment[];
  close(): void;
}

/** A writer that replaces segments again and again while one looks must be in a loop. */
const MAX_ROUNDS = 20;

/**
 * Opens what the manifest names. A segment that is gone was merged into another one since the
 * manifest was read: then the new one is read. Once open, files stay readable although their names
 * are removed, so a reader needs no lock.
 */
export function openSegments(
  disk: Disk,
  folder: string,
  schema: IndexSchema,
): OpenSegments | Exclude<ManifestFound, { readonly kind: "manifest" }> {
  let missing: { readonly id: string; readonly what: string } | undefined;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const found = readManifest(disk, folder, schema);
    if (found.kind !== "manifest") return found;
    const { manifest } = found;
    // The same manifest again: nobody is replacing anything, the file is lost.
    if (missing?.id === manifest.id) break;
    const opened = openAll(disk, folder, schema, manifest);
    if (opened.kind !== "missing") return opened;
    missing = { id: manifest.id, what: opened.what };
  }
  return { kind: "damaged", what: missing?.what ?? "its segments change all the time" };
}

function openAll(
  disk: Disk,
  folder: string,
  schema: IndexSchema,
  manifest: Manifest,
): OpenSegments | Damaged | { readonly kind: "missing"; readonly what: string } {
  const segments: CountedSegment[] = [];
  const close = (): void => {
    for (const { segment } of segments) segment.close();
  };
  for (const entry of manifest.segments) {
    let segment: Segment;
    try {
      segment = openSegment(disk, folder, entry.descriptor, schema.fields);
    } catch (error) {
      close();
      if (error instanceof IndexDamage) return { kind: "damaged", what: error.message };
      if (isAbsent(error)) return { kind: "missing", what: `${entry.descriptor.file}: it is missing` };
      throw error;
    }
    segments.push({ segment, gone: goneFlags(entry), remnants: entry.remnants, live: entry.live });
  }
  return { kind: "open", manifest, segments, close };
}
