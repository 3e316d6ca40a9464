import { Buffer } from "node:buffer";
import { exitCodes, UserError } from "../../core/errors.ts";
import { type FlatContent, parseBlockName } from "../../core/shrink/flat-marker.ts";
import { isCompactedText } from "../../formats/claude/shrink/placeholders.ts";
import { rawLines } from "../../formats/raw-lines.ts";
import { bulkyFinderOf } from "../../formats/shrink/bulky-finders.ts";
import { openSidecar } from "../../store/flat/open-sidecar.ts";
import { sidecarPath } from "../../store/flat/sidecar.ts";
import { archiveSource } from "../archive-source.ts";
import { diskSource } from "../disk-source.ts";
import type { Library } from "../library.ts";
import { openArchive } from "../open-archive.ts";
import type { SessionPointer } from "../session-pointers.ts";

/** What a tool gave back, whole. */
export interface RetrievedBlock extends Omit<FlatContent, "file"> {
  readonly file: string | null;
  /** Of texts. */
  readonly text: string | null;
  /** Of images and documents. */
  readonly data: Buffer | null;
}

export interface Retrieved {
  readonly blocks: readonly RetrievedBlock[];
  /** Where it was found. */
  readonly from: "sidecar" | "log" | "archive";
  /** The archived generation. */
  readonly generation: number | null;
}

/**
 * Gives back what a tool call returned, though it is flattened, or compacted away: from the sidecar, else from
 * the log, else from the archive, the newest generation first.
 */
export function retrieveBlock(library: Library, pointer: SessionPointer, name: string): Retrieved {
  const wanted = parseBlockName(name);
  const pick = (blocks: readonly RetrievedBlock[]): readonly RetrievedBlock[] =>
    blocks.filter(
      ({ toolUseId, number }) =>
        toolUseId === wanted.toolUseId && (wanted.number === null || number === wanted.number),
    );
  const flat = pick(fromSidecar(library, pointer));
  if (flat.length > 0) return { blocks: flat, from: "sidecar", generation: null };
  const lead = pointer.files.files[0]?.path ?? "";
  if (pointer.kept === undefined && pointer.stub === undefined) {
    const here = pick(inLog(pointer, diskSource(library.disk).chunks(lead)));
    if (here.length > 0) return { blocks: here, from: "log", generation: null };
  }
  const archive = openArchive(library);
  const newest = archive.get(pointer);
  for (const generation of (newest?.generations ?? []).toReversed()) {
    const kept = archive.get(pointer, generation);
    const main = kept?.files.find(({ role }) => role === "main");
    if (kept === undefined || main === undefined) continue;
    const found = pick(inLog(pointer, archiveSource(() => kept).chunks(main.path)));
    if (found.length > 0) return { blocks: found, from: "archive", generation };
  }
  throw new UserError(`Cannot retrieve "${name}": session ${pointer.id} has no result of that call`, {
    exitCode: exitCodes.nothingFound,
    hint: "the id stands in the marker: [FLATTENED id=…",
  });
}

function fromSidecar({ disk, places }: Library, session: SessionPointer): readonly RetrievedBlock[] {
  const sidecar = openSidecar(disk, sidecarPath(places.flat, session));
  if (sidecar === undefined) return [];
  const seen = new Set<string>();
  return sidecar.index.blocks.flatMap((block) => {
    const { isCopy, toolUseId, tool, file, kind, mediaType, bytes, lines, number } = block;
    const key = `${toolUseId}#${number}`;
    if (isCopy || seen.has(key)) return [];
    seen.add(key);
    const about = { toolUseId, tool, file, kind, mediaType, bytes, lines, number };
    return [{ ...about, ...contentOf(sidecar.read(block)) }];
  });
}

/** What a log still has of results: neither markers nor placeholders. */
function inLog({ agent }: SessionPointer, chunks: Iterable<Uint8Array>): readonly RetrievedBlock[] {
  const finder = bulkyFinderOf(agent)?.({ minBytes: 0, copies: false });
  if (finder === undefined) return [];
  const found: RetrievedBlock[] = [];
  for (const { bytes } of rawLines(chunks)) {
    for (const { span, content } of finder(bytes)) {
      const block = contentOf(bytes.subarray(span.start, span.end));
      if (block.text !== null && isCompactedText(block.text)) continue;
      found.push({ ...content, file: content.file ?? null, ...block });
    }
  }
  return found;
}

/** A text is a JSON string; an image is an object with its base64. */
function contentOf(raw: Buffer): Pick<RetrievedBlock, "text" | "data"> {
  const value: unknown = JSON.parse(raw.toString("utf8"));
  if (typeof value === "string") return { text: value, data: null };
  const data = base64In(value);
  return { text: null, data: data === undefined ? null : Buffer.from(data, "base64") };
}

function base64In(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if ("data" in value && typeof value.data === "string") return value.data;
  return "source" in value ? base64In(value.source) : undefined;
}
