import type { Buffer } from "node:buffer";
import {
  type BulkyBlock,
  type BulkyFinder,
  type BulkyOptions,
  bulkyOnly,
  type CallOfResult,
  contentBlocks,
  copyBlocks,
  createCalls,
  type Flattening,
  fileIn,
  type ResultPlace,
} from "../bulky-block.ts";
import { toolLines } from "./tool-parts.ts";

/** Results of tool calls, and the copies of them that Claude Code keeps for its own display. */
export const claudeFlattening: Flattening = { finder: claudeFinder, places: claudePlaces };

function claudeFinder({ minBytes, copies }: BulkyOptions): BulkyFinder {
  const calls = createCalls();
  return (bytes) => {
    const blocks: BulkyBlock[] = [];
    for (const { parts, copy } of toolLines(bytes)) {
      let first: CallOfResult | undefined;
      for (const part of parts) {
        if (part.kind === "use") calls.note(part.id, part.tool, fileIn(bytes, part.input));
        else {
          const call = calls.of(part.id);
          first ??= call;
          const found = contentBlocks(bytes, part.content, call, calls.numbersOf(part.id));
          for (const block of found) blocks.push(block);
        }
      }
      if (copies && first !== undefined)
        for (const block of copyBlocks(bytes, copy, first, minBytes)) blocks.push(block);
    }
    return bulkyOnly(bytes, blocks, minBytes);
  };
}

function claudePlaces(bytes: Buffer): readonly ResultPlace[] {
  return toolLines(bytes).flatMap(({ parts, copy }) => {
    const places = parts.flatMap((part): ResultPlace[] =>
      part.kind === "result" ? [{ toolUseId: part.id, span: part.content, isCopy: false }] : [],
    );
    const [first] = places;
    if (first === undefined || copy === undefined) return places;
    return [...places, { toolUseId: first.toolUseId, span: copy, isCopy: true }];
  });
}
