import manifest from "../../../package.json" with { type: "json" };
import { type Command, defineCommand } from "../command.ts";
import { printJson } from "../output/print-json.ts";

export const command: Command = defineCommand({
  description: "Shows the version of this program. `sessions --version` does the same.",
  examples: [{ line: "sessions version", says: "print the version" }],
  positionals: [],
  flags: {},
  async run({ flags }, world) {
    const { version } = manifest;
    if (flags.json) printJson(world, { version });
    else world.stdout.write(`${version}\n`);
    return 0;
  },
});
