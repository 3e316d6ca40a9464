import { exitCodes, type RetrievedBlock, UserError } from "../../index.ts";
import { type Command, defineCommand } from "../command.ts";
import { namesFile, openHistoryIn } from "../open-history.ts";
import { formatBytes } from "../output/amounts.ts";
import { printJsonWithTexts } from "../output/print-json.ts";
import { sanitize } from "../output/sanitize.ts";
import { type DocumentParts, outputFile, outputFlags, writeDocument } from "../output-file.ts";

export const command: Command = defineCommand({
  description:
    "Prints the whole result of a tool call: from the sidecar of a flattened session, from the log, or from " +
    "the archive, which also has results that were compacted away. Images and documents are written to a file " +
    "(-o).",
  examples: [
    { line: "sessions retrieve 3f542803 toolu_01AbC", says: "print the text that was moved out" },
    { line: "sessions retrieve 3f542803 toolu_01AbC#2 -o screen.png", says: "the second block of that call" },
  ],
  positionals: [
    {
      name: "session",
      description: "id, start of an id, last, current, or a path",
      values: "session",
    },
    {
      name: "tool-use-id",
      description:
        "the id of the call: toolUseId in show --full --json, or from the marker; append #2 for its second block",
    },
  ],
  flags: {
    ...outputFlags,
    everywhere: { type: "boolean", description: "with last: in all projects" },
  },
  async run({ flags, positionals }, world) {
    const history = await openHistoryIn(world, {
      reveal: flags.reveal,
      allowDemo: !namesFile(positionals.slice(0, 1)),
    });
    const [selector = "", name = ""] = positionals;
    const { id, agent, blocks, from, generation, damages } = await history.retrieve(selector, name, {
      everywhere: flags.everywhere,
    });
    for (const damage of damages)
      world.stderr.write(`${sanitize(`Skipped, because it can't be read: ${damage}`)}\n`);
    const file = outputFile(flags);
    const media = blocks.filter(({ data }) => data !== null);
    const written =
      file === undefined ? undefined : writeDocument(history.library, file, contentFor(blocks, media), flags);
    if (flags.json) {
      const about = {
        sessionId: id,
        agent,
        toolUseId: blocks[0]?.toolUseId ?? name,
        tool: blocks[0]?.tool ?? "",
        from,
        generation,
      };
      const texts = blocks.map(({ text }) => text);
      printJsonWithTexts(
        world,
        (placeholders) => ({
          ...about,
          blocks: blocks.map(toJson).map((block, at) => ({ ...block, text: placeholders[at] ?? null })),
          path: written?.path ?? null,
        }),
        texts,
      );
      return exitCodes.done;
    }
    if (written !== undefined) {
      world.stdout.write(`Wrote ${sanitize(written.path)} (${formatBytes(written.bytes)})\n`);
      return exitCodes.done;
    }
    if (media.length === blocks.length) {
      throw new UserError(`Cannot print ${media[0]?.kind ?? "an image"}: it is not text`, {
        exitCode: exitCodes.wrongUsage,
        hint: "write it to a file with -o FILE",
      });
    }
    let last = "";
    for (const part of textOf(blocks)) {
      world.stdout.write(sanitize(part, "lines"));
      last = part;
    }
    if (!last.endsWith("\n")) world.stdout.write("\n");
    return exitCodes.done;
  },
});

/** The texts of all blocks, one after the other. */
function* textOf(blocks: readonly RetrievedBlock[]): Generator<string, void, void> {
  let isFirst = true;
  for (const { text } of blocks) {
    if (text === null) continue;
    if (!isFirst) yield "\n";
    isFirst = false;
    yield* text();
  }
}

/** The bytes of a single image or document, else the texts. */
function contentFor(blocks: readonly RetrievedBlock[], media: readonly RetrievedBlock[]): DocumentParts {
  const [only, other] = media;
  if (only?.data === undefined || only.data === null) return () => textOf(blocks);
  if (blocks.length === 1) return only.data;
  throw new UserError(`Cannot write ${blocks.length} blocks to one file`, {
    exitCode: exitCodes.wrongUsage,
    hint: `choose one: ${only.toolUseId}#${only.number}${other === undefined ? "" : `, ${other.toolUseId}#${other.number}`}`,
  });
}

function toJson({ number, kind, mediaType, bytes, lines, file }: RetrievedBlock): object {
  return { number, kind, mediaType, bytes, lines, file };
}
