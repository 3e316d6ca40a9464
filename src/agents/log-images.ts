import { tryParse } from "../jsonl/json-line.ts";
import { splitLines } from "../jsonl/lines.ts";
import type { SessionFiles } from "./agent.ts";
import type { ByteSource } from "./byte-source.ts";

/** An image that a log holds. */
export interface LogImage {
  readonly mediaType: string;
  /** In base64. */
  readonly data: string;
}

/** Types that browsers display and that can't contain scripts. */
const MEDIA_TYPES: ReadonlySet<unknown> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const DATA_URL = /^data:(image\/(?:png|jpeg|gif|webp));base64,/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** A page with more than this would not open in any browser. */
const MAX_CHARS = 48 * 1024 * 1024;

/**
 * Reads the images on some lines of a session's logs, by the numbers of the lines, in one pass. Lines that are too
 * long to be read completely have none.
 */
export function readImages(
  source: ByteSource,
  { files }: SessionFiles,
  lines: ReadonlySet<number>,
): ReadonlyMap<number, readonly LogImage[]> {
  const found = new Map<number, readonly LogImage[]>();
  const last = Math.max(0, ...lines);
  let left = MAX_CHARS;
  for (const { path, role } of files) {
    if (last === 0 || (role !== "main" && role !== "rotation")) continue;
    try {
      for (const { bytes, number, squeezed } of splitLines(source.chunks(path))) {
        if (number > last) break;
        if (!lines.has(number) || squeezed > 0 || found.has(number)) continue;
        const images = imagesIn(tryParse(bytes.toString("utf8"))).filter(({ data }) => {
          left -= data.length;
          return left >= 0;
        });
        if (images.length > 0) found.set(number, images);
      }
    } catch (error) {
      // Unreadable parts of a log are reported where its text is shown.
      source.explain(error);
    }
  }
  return found;
}

/** Finds images at any depth: each agent has its own kind of blocks. */
function imagesIn(value: unknown): readonly LogImage[] {
  if (typeof value === "string") {
    const mediaType = DATA_URL.exec(value)?.[1];
    return mediaType === undefined ? [] : imageOf(mediaType, value.slice(value.indexOf(",") + 1));
  }
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(imagesIn);
  const { data, media_type, mimeType }: Readonly<Record<string, unknown>> = { ...value };
  const mediaType = media_type ?? mimeType;
  if (MEDIA_TYPES.has(mediaType) && typeof data === "string") return imageOf(String(mediaType), data);
  return Object.values(value).flatMap(imagesIn);
}

function imageOf(mediaType: string, data: string): readonly LogImage[] {
  return BASE64.test(data) ? [{ mediaType, data }] : [];
}
