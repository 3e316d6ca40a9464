import { type SessionStats, tokensOf, type UsageCount } from "../../index.ts";
import { agentFlags } from "../agent-answer.ts";
import { type Command, defineCommand } from "../command.ts";
import { filterFlags } from "../filter-flags.ts";
import { openHistoryIn } from "../open-history.ts";
import { coverageJson, printJson } from "../output/print-json.ts";
import { formatStats, statsGroups } from "../output/stats-table.ts";
import { createStyle } from "../output/style.ts";

const { project, agent, branch, since, until } = filterFlags;

export const command: Command = defineCommand({
  description:
    "Shows what sessions used and did: turns, tool calls, failures, tokens and costs, by day, project, agent and model. " +
    "Sessions whose logs are gone count, too. A message counts once, however many lines, copies and forks it is in; " +
    "sub-agents count for their session.\n\n" +
    "Costs are list prices, an estimate. `prices` in config.json adds models and replaces prices.",
  examples: [
    { line: "sessions stats", says: "everything" },
    { line: "sessions stats --since 30d --by day", says: "the last month, day by day" },
    { line: "sessions stats --project shop --json", says: "of one project, as JSON" },
  ],
  positionals: [],
  flags: {
    project,
    agent,
    branch,
    since,
    until,
    by: {
      type: "string",
      choices: statsGroups,
      description: "show only this table, whole days, projects, agents or models",
    },
    limit: { type: "number", default: 10, min: 1, placeholder: "N", description: "rows of each table" },
    ...agentFlags,
  },
  async run({ flags }, world) {
    const history = await openHistoryIn(world, { reveal: flags.reveal, allowDemo: true });
    const filter = {
      project: flags.project,
      agent: flags.agent,
      branch: flags.branch,
      since: flags.since,
      until: flags.until,
    };
    const { coverage, ...stats } = await history.stats({ filter });
    if (flags.json)
      printJson(world, { demo: history.demo, coverage: coverageJson(coverage), ...statsJson(stats) });
    else if (stats.total.turns + stats.total.messages === 0)
      world.stderr.write(`${createStyle(world.stderr.hasColor).dim("No activity matches.")}\n`);
    else world.stdout.write(formatStats(stats, flags.by, flags.limit, world));
    return 0;
  },
});

function statsJson({ total, days, projects, agents, models, unpriced }: SessionStats): object {
  return {
    currency: "USD",
    total: countJson(total),
    days: days.map(countJson),
    projects: projects.map(countJson),
    agents: agents.map(countJson),
    models: models.map(countJson),
    unpriced,
  };
}

/** Costs to a hundredth of a cent. */
function countJson<T extends UsageCount>(count: T): object {
  const { cost } = count;
  return {
    ...count,
    tokens: tokensOf(count),
    cost: cost === null ? null : Math.round(cost * 10_000) / 10_000,
  };
}
