import { hasLogs } from "../agents/find-sessions.ts";
import type { OpenHistory } from "../index.ts";
import { opened, type StoreChoice } from "./open-store.ts";
import { createStyle } from "./output/style.ts";
import type { World } from "./world.ts";

export interface HistoryChoice extends StoreChoice {
  readonly reveal: boolean;
}

/** Whether the selector names a file: then the example history can't be the answer. */
export function namesFile(selector: readonly string[]): boolean {
  return selector.some((word) => /[/\\]|\.jsonl?$/.test(word));
}

/** Opens the history of the world's machine for a command. */
export async function openHistoryIn(world: World, choice: HistoryChoice): Promise<OpenHistory> {
  const { openHistory } = await import("../index.ts");
  return opened(world, choice, (machine) =>
    openHistory({
      ...machine,
      reveal: choice.reveal,
      uuid: world.uuid,
      managedFolder: world.managedFolder,
      onWait: waitNotice(world),
    }),
  );
}

/** The answer of commands about the archive if there are no logs; undefined if there are any. */
export function onlyExample({ library }: Pick<OpenHistory, "library">): string | undefined {
  return hasLogs(library)
    ? undefined
    : "No agent has sessions here yet: `sessions list` shows an example history, of which nothing is archived.\n";
}

/** After this long, say what the command is waiting for. */
const SILENT_MS = 1_000;

/** Says once which process holds the store. */
function waitNotice(
  world: Pick<World, "stderr">,
): (by: { readonly owner?: { readonly pid: number } | undefined }, waitedMs: number) => void {
  let isShown = false;
  return (by, waitedMs) => {
    if (isShown || waitedMs < SILENT_MS || !world.stderr.isTerminal) return;
    isShown = true;
    const who = by.owner === undefined ? "another process" : `process ${by.owner.pid}`;
    world.stderr.write(`${createStyle(world.stderr.hasColor).dim(`Waiting for ${who} …`)}\n`);
  };
}
