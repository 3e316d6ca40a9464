import { exitCodes } from "../../errors.ts";
import { type Command, defineCommand } from "../command.ts";
import { commandTable } from "../command-table.ts";
import { completeLine, knownNames } from "../completion/complete-line.ts";
import { FILES_MARK } from "../completion/shell-scripts.ts";
import { printJson } from "../output/print-json.ts";

export const command: Command = defineCommand({
  description:
    "Called by the completion of a shell: prints the completions of the last word, one per line, with a tab " +
    "before the description. Names of sessions, projects, branches and machines come from the index, which is " +
    "not updated first; those of remotes come from their list.",
  examples: [{ line: "sessions complete -- show 3f", says: "what `sessions show 3f` can become" }],
  positionals: [
    {
      name: "word",
      description: "the words after the program's name, up to the cursor",
      optional: true,
      many: true,
    },
  ],
  flags: {},
  async run({ flags, positionals }, world) {
    const { candidates, files } = await completeLine(positionals, commandTable, knownNames(world));
    if (flags.json) printJson(world, { candidates, files });
    else {
      const lines = candidates.map(({ value, says }) => (says === "" ? value : `${value}\t${says}`));
      world.stdout.write([...lines, ...(files ? [FILES_MARK] : [])].map((line) => `${line}\n`).join(""));
    }
    return exitCodes.done;
  },
});
