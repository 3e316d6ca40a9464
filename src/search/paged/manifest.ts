import { Buffer } from "node:buffer";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { Damaged } from "../../fs/damage.ts";
import type { Disk } from "../../fs/disk.ts";
import { replaceFile } from "../../fs/replace-file.ts";
import type { IndexSchema } from "../ranking/index-schema.ts";
import { describeFields } from "../ranking/index-schema.ts";
import type { PartialSession } from "./live-segment.ts";
import { INDEX_FORMAT, type SegmentDescriptor, type SegmentTotals } from "./segment-writer.ts";

export interface ManifestSegment {
  readonly descriptor: SegmentDescriptor;
  /** What its living sessions add to the corpus. */
  readonly live: SegmentTotals;
  /** Sessions of the segment that are gone, in order. */
  readonly gone: readonly number[];
  readonly remnants: readonly PartialSession[];
}

/** What the index is. Replaced as a whole: who has read one sees one state. */
export interface IndexManifest {
  /** Another one with every commit. */
  readonly id: string;
  /** Oldest first. */
  readonly segments: readonly ManifestSegment[];
  /** The caller's own. */
  readonly state: string;
}

export type ManifestFound =
  | { readonly kind: "manifest"; readonly manifest: IndexManifest }
  | { readonly kind: "absent" }
  | { readonly kind: "version"; readonly what: string }
  | Damaged;

export const MANIFEST_FILE = "manifest";

const MAGIC = "sessions index manifest";
const HEAD = new RegExp(`^${MAGIC} (\\d+) ([0-9a-f]{8})$`);
/** Segments are few and their lists of gone sessions bounded; more than this is no manifest. */
const MAX_BYTES = 64 * 1024 * 1024;

interface ManifestBody extends IndexManifest {
  readonly analysis: string;
  readonly fields: string;
}

export const emptyManifest: IndexManifest = { id: "", segments: [], state: "" };

export function readIndexManifest(disk: Disk, folder: string, schema: IndexSchema): ManifestFound {
  const bytes = disk.readFile(join(folder, MANIFEST_FILE), MAX_BYTES);
  if (bytes === undefined) return { kind: "absent" };
  const headEnd = bytes.indexOf(0x0a);
  const head = HEAD.exec(bytes.toString("latin1", 0, Math.max(0, headEnd)));
  if (head === null) return { kind: "damaged", what: `${MANIFEST_FILE}: it does not begin as it should` };
  const [, format, sum] = head;
  if (Number(format) !== INDEX_FORMAT) return { kind: "version", what: `format ${format}` };
  const body = bytes.subarray(headEnd + 1);
  if (crc32(body) !== Number.parseInt(sum ?? "", 16)) {
    return { kind: "damaged", what: `${MANIFEST_FILE}: it is not what was written` };
  }
  // Verified by its checksum: it is what writeManifest() wrote.
  const manifest: ManifestBody = JSON.parse(body.toString("utf8"));
  if (manifest.analysis !== schema.analysisVersion) {
    return { kind: "version", what: `analysis ${manifest.analysis}` };
  }
  if (manifest.fields !== describeFields(schema.fields)) return { kind: "version", what: "other fields" };
  return { kind: "manifest", manifest };
}

export function writeIndexManifest(
  disk: Disk,
  folder: string,
  schema: IndexSchema,
  manifest: IndexManifest,
): void {
  const content: ManifestBody = {
    ...manifest,
    analysis: schema.analysisVersion,
    fields: describeFields(schema.fields),
  };
  const body = Buffer.from(JSON.stringify(content));
  const sum = crc32(body).toString(16).padStart(8, "0");
  replaceFile(disk, join(folder, MANIFEST_FILE), [Buffer.from(`${MAGIC} ${INDEX_FORMAT} ${sum}\n`), body]);
}

/** The lists of a manifest as flags, for looking up. */
export function goneFlags({ descriptor, gone, remnants }: ManifestSegment): Uint8Array | undefined {
  if (gone.length === 0 && remnants.length === 0) return undefined;
  const flags = new Uint8Array(descriptor.totals.sessions);
  for (const session of gone) flags[session] = 1;
  for (const { session } of remnants) flags[session] = 1;
  return flags;
}
