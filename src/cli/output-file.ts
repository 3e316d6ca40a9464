import { exitCodes, UserError } from "../errors.ts";
import type { Library } from "../fs/library.ts";
import { type DocumentParts, writeDocument } from "../search/write-document.ts";
import { formatBytes } from "./output/amounts.ts";
import { printJson } from "./output/print-json.ts";
import { sanitize } from "./output/sanitize.ts";
import type { World } from "./world.ts";

/** For commands, which import nothing beneath the library. */
export { type DocumentParts, writeDocument } from "../search/write-document.ts";

/** Flags of commands that can write their answer to a file. */
export const outputFlags = {
  output: {
    type: "string",
    alias: "o",
    placeholder: "FILE",
    values: "file",
    description: "write to a file",
  },
  force: { type: "boolean", description: "with -o: replace an existing file" },
} as const;

/** The file to write to; undefined: print. Secrets are revealed only on a terminal. */
export function outputFile({
  output,
  reveal,
}: {
  readonly output: string | undefined;
  readonly reveal: boolean;
}): string | undefined {
  if (output === undefined || !reveal) return output;
  throw new UserError("Cannot reveal secrets in a file: --reveal works only on a terminal", {
    exitCode: exitCodes.wrongUsage,
    hint: "leave out --reveal or -o",
  });
}

/** Writes an answer to the requested file and reports that; in JSON, `about` comes first. */
export async function writeAnswer(
  library: Library,
  file: string,
  document: DocumentParts,
  flags: { readonly force: boolean; readonly json: boolean },
  world: World,
  about: object,
): Promise<void> {
  const written = await world.uninterrupted(async () => writeDocument(library, file, document, flags));
  if (flags.json) return printJson(world, { ...about, ...written });
  const what = { new: "Wrote", replaced: "Replaced", same: "Unchanged:" }[written.outcome];
  world.stdout.write(`${what} ${sanitize(written.path)} (${formatBytes(written.bytes)})\n`);
}
