import type { AgentCount, CatalogRow } from "../../index.ts";
import { sessionJson } from "../../render/json/session-json.ts";
import { shortIds } from "../../render/short-ids.ts";
import { archivingWords } from "../../render/words.ts";
import { type Command, defineCommand } from "../command.ts";
import { openHistoryIn } from "../open-history.ts";
import { amountOf, formatBytes } from "../output/amounts.ts";
import { coverageJson, printJson } from "../output/print-json.ts";
import { retentionWarning } from "../output/retention.ts";
import { formatSessions } from "../output/session-table.ts";
import { createStyle } from "../output/style.ts";
import { formatTable } from "../output/table.ts";
import { wrapMessage } from "../output/text-width.ts";
import type { World } from "../world.ts";

export const command: Command = defineCommand({
  description:
    "Shows agents and their sessions, the newest ones, and what to try next. `sessions` alone does the same.",
  examples: [{ line: "sessions", says: "the overview" }],
  positionals: [],
  flags: {},
  async run({ flags }, world) {
    const history = await openHistoryIn(world, { reveal: flags.reveal, allowDemo: true });
    const {
      agents,
      newest,
      coverage,
      pendingSessions: open,
      pendingWithRepeats,
      archiving,
      retention,
      // As many as `sessions pending` lists.
    } = await history.overview({ folded: true });
    if (flags.json) {
      printJson(world, {
        demo: history.demo,
        agents,
        coverage: coverageJson(coverage),
        pendingSessions: open,
        pendingWithRepeats,
        archiving,
        newest: newest.map(sessionJson),
        unprotected: retention.flatMap(({ atRisk }) => atRisk).filter(({ archived }) => !archived).length,
      });
    } else {
      // Sessions that are being archived are not at risk.
      const warning =
        archiving === null ? retentionWarning(retention, world) : `${archivingWords(archiving)}\n`;
      const everyId = [...(await history.indexed()), ...newest.map(({ digest }) => digest)].map(
        ({ id }) => id,
      );
      const example = shortIds(everyId).get(newest[0]?.digest.id ?? "") ?? "last";
      world.stdout.write(
        format(agents, newest, { open, warning, example, unread: coverage.problems }, world),
      );
    }
    return 0;
  },
});

interface OverviewParts {
  readonly open: number;
  readonly warning: string;
  readonly example: string;
  /** Files and lines that can't be read. */
  readonly unread: number;
}

function format(
  agents: readonly AgentCount[],
  newest: readonly CatalogRow[],
  { open, warning, example, unread }: OverviewParts,
  world: World,
): string {
  const style = createStyle(world.stdout.hasColor);
  const table = formatTable(
    agents,
    [
      { text: ({ agent }) => agent, style: style.bold },
      { text: ({ sessions }) => amountOf(sessions, "session"), align: "right" },
      { text: ({ turns }) => amountOf(turns, "turn"), align: "right", style: style.dim },
      { text: ({ bytes }) => formatBytes(bytes), align: "right", style: style.dim },
    ],
    { width: world.stdout.columns },
  );
  const examples: readonly (readonly [string, string])[] = [
    ['sessions search "retry on timeout"', "find anything that was said or done"],
    [`sessions show ${example}`, "one session: requests, files, commands, open work"],
    ["sessions --help", "all commands"],
  ];
  const pending =
    open === 0
      ? ""
      : `${amountOf(open, "session")} left work open: ${style.cyan("sessions pending --everywhere")}\n`;
  const none =
    unread === 0 ? "No sessions yet.\n" : "No sessions: `sessions doctor` shows what can't be read.\n";
  return [
    table,
    newest.length === 0 ? none : formatSessions(newest, world),
    wrapMessage(pending, world.stdout.columns),
    wrapMessage(warning, world.stdout.columns),
    formatTable(
      examples,
      [
        { text: ([line]) => line, style: style.cyan },
        { text: ([, says]) => says, style: style.dim, shrinkTo: 0 },
      ],
      { width: world.stdout.columns },
    ),
  ]
    .filter((part) => part !== "")
    .join("\n");
}
