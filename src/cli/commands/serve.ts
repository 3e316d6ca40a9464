import { exitCodes } from "../../index.ts";
import { countOf } from "../../render/words.ts";
import { type Command, defineCommand } from "../command.ts";
import { printJson } from "../output/print-json.ts";
import { serveHistory } from "../serve-history.ts";

export const command: Command = defineCommand({
  description:
    "Serves a page with the whole history, until Ctrl-C: search as you type, conversations, projects, files, unfinished " +
    "work, and what will be deleted. Secrets are masked. Only this machine can reach it, and only with the token in " +
    "the printed address.\n\n" +
    "--open opens the address in the browser. --json prints it for programs, once, and goes on serving.",
  examples: [
    { line: "sessions serve --open", says: "show the history in the browser" },
    { line: "sessions serve --port 7433", says: "always under the same address" },
  ],
  positionals: [],
  flags: {
    open: { type: "boolean", description: "open the page in the browser" },
    port: { type: "number", default: 0, description: "listen on this port; 0 is any free one" },
  },
  async run({ flags }, world) {
    const page = await serveHistory(world, flags.port);
    const { HOST } = await import("../../web/server/serve-page.ts");
    if (flags.json) printJson(world, { url: page.url, host: HOST, port: page.port, demo: page.demo });
    else {
      world.stdout.write(
        `${countOf(page.total, "session")} at\n\n  ${page.url}\n\n` +
          "Only this machine can reach the page, and only with this address. Ctrl-C ends.\n",
      );
    }
    // Not awaited: a browser that was not running may stay in the foreground.
    if (flags.open) void page.open().then((isOpened) => isOpened || world.stderr.write(NO_BROWSER));
    await world.untilEnd();
    await page.close();
    return exitCodes.done;
  },
});

const NO_BROWSER = "Cannot open a browser: open the address yourself.\n";
