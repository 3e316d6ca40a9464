import type { FileTouch } from "../session/entry.ts";

const PATCH_START = "*** Begin Patch";
const FILE_LINE = /^\*\*\* (?:Update File|Add File|Delete File|Move to): (.+)$/gm;

/** The files that a patch in the apply_patch form changes, wherever in the text it stands. */
export function readPatchFiles(text: string): readonly FileTouch[] {
  const start = text.indexOf(PATCH_START);
  if (start === -1) return [];
  const paths = new Set<string>();
  for (const [, path = ""] of text.slice(start).matchAll(FILE_LINE)) {
    if (path.trim() !== "") paths.add(path.trim());
  }
  return [...paths].map((path) => ({ path, mode: "write" }));
}
