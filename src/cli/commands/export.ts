import { resolve } from "node:path";
import { type ExportFormat, exitCodes, exportFormats, UserError } from "../../index.ts";
import { inBatches } from "../../render/text-parts.ts";
import { type Arguments, type Command, defineCommand } from "../command.ts";
import { filterFlags, filtersOf } from "../filter-flags.ts";
import { namesFile, openHistoryIn } from "../open-history.ts";
import { amountOf, formatBytes } from "../output/amounts.ts";
import { page } from "../output/pager.ts";
import { printJson } from "../output/print-json.ts";
import { reportProblems } from "../output/problems.ts";
import { createProgress } from "../output/progress.ts";
import { sanitize } from "../output/sanitize.ts";
import { outputFile, outputFlags, writeAnswer } from "../output-file.ts";
import type { World } from "../world.ts";

const queryFlag = {
  query: {
    type: "string",
    placeholder: "QUERY",
    values: "query",
    description:
      "with --site: only sessions that have all words and phrases, as `sessions search` finds them",
  },
} as const;

export const command: Command = defineCommand({
  description:
    "Exports a session as one self-contained document: markdown; an HTML page that loads nothing and runs no " +
    "script; or JSON with everything that was said and done. Secrets are masked. An existing file is replaced " +
    "only with --force.\n\n" +
    "--site writes many sessions, all or those that filters name as in `sessions list`, as a folder of static pages " +
    "with their own search. It opens from disk or from any web server, in any browser. The folder must " +
    "be new, empty, or a site of an earlier run, which is then brought up to date.",
  examples: [
    { line: "sessions export last", says: "the newest session of this folder as markdown" },
    { line: "sessions export 3f542803 -o session.html", says: "as a page to send or print" },
    { line: "sessions export 3f542803 --format json | jq .requests", says: "as JSON" },
    { line: "sessions export --site history --project shop", says: "a site with all sessions of a project" },
    { line: "sessions export --site race --query 'token refresh'", says: "one with what a search finds" },
  ],
  positionals: [
    {
      name: "session",
      description:
        "id, start of an id, last, current, or a path; with --site: words in the title, or filters",
      optional: true,
      many: true,
      values: "session",
    },
  ],
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
    site: {
      type: "string",
      placeholder: "DIR",
      values: "file",
      description: "write many sessions as a folder of static pages",
    },
    ...queryFlag,
    ...filterFlags,
  },
  async run(args, world) {
    const { flags, given, positionals } = args;
    if (flags.site !== undefined) return exportSite(flags.site, args, world);
    const filter = ["query", ...Object.keys(filterFlags)].find((name) => given.has(name));
    if (filter !== undefined) throw wrongUse(`--${filter} works only with --site`);
    if (positionals.length === 0) throw wrongUse("no session is named");
    const file = outputFile(flags);
    const history = await openHistoryIn(world, {
      reveal: flags.reveal,
      allowDemo: !namesFile(positionals),
    });
    // --json alone requests the session as JSON.
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

function wrongUse(why: string): UserError {
  return new UserError(`Cannot export: ${why}`, {
    exitCode: exitCodes.wrongUsage,
    hint: "`sessions export ID`, or `sessions export --site DIR`",
  });
}

/** Writes a site, and prints the path of its page. */
async function exportSite(
  site: string,
  { flags, positionals }: Arguments<typeof filterFlags & typeof outputFlags & typeof queryFlag>,
  world: World,
): Promise<number> {
  if (flags.output !== undefined) throw wrongUse("give -o or --site, not both");
  const folder = outputFile({ output: site, reveal: flags.reveal }) ?? site;
  const history = await openHistoryIn(world, { reveal: false, allowDemo: true });
  if (history.demo && !isFree(world, folder)) {
    // The example would replace a site that was made when there were logs.
    throw new UserError(`Cannot write the example history to ${JSON.stringify(folder)}: it is not empty`, {
      exitCode: exitCodes.nothingFound,
      hint: "no agent has sessions here, and the archive is empty; name a new folder to see how a site looks",
    });
  }
  const progress = createProgress("Exporting", world);
  const answer = await history
    .exportSite({
      folder,
      clientFolder: world.pageFolder,
      filter: filtersOf(flags),
      words: positionals,
      query: flags.query,
      onProgress: (state) => progress.update(state),
    })
    .finally(() => progress.end());
  const { problems, sessions, changed, turns, bytes, page: start } = answer;
  if (flags.json) printJson(world, { demo: history.demo, ...answer });
  else {
    const what = `${amountOf(sessions, "session")} with ${amountOf(turns, "passage")}`;
    const did =
      changed === sessions
        ? `Wrote ${what} (${formatBytes(bytes)})`
        : `Brought ${what} up to date: ${changed === 0 ? "nothing" : changed} changed (${formatBytes(bytes)})`;
    world.stdout.write(`${did}. Open ${sanitize(start)}\n`);
    reportProblems(problems, world);
  }
  return problems.length > 0 ? exitCodes.withProblems : exitCodes.done;
}

/** Whether there is no such folder, or nothing in it. */
function isFree({ disk, folder: here }: World, folder: string): boolean {
  const path = resolve(here, folder);
  const there = disk.stat(path);
  return there === undefined || (there.kind === "folder" && disk.readdir(path).length === 0);
}

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
