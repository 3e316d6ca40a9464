import { exitCodes } from "../../errors.ts";
import { inBatches } from "../../render/in-batches.ts";
import { type ExportFormat, exportFormats, exportSession } from "../../search/export-session.ts";
import { type Command, defineCommand } from "../command.ts";
import { namesFile, openLibrary } from "../open-library.ts";
import { page } from "../output/pager.ts";
import { printJson } from "../output/print-json.ts";
import { outputFile, outputFlags, writeAnswer } from "../output-file.ts";

export const command: Command = defineCommand({
  description:
    "Makes one self-contained document of a session: markdown for people, grep and notes programs; a page of HTML " +
    "that loads nothing and runs no script; or JSON with everything that was said and done. Secrets are masked. A " +
    "file that exists is replaced with --force only.",
  examples: [
    { line: "sessions export last", says: "the newest session of this folder as markdown" },
    { line: "sessions export 3f542803 -o session.html", says: "a page to send or to print" },
    { line: "sessions export 3f542803 --format json | jq .requests", says: "for programs" },
  ],
  positionals: [
    { name: "session", description: "id, beginning of an id, last, current, or a path", many: true },
  ],
  flags: {
    format: {
      type: "string",
      choices: exportFormats,
      default: "md",
      placeholder: "FORMAT",
      description: "what kind of document; with -o the ending of the file tells as well",
    },
    ...outputFlags,
    everywhere: { type: "boolean", description: "with last: of all projects" },
  },
  async run({ flags, given, positionals }, world) {
    const file = outputFile(flags);
    // The example history answers questions; it is nothing to fill files with.
    const { library, mask } = await openLibrary(world, {
      reveal: flags.reveal,
      allowDemo: file === undefined && !namesFile(positionals),
    });
    // Programs that ask for JSON and say no more want the session as JSON.
    const isJsonItself = flags.json && !given.has("format") && file === undefined;
    const format = given.has("format") ? flags.format : isJsonItself ? "json" : formatOfFile(file);
    const { parts, ...exported } = exportSession(library, positionals, {
      format,
      mask,
      everywhere: flags.everywhere,
    });
    if (file !== undefined)
      await writeAnswer(library, file, () => inBatches(parts()), flags, world, exported);
    else if (flags.json && !isJsonItself)
      printJson(world, { demo: library.demo, ...exported, text: Array.from(parts()).join("") });
    else await page(inBatches(parts()), world);
    return exitCodes.done;
  },
});

function formatOfFile(file: string | undefined): ExportFormat {
  const ending = /\.(md|html|json)$/i.exec(file ?? "")?.[1]?.toLowerCase();
  return exportFormats.find((format) => format === ending) ?? "md";
}
