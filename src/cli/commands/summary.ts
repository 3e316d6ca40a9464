import { exitCodes } from "../../index.ts";
import { summaryFormats } from "../../render/summary-formats.ts";
import { type Command, defineCommand, sessionPositional } from "../command.ts";
import { namesFile, openHistoryIn } from "../open-history.ts";
import { page } from "../output/pager.ts";
import { printJson } from "../output/print-json.ts";

export const command: Command = defineCommand({
  description:
    "Summarizes a session without a model: instantly, and always with the same result. `claw` and `pi` are " +
    "the summaries that those agents write when they compact, of what the agent would load now; an earlier " +
    "summary is updated. `markdown` is a page about the whole session. Secrets are masked.",
  examples: [
    { line: "sessions summary last", says: "a page about the newest session of this folder" },
    { line: "sessions summary 3f542803 --format pi", says: "goal, progress, decisions, next steps, files" },
    {
      line: "sessions summary last --format claw --continuation",
      says: "the text that starts the next session",
    },
    {
      line: "sessions summary 019c4e2a --branch 7",
      says: "the branch of a Pi session that was abandoned at turn 7",
    },
  ],
  positionals: [sessionPositional],
  flags: {
    format: {
      type: "string",
      choices: summaryFormats,
      placeholder: "FORMAT",
      description: "claw-code's or Pi's summary, or a page (markdown)",
    },
    continuation: { type: "boolean", description: "the text that starts the next session" },
    branch: {
      type: "string",
      placeholder: "ENTRY",
      description: "Pi: summarize an abandoned branch, named by one of its entries or turns",
    },
    everywhere: { type: "boolean", description: "with last: in all projects" },
  },
  async run({ flags, positionals }, world) {
    const history = await openHistoryIn(world, {
      reveal: flags.reveal,
      allowDemo: !namesFile(positionals),
    });
    const { format, continuation, branch, everywhere } = flags;
    const summary = await history.summary(positionals, { format, continuation, branch, everywhere });
    if (flags.json) printJson(world, { demo: history.demo, ...summary });
    else await page(summary.text.endsWith("\n") ? summary.text : `${summary.text}\n`, world);
    return exitCodes.done;
  },
});
