import { type Command, defineCommand } from "../command.ts";
import { printJson } from "../output/print-json.ts";
import { version } from "../version.ts";

export const command: Command = defineCommand({
  description: "Shows the version of this program. `sessions --version` is the same.",
  examples: [{ line: "sessions version", says: "the version alone" }],
  positionals: [],
  flags: {},
  parser: "light",
  async run({ flags }, world) {
    if (flags.json) printJson(world, { version });
    else world.stdout.write(`${version}\n`);
    return 0;
  },
});
