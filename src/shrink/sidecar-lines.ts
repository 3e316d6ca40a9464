import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { RawLine } from "../jsonl/lines.ts";
import type { Sidecar } from "./open-sidecar.ts";
import type { SidecarLine } from "./sidecar.ts";

interface LineMatcher {
  /** The entry for a line of the log, if there is one. */
  match(line: RawLine): SidecarLine | undefined;
  /** Entries that no line matched so far. */
  unused(): readonly SidecarLine[];
}

/**
 * Finds the lines of a log for which a sidecar has an entry: first by their place, because two lines may be equal;
 * then by their bytes alone, because an agent may have removed lines before them. Each entry is used once.
 */
export function createLineMatcher(sidecar: Sidecar | undefined): LineMatcher {
  if (sidecar === undefined) return { match: () => undefined, unused: () => [] };
  const byOffset = new Map<number, SidecarLine[]>();
  const byHash = new Map<string, SidecarLine[]>();
  const used = new Set<SidecarLine>();
  for (const line of sidecar.index.lines) {
    add(byOffset, line.offset, line);
    add(byHash, line.sha256, line);
  }
  return {
    match: ({ bytes, offset }) => {
      const sha256 = hashOfLine(bytes);
      const here = byOffset.get(offset)?.find((line) => line.sha256 === sha256);
      const found = here ?? byHash.get(sha256)?.find((line) => !used.has(line));
      if (found !== undefined) used.add(found);
      return found;
    },
    unused: () => sidecar.index.lines.filter((line) => !used.has(line)),
  };
}

function add<K>(map: Map<K, SidecarLine[]>, key: K, line: SidecarLine): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [line]);
  else list.push(line);
}

export function hashOfLine(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The original form of the line. Held once, however long it is. */
export function restoredLine(sidecar: Sidecar, bytes: Buffer, { spans }: SidecarLine): Buffer {
  const parts = spans.flatMap((span) => {
    const block = sidecar.index.blocks[span.block];
    return block === undefined ? [] : [{ ...span, block }];
  });
  const restored = Buffer.allocUnsafe(
    parts.reduce((sum, { length, block }) => sum - length + block.length, bytes.length),
  );
  let from = 0;
  let to = 0;
  for (const { at, length, block } of parts) {
    to += bytes.copy(restored, to, from, at);
    for (const chunk of sidecar.chunks(block)) to += chunk.copy(restored, to);
    from = at + length;
  }
  bytes.copy(restored, to, from);
  return restored;
}
