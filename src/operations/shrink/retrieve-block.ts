import { Buffer } from "node:buffer";
import { ArchiveDamage } from "../../core/archive/archive-damage.ts";
import { exitCodes, UserError } from "../../core/errors.ts";
import { type FlatContent, parseBlockName } from "../../core/shrink/flat-marker.ts";
import { isCompactedText } from "../../formats/claude/shrink/placeholders.ts";
import { rawLines } from "../../formats/raw-lines.ts";
import { bulkyFinderOf } from "../../formats/shrink/bulky-finders.ts";
import { explainDiskError } from "../../store/disk-error.ts";
import { openSidecar, type Sidecar } from "../../store/flat/open-sidecar.ts";
import { damagedPath, pendingPath, sidecarPath } from "../../store/flat/sidecar.ts";
import { diskSource } from "../disk-source.ts";
import type { Library } from "../library.ts";
import type { SessionPointer } from "../session-pointers.ts";
import { archivedLogs } from "./archived-logs.ts";

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
  /** Places that were looked into first and can't be read: `path: why`. */
  readonly damages: readonly string[];
}

/**
 * Gives back what a tool call returned, though it is flattened, or compacted away: from the sidecar, else from
 * the log, else from the archive, the newest generation first. A place that is damaged is passed over.
 */
export function retrieveBlock(library: Library, pointer: SessionPointer, name: string): Retrieved {
  const wanted = parseBlockName(name);
  const isWanted: IsWanted = ({ toolUseId, number }) =>
    toolUseId === wanted.toolUseId && (wanted.number === null || number === wanted.number);
  const damages: string[] = [];
  const attempt = (path: string, look: () => readonly RetrievedBlock[]): readonly RetrievedBlock[] => {
    try {
      return look();
    } catch (error) {
      damages.push(`${path}: ${explain(error)}`);
      return [];
    }
  };
  const flat = sidecarPath(library.places.flat, pointer);
  const lookInto = (path: string): readonly RetrievedBlock[] =>
    attempt(path, () => {
      const sidecar = openSidecar(library.disk, path);
      if (sidecar !== undefined && sidecar.damage !== null) damages.push(`${path}: ${sidecar.damage}`);
      return sidecar === undefined ? [] : inSidecar(sidecar, isWanted);
    });
  for (const path of [flat, pendingPath(flat)]) {
    const blocks = lookInto(path);
    if (blocks.length > 0) return { blocks, from: "sidecar", generation: null, damages };
  }
  if (pointer.kept === undefined && pointer.stub === undefined) {
    for (const path of logsOf(pointer)) {
      const here = attempt(path, () => inLog(pointer, diskSource(library.disk).chunks(path), isWanted));
      if (here.length > 0) return { blocks: here, from: "log", generation: null, damages };
    }
  }
  for (const { generation, path, chunks } of archivedLogs(library, pointer)) {
    const place = `generation ${generation} of ${path}`;
    const found = attempt(place, () => inLog(pointer, chunks(), isWanted));
    if (found.length > 0) return { blocks: found, from: "archive", generation, damages };
  }
  const rest = lookInto(damagedPath(flat));
  if (rest.length > 0) return { blocks: rest, from: "sidecar", generation: null, damages };
  const reason = damages.length === 0 ? "" : `; could not be read: ${damages.join(", ")}`;
  throw new UserError(
    `Cannot retrieve "${name}": session ${pointer.id} has no result of that call${reason}`,
    {
      exitCode: exitCodes.nothingFound,
      hint: "the id stands in the marker: [FLATTENED id=…",
    },
  );
}

type IsWanted = (block: Pick<FlatContent, "toolUseId" | "number">) => boolean;

function explain(error: unknown): string {
  if (error instanceof ArchiveDamage) return error.what;
  if (error instanceof UserError) return error.message;
  return explainDiskError(error);
}

/** The leading log first; copies may have what that lacks. */
function logsOf({ files }: SessionPointer): readonly string[] {
  const [lead, ...others] = files.files;
  return [
    ...(lead === undefined ? [] : [lead.path]),
    ...others.filter(({ role }) => role === "main").map(({ path }) => path),
  ];
}

/** All of the wanted blocks, or none: half of a result is looked for elsewhere. */
function inSidecar(sidecar: Sidecar, isWanted: IsWanted): readonly RetrievedBlock[] {
  const found = new Map<number, RetrievedBlock>();
  for (const block of sidecar.index.blocks) {
    const { isCopy, toolUseId, tool, file, kind, mediaType, bytes, lines, number } = block;
    if (isCopy || !isWanted(block) || found.has(number)) continue;
    const about = { toolUseId, tool, file, kind, mediaType, bytes, lines, number };
    found.set(number, { ...about, ...contentOf(sidecar.read(block)) });
  }
  return [...found.values()];
}

/** What a log still has of results: neither markers nor placeholders. */
function inLog(
  { agent }: SessionPointer,
  chunks: Iterable<Uint8Array>,
  isWanted: IsWanted,
): readonly RetrievedBlock[] {
  const finder = bulkyFinderOf(agent)?.({ minBytes: 0, copies: false });
  if (finder === undefined) return [];
  const found: RetrievedBlock[] = [];
  for (const { bytes } of rawLines(chunks)) {
    for (const { span, content } of finder(bytes)) {
      if (!isWanted(content)) continue;
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
