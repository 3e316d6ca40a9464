import { exitCodes } from "../../index.ts";
import { sessionsOf } from "../../render/words.ts";
import { type Command, defineCommand } from "../command.ts";
import { openHistoryIn } from "../open-history.ts";
import { amountOf, formatBytes, formatDuration } from "../output/amounts.ts";
import { coverageJson, printJson } from "../output/print-json.ts";
import { reportProblems } from "../output/problems.ts";
import { wrapMessage } from "../output/text-width.ts";

export const command: Command = defineCommand({
  description:
    "Updates the search index from logs and archive. Every search does that first; run this to do it at " +
    "another time, or to rebuild the index.",
  examples: [
    { line: "sessions index", says: "read what changed" },
    { line: "sessions index --rebuild", says: "read everything again" },
  ],
  positionals: [],
  flags: { rebuild: { type: "boolean", description: "discard the index and read everything again" } },
  async run({ flags }, world) {
    const history = await openHistoryIn(world, { reveal: flags.reveal, allowDemo: false });
    const startedAt = world.now();
    const { read, removed, bytes, rebuilt, coverage, problems } = await history.index({
      rebuild: flags.rebuild,
    });
    const tookMs = world.now() - startedAt;
    if (flags.json) {
      printJson(world, { read, removed, bytes, rebuilt, tookMs, coverage: coverageJson(coverage), problems });
    } else {
      const rate = read === 0 ? "" : ` (${formatBytes(bytes)} in ${formatDuration(tookMs)})`;
      const { sessions, turns } = coverage;
      const has =
        sessions === 0
          ? "the index is empty"
          : `${sessionsOf(coverage)} with ${amountOf(turns, "turn")} in the index`;
      const says = `${amountOf(read, "session")} read${rate}; ${has}`;
      world.stdout.write(`${wrapMessage(says, world.stdout.columns)}\n`);
      reportProblems(problems, world);
    }
    return problems.length > 0 ? exitCodes.withProblems : exitCodes.done;
  },
});
