import manifest from "../../../package.json" with { type: "json" };
import { exitCodes, type OpenHistory } from "../../index.ts";
import { hasInstalledServer } from "../../integrations/installed.ts";
import { type Command, defineCommand, pluginFlag } from "../command.ts";
import { openHistoryIn } from "../open-history.ts";
import { printJson } from "../output/print-json.ts";
import { sanitize } from "../output/sanitize.ts";

/** A longer line is not a message. */
const MAX_LINE_CHARS = 4 * 1024 * 1024;

export const command: Command = defineCommand({
  description:
    "Serves the history to agents over MCP, on stdin and stdout, until stdin ends: tools to search, list and " +
    "read sessions, to find the history of a file and unfinished work, to archive and flatten. Answers are " +
    "text, quoted as data, of at most 1,500 tokens unless the caller sets max_tokens; a cursor continues a " +
    "longer one. Nothing is started or sent anywhere.\n\n" +
    "`last`, `current` and `.` mean the agent's project, or this folder. --json prints the tools and ends.",
  examples: [
    {
      line: "sessions mcp",
      says: "what agents start: `claude mcp add --scope user sessions -- sessions mcp`",
    },
    { line: "sessions mcp --json", says: "the tools, with their parameters" },
  ],
  positionals: [],
  flags: { plugin: pluginFlag },
  async run({ flags }, world) {
    const { serveMcp, toolDescriptions } = await import("../../integrations/mcp/serve-mcp.ts");
    if (flags.json) {
      printJson(world, { tools: toolDescriptions });
      return exitCodes.done;
    }
    if (world.stdin.isTerminal)
      world.stderr.write(
        "Waiting for an MCP client on stdin; Ctrl-C ends. `sessions mcp --help` shows how to add it to an agent.\n",
      );
    const open = (folder: string): Promise<OpenHistory> =>
      openHistoryIn(
        // Sessions are archived while the server runs, not when it ends.
        { ...world, folder, afterwards: (work) => void work() },
        { reveal: false, allowDemo: false },
      );
    const { plugin } = flags;
    await serveMcp({
      version: manifest.version,
      isSecond: async (folder) =>
        plugin !== undefined && hasInstalledServer((await open(folder)).library, plugin),
      folder: world.folder,
      variables: world.variables,
      lines: world.stdin.lines(MAX_LINE_CHARS),
      write: (text) => world.stdout.write(text),
      log: (what) => world.stderr.write(`sessions mcp: ${sanitize(what, "lines")}\n`),
      open,
      ...(world.keepCode !== undefined && { keepCode: world.keepCode }),
    });
    return exitCodes.done;
  },
});
