import { type Command, defineCommand, flagLines, globalFlags, usageOf } from "../command.ts";
import { commandTable, findRow } from "../command-table.ts";
import { commandHelp, programHelp } from "../help.ts";
import { printJson } from "../output/print-json.ts";

export const command: Command = defineCommand({
  description:
    "Lists the commands, or explains one. With --json it describes the whole command line for programs.",
  examples: [
    { line: "sessions help", says: "all commands" },
    { line: "sessions help version", says: "one of them" },
  ],
  positionals: [
    { name: "command", description: "the command to explain", optional: true, values: "command" },
  ],
  flags: {},
  async run({ flags, positionals }, world) {
    const [name] = positionals;
    const row = name === undefined ? undefined : findRow(name, commandTable);
    if (flags.json) {
      const rows = row === undefined ? commandTable.filter((each) => each.hidden !== true) : [row];
      printJson(world, {
        commands: await Promise.all(rows.map(describe)),
        flags: flagLines(globalFlags),
      });
    } else if (row === undefined) {
      world.stdout.write(programHelp(commandTable, world.stdout));
    } else {
      world.stdout.write(await commandHelp(row, world.stdout));
    }
    return 0;
  },
});

async function describe({ name, summary, load }: (typeof commandTable)[number]): Promise<object> {
  const { description, examples, positionals, flags } = (await load()).command;
  const usage = usageOf(name, positionals);
  return { name, summary, usage, description, positionals, flags: flagLines(flags), examples };
}
