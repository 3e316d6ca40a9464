import { exitCodes, UserError } from "../../core/errors.ts";
import { selectSession } from "../../operations/select-sessions.ts";
import { type RetrievedBlock, retrieveBlock } from "../../operations/shrink/retrieve-block.ts";
import { writeDocument } from "../../operations/write-document.ts";
import { type Command, defineCommand } from "../command.ts";
import { openLibrary } from "../open-library.ts";
import { outputFile, outputFlags } from "../output-file.ts";
import { formatBytes } from "../print/amounts.ts";
import { printJson } from "../print/print-json.ts";
import { sanitize } from "../print/sanitize.ts";

export const command: Command = defineCommand({
  description:
    "Gives back what a tool call returned, whole: from the sidecar of a flattened session, else from the log, else from " +
    "the archive, where also lies what was compacted away. Images and documents are written to a file (-o).",
  examples: [
    { line: "sessions retrieve 3f542803 toolu_01AbC", says: "the text that was moved out" },
    { line: "sessions retrieve 3f542803 toolu_01AbC#2 -o screen.png", says: "the second block of that call" },
  ],
  positionals: [
    { name: "session", description: "id, beginning of an id, last, current, or a path" },
    { name: "tool-use-id", description: "as the marker says; with #2 the second block of that call" },
  ],
  flags: {
    ...outputFlags,
    everywhere: { type: "boolean", description: "with last: of all projects" },
  },
  parser: "light",
  async run({ flags, positionals }, world) {
    const { library, mask } = await openLibrary(world, { reveal: flags.reveal, allowDemo: false });
    const [selector = "", name = ""] = positionals;
    const pointer = selectSession(library, [selector], { everywhere: flags.everywhere });
    const { blocks, from, generation, damages } = retrieveBlock(library, pointer, name);
    for (const damage of mask(damages))
      world.stderr.write(`${sanitize(`Passed over, because it can't be read: ${damage}`)}\n`);
    const file = outputFile(flags);
    const text = mask(blocks.flatMap((block) => block.text ?? []).join("\n"));
    const media = blocks.filter(({ data }) => data !== null);
    const content = file === undefined ? "" : contentFor(blocks, media, text);
    const written = file === undefined ? undefined : writeDocument(library, file, () => [content], flags);
    if (flags.json) {
      printJson(world, {
        ...{ sessionId: pointer.id, agent: pointer.agent, toolUseId: blocks[0]?.toolUseId ?? name },
        ...{ tool: mask(blocks[0]?.tool ?? ""), from, generation },
        blocks: mask(blocks.map(toJson)),
        path: written?.path ?? null,
      });
      return exitCodes.done;
    }
    if (written !== undefined) {
      world.stdout.write(`Wrote ${sanitize(written.path)} (${formatBytes(written.bytes)})\n`);
      return exitCodes.done;
    }
    if (media.length > 0 && text === "") {
      throw new UserError(`Cannot print ${media[0]?.kind ?? "an image"}: it is no text`, {
        exitCode: exitCodes.wrongUsage,
        hint: "write it to a file with -o FILE",
      });
    }
    world.stdout.write(sanitize(text.endsWith("\n") ? text : `${text}\n`, "lines"));
    return exitCodes.done;
  },
});

/** A single image as it is; else the texts. */
function contentFor(
  blocks: readonly RetrievedBlock[],
  media: readonly RetrievedBlock[],
  text: string,
): string | Uint8Array {
  const [only, other] = media;
  if (only?.data === undefined || only.data === null) return text;
  if (blocks.length === 1) return only.data;
  throw new UserError(`Cannot write ${blocks.length} blocks to one file`, {
    exitCode: exitCodes.wrongUsage,
    hint: `name one of them: ${only.toolUseId}#${only.number}${other === undefined ? "" : `, ${other.toolUseId}#${other.number}`}`,
  });
}

function toJson({ number, kind, mediaType, bytes, lines, file, text }: RetrievedBlock): object {
  return { number, kind, mediaType, bytes, lines, file, text };
}
