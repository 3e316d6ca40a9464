import type { Library } from "../fs/library.ts";
import { maskParts } from "../redact/mask-parts.ts";
import { retrieveBlock } from "../shrink/retrieve-block.ts";
import type { History, SelectedSession } from "./history.ts";

/** Returns the result of a tool call with secrets masked; long texts are masked while they are read. */
export function retrieveMasked(
  library: Library,
  pointer: SelectedSession,
  toolUseId: string,
  mask: History["mask"],
): Awaited<ReturnType<History["retrieve"]>> {
  const { blocks, damages, ...found } = retrieveBlock(library, pointer, toolUseId);
  return {
    agent: pointer.agent,
    id: pointer.id,
    ...found,
    damages: mask(damages),
    blocks: blocks.map(({ text, data, ...block }) => ({
      ...mask(block),
      data,
      text: text === null ? null : () => maskParts(text(), mask),
    })),
  };
}
