import { type ArchiveAnswer, exitCodes, type NewlyArchived, type SiteAnswer } from "../../index.ts";
import { shortId } from "../../render/short-ids.ts";
import { formatNumber, sessionsOf } from "../../render/words.ts";
import { type Command, defineCommand, dryRunFlag } from "../command.ts";
import { keepSite } from "../keep-site.ts";
import { onlyExample, openHistoryIn } from "../open-history.ts";
import { amountOf, formatBytes } from "../output/amounts.ts";
import { printJson } from "../output/print-json.ts";
import { reportProblems } from "../output/problems.ts";
import { createProgress } from "../output/progress.ts";
import { sanitize } from "../output/sanitize.ts";
import { shortPath } from "../output/session-table.ts";
import { createStyle } from "../output/style.ts";
import { wrapMessage } from "../output/text-width.ts";
import type { World } from "../world.ts";

export const command: Command = defineCommand({
  description:
    "Archives sessions: their exact bytes, and a readable copy in markdown. Without a name, archives every " +
    "session that changed since it was last archived. Archived sessions can still be read, searched and " +
    "restored after the agent has deleted its log. The agents' files are only read.\n\n" +
    "If a log has grown, only the new part is added. If it was rewritten, a new generation starts, and the " +
    "earlier ones stay.\n\n" +
    "With `archive.site` in config.json, the archive is also kept as static pages with their own search, " +
    "which open without this program; only the pages of changed sessions are written again.",
  examples: [
    { line: "sessions archive", says: "everything that changed" },
    { line: "sessions archive --dry-run", says: "what would be archived" },
    { line: "sessions archive last", says: "the newest session of this folder" },
    { line: "sessions archive --check", says: "read everything again, and repair what is damaged" },
  ],
  positionals: [
    {
      name: "session",
      description: "id, start of an id, last, last N, current, or a path",
      optional: true,
      many: true,
      values: "session",
    },
  ],
  flags: {
    "dry-run": dryRunFlag,
    check: { type: "boolean", description: "read all files again, and repair damage in the archive" },
    everywhere: { type: "boolean", description: "with last: in all projects" },
  },
  async run({ flags, positionals }, world) {
    const history = await openHistoryIn(world, { reveal: flags.reveal, allowDemo: false });
    const dryRun = flags["dry-run"];
    const progress = createProgress(dryRun ? "Looking" : "Archiving", world);
    let answer: ArchiveAnswer;
    try {
      answer = await history.archive(positionals.length === 0 ? undefined : positionals, {
        check: flags.check,
        dryRun,
        everywhere: flags.everywhere,
        onProgress: (state) => progress.update(state),
      });
    } finally {
      progress.end();
    }
    const { site, problems: ofSite } = dryRun ? { site: null, problems: [] } : await keepSite(history, world);
    const problems = [...answer.problems, ...ofSite];
    if (flags.json)
      printJson(world, {
        ...(dryRun && { dryRun }),
        ...archiveJson({ ...answer, problems }),
        ...(site && { site }),
      });
    else {
      const shown = format(answer, { isNamed: positionals.length > 0, dryRun }, world);
      world.stdout.write(onlyExample(history) ?? shown);
      if (site !== null) world.stdout.write(`${siteLine(site, world)}\n`);
      reportProblems(problems, world);
    }
    return problems.length > 0 ? exitCodes.withProblems : exitCodes.done;
  },
});

function archiveJson({ archived, unchanged, forgotten, mended, problems, total }: ArchiveAnswer): object {
  return {
    archived: archived.map(({ id, agent, markdown, raw, bytes, sha256, generation, ...rest }) => ({
      sessionId: id,
      agent,
      markdown,
      raw,
      bytes,
      sha256,
      generation,
      source: rest.source,
      newGeneration: rest.startedGeneration,
      files: rest.files,
      totalBytes: rest.totalBytes,
      storedBytes: rest.storedBytes,
    })),
    unchanged,
    forgotten: forgotten.map(({ id, agent }) => ({ sessionId: id, agent })),
    mended,
    problems,
    total,
  };
}

function siteLine({ changed, page }: SiteAnswer, world: World): string {
  const pages = changed === 0 ? "up to date" : `${amountOf(changed, "page")} written`;
  return `As pages: ${sanitize(shortPath(page, world.home))} (${pages}).`;
}

/** Above this number, only the total is shown. */
const MAX_LISTED = 10;

function format(
  answer: ArchiveAnswer,
  { isNamed, dryRun }: { readonly isNamed: boolean; readonly dryRun: boolean },
  world: World,
): string {
  const style = createStyle(world.stdout.hasColor);
  const { archived, unchanged, mended, total } = answer;
  const lines: string[] = [];
  if (isNamed || archived.length <= MAX_LISTED)
    lines.push(...archived.map((each) => (dryRun ? dueLine : lineOf)(each, world)));
  const did = [
    archived.length === 0
      ? "Nothing new to archive"
      : `${amountOf(archived.length, "session")} ${dryRun ? "would be archived" : "archived"}`,
    ...(unchanged > 0 ? [`${formatNumber(unchanged)} unchanged`] : []),
    ...(mended > 0 ? [`${amountOf(mended, "damaged part")} repaired`] : []),
  ];
  lines.push(`${did.join(", ")}.`);
  if (total.bytes > 0) {
    // Of a few small logs the records are larger.
    const share =
      total.storedBytes < total.bytes ? ` (${((100 * total.storedBytes) / total.bytes).toFixed(1)} %)` : "";
    lines.push(
      style.dim(
        `The archive holds ${sessionsOf(total)}: ${formatBytes(total.bytes)} of logs in ` +
          `${formatBytes(total.storedBytes)}${share}.`,
      ),
    );
  }
  return lines.map((line) => `${wrapMessage(line, world.stdout.columns)}\n`).join("");
}

/** A log that would be archived. */
function dueLine({ id, source, bytes }: NewlyArchived, world: World): string {
  const style = createStyle(world.stdout.hasColor);
  const place = source === null ? "" : `  ${sanitize(shortPath(source, world.home))}`;
  return `${style.bold(sanitize(shortId(id)))}${place}  ${style.dim(formatBytes(bytes))}`;
}

function lineOf({ id, generation, startedGeneration, markdown, raw }: NewlyArchived, world: World): string {
  const style = createStyle(world.stdout.hasColor);
  const place = shortPath(markdown ?? raw, world.home);
  const rewritten = startedGeneration ? style.dim(` (rewritten: generation ${generation})`) : "";
  return `${style.bold(sanitize(shortId(id)))}  ${sanitize(place)}${rewritten}`;
}
