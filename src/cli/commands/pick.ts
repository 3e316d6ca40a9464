import { type Command, defineCommand } from "../command.ts";
import { filterFlags, filtersOf } from "../filter-flags.ts";

export const command: Command = defineCommand({
  description:
    "Searches as you type, with the words and fields of `sessions search`, and previews the best turns of the selected " +
    "session: what matches, and whether the agent still has it in its context. Enter resumes the session with its own " +
    "agent. Other keys open it in the browser, copy its id or resume command, export it, restore its log if that is gone, and list open work; " +
    "the last line of the screen shows them, F1 shows all.\n\n" +
    "It starts with the sessions of this folder's project, if there are any; Tab changes between the project and " +
    "everywhere. It draws on stderr: with --ids or --json, Enter prints the chosen session to stdout instead. Leaving " +
    "without a choice then exits with 1.",
  examples: [
    { line: "sessions pick", says: "the newest sessions of this project; type to search" },
    { line: "sessions pick token refresh --everywhere", says: "start with a query, in all projects" },
    { line: "sessions pick --ids | xargs sessions show", says: "choose a session for another command" },
  ],
  positionals: [
    {
      name: "query",
      description: 'words, "phrases", -unwanted, pre*, field:value',
      optional: true,
      many: true,
      values: "query",
    },
  ],
  flags: {
    ...filterFlags,
    everywhere: { type: "boolean", description: "start with the sessions of all projects" },
    ids: { type: "boolean", alias: "q", description: "print the id of the chosen session" },
  },
  dashWords: true,
  async run({ flags, positionals }, world) {
    const { runPick } = await import("../pick/run-pick.ts");
    const { everywhere, json, ids, reveal } = flags;
    const filter = filtersOf(flags);
    return runPick({ query: positionals.join(" "), filter, everywhere, json, ids, reveal }, world);
  },
});
