import { exitCodes } from "../../index.ts";
import { countOf } from "../../render/words.ts";
import { type Command, defineCommand } from "../command.ts";
import { openHistoryIn } from "../open-history.ts";
import { openInBrowser } from "../open-in-browser.ts";
import { printJson } from "../output/print-json.ts";
import { sanitize } from "../output/sanitize.ts";

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
    const { HOST, readAssets, servePage } = await import("../../web/server/serve-page.ts");
    const { pageCalls } = await import("../../web/server/page-calls.ts");
    const { callsInThread, searchHere } = await import("../../web/server/page-thread.ts");
    const assets = readAssets(world.disk, world.pageFolder);
    // Sessions are archived while the server runs, not when it ends.
    const lasting = { ...world, afterwards: (work: () => Promise<void>): void => void work() };
    const history = await openHistoryIn(lasting, { reveal: false, allowDemo: true });
    // As every command does: what there is to read is read now, with threads and progress.
    const { coverage } = await history.list({ limit: 0 });
    const here = pageCalls(history);
    const { startWorker } = world;
    // The example history is in the memory of this thread.
    const run =
      history.demo || startWorker === undefined
        ? here
        : searchHere(
            here,
            callsInThread(() => startWorker("page", undefined)),
          );
    // Starts the thread and compiles what a search needs, so that the first page and the first key do not wait for it.
    await Promise.all([run("list", {}), run("search", { q: "first search" })]);
    let closeHandover = (): void => undefined;
    const page = await servePage({
      port: flags.port,
      assets,
      run,
      log: (what) => world.stderr.write(`sessions serve: ${sanitize(what, "lines")}\n`),
      onFirstCall: () => closeHandover(),
    });
    if (flags.json) printJson(world, { url: page.url, host: HOST, port: page.port, demo: history.demo });
    else {
      world.stdout.write(
        `${countOf(coverage.sessions, "session")} at\n\n  ${page.url}\n\n` +
          "Only this machine can reach the page, and only with this address. Ctrl-C ends.\n",
      );
    }
    if (flags.open) closeHandover = openInBrowser(world, history.library.places.cache, page.url);
    await world.untilEnd();
    closeHandover();
    await page.close();
    return exitCodes.done;
  },
});
