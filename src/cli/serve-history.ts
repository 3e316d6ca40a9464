import type { WorkerHandle } from "../search/worker-handle.ts";
import type { ServedPage } from "../web/server/serve-page.ts";
import { openHistoryIn } from "./open-history.ts";
import { openInBrowser } from "./open-in-browser.ts";
import { sanitize } from "./output/sanitize.ts";
import type { World } from "./world.ts";

/** The page with this machine's history, while it is served. */
export interface ServedHistory extends Pick<ServedPage, "port" | "url"> {
  /** How many sessions its list has. */
  readonly total: number;
  readonly demo: boolean;
  /** Opens it in the browser, at a place if one is given. Returns false if there is no browser. */
  open(place?: string): Promise<boolean>;
  close(): Promise<void>;
}

/** Serves the page. Loads its server and everything that it needs. */
export async function serveHistory(world: World, port: number = 0): Promise<ServedHistory> {
  const { readAssets, servePage } = await import("../web/server/serve-page.ts");
  const { pageCalls } = await import("../web/server/page-calls.ts");
  const { callsInThread, quickHere } = await import("../web/server/page-thread.ts");
  const assets = readAssets(world.disk, world.pageFolder);
  // Sessions are archived while the server runs, not when it ends.
  const lasting = { ...world, afterwards: (work: () => Promise<void>): void => void work() };
  const history = await openHistoryIn(lasting, { reveal: false, allowDemo: true });
  // As in every command: changed logs are read now, with threads and progress.
  const { total } = await history.list({ limit: 0 });
  const here = pageCalls(history);
  const { startWorker } = world;
  let thread: WorkerHandle | undefined;
  // The example history is in the memory of this thread.
  const run =
    history.demo || startWorker === undefined
      ? here
      : quickHere(
          here,
          callsInThread(() => {
            thread = startWorker("page", undefined);
            return thread;
          }),
        );
  // Starts the thread and compiles what a search needs, so that the first page and the first key do not wait for it.
  await Promise.all([run("refresh", {}), run("list", {}), run("search", { q: "first search" })]);
  let removeHandover = (): void => undefined;
  const page = await servePage({
    port,
    assets,
    run,
    log: (what) => world.stderr.write(`sessions serve: ${sanitize(what, "lines")}\n`),
    onCall: () => removeHandover(),
  });
  return {
    port: page.port,
    url: page.url,
    total,
    demo: history.demo,
    open(place) {
      removeHandover();
      const url = place === undefined ? page.url : `${page.url}&to=${encodeURIComponent(place)}`;
      const { isOpened, remove } = openInBrowser(world, history.library.places.cache, url);
      removeHandover = remove;
      return isOpened;
    },
    async close() {
      removeHandover();
      await page.close();
      await thread?.terminate();
    },
  };
}
