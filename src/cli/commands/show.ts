import { exitCodes, type OpenSession, UserError } from "../../index.ts";
import { inBatches } from "../../render/text-parts.ts";
import { agentFlags } from "../agent-answer.ts";
import { type Command, defineCommand, sessionPositional } from "../command.ts";
import { noteCopies } from "../note-copies.ts";
import { namesFile, openHistoryIn } from "../open-history.ts";
import { amountOf } from "../output/amounts.ts";
import { page } from "../output/pager.ts";
import { printJson } from "../output/print-json.ts";
import { reportProblems } from "../output/problems.ts";
import { type SessionPart, viewJson, viewText } from "../output/session-views.ts";
import { outputFile, outputFlags, writeAnswer } from "../output-file.ts";

export const command: Command = defineCommand({
  description:
    "Shows one session: its digest, or parts of the conversation. Name it by its id, the start of an id, " +
    "`last`, `current`, or the path of its log.",
  examples: [
    { line: "sessions show last", says: "the newest session of this folder" },
    { line: "sessions show 3f542803 --turns 4-7", says: "turns 4 to 7, with replies and tool calls" },
    { line: "sessions show 3f542803 --context", says: "what the agent would load when resumed" },
  ],
  positionals: [sessionPositional],
  flags: {
    turn: { type: "number", min: 1, placeholder: "N", description: "one turn, with its sub-agents" },
    turns: { type: "string", placeholder: "A-B", description: "turns from A to B, with their sub-agents" },
    full: { type: "boolean", description: "the whole conversation, thinking folded" },
    tree: { type: "boolean", description: "branches, compactions, labels and sub-agents" },
    context: { type: "boolean", description: "what the agent would load when resumed" },
    markdown: { type: "boolean", description: "the whole session as markdown, as in the archive" },
    ...outputFlags,
    everywhere: { type: "boolean", description: "with last: in all projects" },
    ...agentFlags,
  },
  async run({ flags, positionals }, world) {
    const file = outputFile(flags);
    const history = await openHistoryIn(world, {
      reveal: flags.reveal,
      allowDemo: !namesFile(positionals),
    });
    const range = readRange(flags.turn, flags.turns);
    const { everywhere } = flags;
    const open = await history.session(positionals, { everywhere });
    noteCopies(open, positionals, world);
    const part = range === undefined ? undefined : partIn(open, range);
    if (flags.json && file === undefined) {
      printJson(world, { demo: history.demo, ...viewJson(open, part, flags), otherCopies: open.others });
      return exitCodes.done;
    }
    // Missing files; single lines are listed by `doctor`.
    reportProblems(
      open.session.problems.filter(({ line }) => line === 0),
      world,
    );
    // A file has no width and no colours.
    const shown =
      file === undefined
        ? world
        : { ...world, stdout: { ...world.stdout, columns: undefined, hasColor: false } };
    const document = flags.markdown
      ? (await history.export(positionals, { everywhere, format: "md" })).parts
      : undefined;
    const text = document === undefined ? viewText(open, part, flags, shown) : "";
    const parts = (): Iterable<string> => (document === undefined ? [text] : inBatches(document()));
    if (file === undefined) await page(parts(), world);
    else
      await writeAnswer(history.library, file, parts, flags, world, {
        sessionId: open.session.id,
        agent: open.session.agent,
      });
    return exitCodes.done;
  },
});

function readRange(
  turn: number | undefined,
  turns: string | undefined,
): readonly [number, number] | undefined {
  if (turns === undefined) return turn === undefined ? undefined : [turn, turn];
  const match = /^(\d+)(?:-(\d*))?$/.exec(turns);
  if (match === null) {
    throw new UserError(`Cannot read --turns ${turns}: it is not a range`, {
      exitCode: exitCodes.wrongUsage,
      hint: "write --turns 4-7",
    });
  }
  const from = Number(match[1]);
  const to = match[2] === undefined ? from : match[2] === "" ? Number.POSITIVE_INFINITY : Number(match[2]);
  if (to < from) {
    throw new UserError(`Cannot show turns ${turns}: the range is backwards`, {
      exitCode: exitCodes.wrongUsage,
      hint: `write --turns ${to}-${from}`,
    });
  }
  return [from, to];
}

/** The turns of a range. Steps before the first request, and sub-agents that no turn started, belong to the first turn. */
function partIn({ session }: OpenSession, [from, to]: readonly [number, number]): SessionPart {
  const isWithin = (number: number): boolean => number >= from && number <= to;
  const first = session.turns[0]?.number ?? 1;
  const part = {
    preamble: isWithin(first) ? session.preamble : [],
    turns: session.turns.filter(({ number }) => isWithin(number)),
    subagents: session.subagents.filter(({ turn }) => isWithin(turn ?? first)),
  };
  if (Object.values(part).some(({ length }) => length > 0)) return part;
  throw new UserError(
    `Cannot show turn ${from} of session ${session.id}: it has ${amountOf(session.turns.length, "turn")}`,
    { exitCode: exitCodes.nothingFound },
  );
}
