import { setTimeout } from "node:timers/promises";
import type { MarkdownWriter } from "../archive/keep-session.ts";
import { exitCodes, UserError } from "../errors.ts";
import { storeUpkeep } from "../forget.ts";
import type { Library } from "../fs/library.ts";
import type { Processes } from "../fs/processes.ts";
import { type Locking, readStoreState, withStore } from "../fs/store.ts";
import { RULES_VERSION } from "../redact/mask.ts";
import { markdownParts } from "../render/markdown/render-markdown.ts";
import { severalCopies } from "../search/select-sessions.ts";
import { waitUntilIdle } from "../shrink/refuse-live.ts";
import type { RewriteCallOptions, SelectedSession } from "./history.ts";
import { createMask } from "./masking.ts";

/** Everything that calls that write to the store need. */
export interface Writing {
  /** How to take the store's lock. */
  readonly locking: Locking;
  /** Writes readable copies, always with secrets masked. */
  readonly markdown: MarkdownWriter;
}

/** Must be increased when the markdown of an unchanged session would change. */
const MARKDOWN_VERSION = "5";

export function writingTo(
  { config }: Pick<Library, "config">,
  processes: Processes,
  onWait: Locking["onWait"] | undefined,
): Writing {
  const patterns = config.redact.length === 0 ? "" : ` ${JSON.stringify(config.redact)}`;
  return {
    locking: {
      processes,
      ...storeUpkeep,
      wait: (ms) => setTimeout(ms),
      ...(onWait === undefined ? {} : { onWait }),
    },
    markdown: {
      version: `${MARKDOWN_VERSION}.${RULES_VERSION}${patterns}`,
      render: markdownParts,
      mask: createMask(config),
    },
  };
}

/**
 * Migrates a store of version 1, which has several logs in one record: they must be separate before one is selected.
 */
export async function migrateOlderStore(library: Library, locking: Locking): Promise<void> {
  if (readStoreState(library.disk, library.places).kind !== "older") return;
  await withStore(library, locking, () => {});
}

/**
 * Waits for a session to end, if requested. A log that was chosen among several with one id is refused: a rewrite
 * must name its log.
 */
export async function readyToRewrite(
  library: Library,
  session: SelectedSession,
  { pid }: Processes,
  { allCopies, waitUntilIdle: isWaiting, signal }: RewriteCallOptions,
): Promise<void> {
  const { id, chosenFrom } = session;
  if (chosenFrom !== undefined && allCopies !== true) throw severalCopies(id, chosenFrom);
  const wait = (ms: number): Promise<void> =>
    setTimeout(ms, undefined, signal === undefined ? {} : { signal });
  if (isWaiting === true && !(await waitUntilIdle(library, session, { wait, pid }))) {
    throw new UserError(`Cannot rewrite session ${id}: it never ended`, { exitCode: exitCodes.refused });
  }
  signal?.throwIfAborted();
}
