import { type ExportFormat, exitCodes, exportFormats, UserError } from "../../index.ts";
import { inBatches } from "../../render/text-parts.ts";
import { type Command, defineCommand } from "../command.ts";
import { namesFile, openHistoryIn } from "../open-history.ts";
import { page } from "../output/pager.ts";
import { printJson } from "../output/print-json.ts";
import { outputFile, outputFlags, writeAnswer } from "../output-file.ts";

export const command: Command = defineCommand({
  description:
    "Exports a session as one self-contained document: markdown; an HTML page that loads nothing and runs no " +
    "script; or JSON with everything that was said and done. Secrets are masked. An existing file is replaced " +
    "only with --force.",
  examples: [
    { line: "sessions export last", says: "the newest session of this folder as markdown" },
    { line: "sessions export 3f542803 -o session.html", says: "as a page to send or print" },
    { line: "sessions export 3f542803 --format json | jq .requests", says: "as JSON" },
  ],
  positionals: [{ name: "session", description: "id, start of an id, last, current, or a path", many: true }],
  flags: {
    format: {
      type: "string",
      choices: exportFormats,
      default: "md",
      placeholder: "FORMAT",
      description: "what to write; with -o, the file's extension decides",
    },
    ...outputFlags,
    everywhere: { type: "boolean", description: "with last: in all projects" },
  },
  async run({ flags, given, positionals }, world) {
    const file = outputFile(flags);
    // The example history is for reading, not for filling files.
    const history = await openHistoryIn(world, {
      reveal: flags.reveal,
      allowDemo: file === undefined && !namesFile(positionals),
    });
    // --json alone asks for the session as JSON.
    const isJsonItself = flags.json && !given.has("format") && file === undefined;
    const format = given.has("format") ? flags.format : isJsonItself ? "json" : formatOfFile(file);
    const { parts, ...exported } = await history.export(positionals, {
      format,
      everywhere: flags.everywhere,
    });
    if (file !== undefined)
      await writeAnswer(history.library, file, () => inBatches(parts()), flags, world, exported);
    else if (flags.json && !isJsonItself)
      printJson(world, { demo: history.demo, ...exported, text: Array.from(parts()).join("") });
    else await page(inBatches(parts()), world);
    return exitCodes.done;
  },
});

const OTHER_ENDINGS: Readonly<Record<string, ExportFormat>> = {
  markdown: "md",
  txt: "md",
  htm: "html",
  jsonl: "json",
};

function formatOfFile(file: string | undefined): ExportFormat {
  const ending = /\.(\w+)$/.exec(file ?? "")?.[1]?.toLowerCase();
  if (ending === undefined) return "md";
  const format = exportFormats.find((each) => each === (OTHER_ENDINGS[ending] ?? ending));
  if (format !== undefined) return format;
  throw new UserError(`Cannot export to ${JSON.stringify(file)}: .${ending} is not a format`, {
    exitCode: exitCodes.wrongUsage,
    hint: `name the file .${exportFormats.join(", .")}, or choose with --format; a browser prints .html as PDF`,
  });
}
