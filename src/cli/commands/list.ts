import { sessionJson } from "../../render/json/session-json.ts";
import { agentFlags } from "../agent-answer.ts";
import { type Command, defineCommand } from "../command.ts";
import { filterFlags, filtersOf, offsetFlag } from "../filter-flags.ts";
import { noteMore } from "../note-more.ts";
import { openHistoryIn } from "../open-history.ts";
import { coverageJson, printJson } from "../output/print-json.ts";
import { sanitize } from "../output/sanitize.ts";
import { formatSessions } from "../output/session-table.ts";
import { createStyle } from "../output/style.ts";

export const command: Command = defineCommand({
  description:
    "Lists the sessions of all agents, newest first: what was asked, where and when. Filters narrow the list; " +
    "a word without a field name must be in the title.",
  examples: [
    { line: "sessions list", says: "the newest sessions" },
    { line: "sessions list --project . --since 7d", says: "of this project, in the last week" },
    { line: "sessions list --agent pi --file auth.ts --json", says: "as JSON" },
  ],
  positionals: [
    {
      name: "filter",
      description: "words in the title, or filters such as project:shop",
      optional: true,
      many: true,
      values: "filter",
    },
  ],
  flags: {
    ...filterFlags,
    limit: { type: "number", default: 20, min: 1, placeholder: "N", description: "show at most this many" },
    ...offsetFlag,
    ids: { type: "boolean", alias: "q", description: "print only ids" },
    stubs: { type: "boolean", description: "also sessions of which only prompts or fragments are left" },
    ...agentFlags,
  },
  async run({ flags, positionals }, world) {
    const history = await openHistoryIn(world, { reveal: flags.reveal, allowDemo: true });
    const { limit, offset, stubs } = flags;
    const filter = filtersOf(flags);
    const {
      total,
      rows: page,
      coverage,
    } = await history.list({
      filter,
      words: positionals,
      limit,
      offset,
      stubs,
    });
    if (flags.json) {
      printJson(world, {
        total,
        demo: history.demo,
        coverage: coverageJson(coverage),
        sessions: page.map(sessionJson),
      });
    } else if (flags.ids) world.stdout.write(page.map(({ digest }) => `${sanitize(digest.id)}\n`).join(""));
    else {
      world.stdout.write(page.length === 0 ? "" : formatSessions(page, world));
      if (total === 0)
        world.stderr.write(`${createStyle(world.stderr.hasColor).dim("No sessions match.")}\n`);
      else if (page.length === 0 || world.stdout.isTerminal)
        noteMore({ total, offset, shown: page.length }, world);
    }
    return 0;
  },
});
