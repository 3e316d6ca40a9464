import { nodeProcesses, type Processes } from "../fs/processes.ts";
import type { Locking } from "../fs/store.ts";
import type { Mask } from "../search/export-session.ts";
import type { SelectOptions } from "../search/select-sessions.ts";
import type { SessionCatalog } from "../search/session-catalog.ts";
import { sessionKey } from "../session/session.ts";
import { abortable, copiesToTake, wordsOf } from "./call-options.ts";
import type { AnyCallOptions, SelectedOptions, SelectedSession, Selector } from "./history.ts";
import { type Machine, type OpenStore, openStore } from "./open-store.ts";
import type { Writing } from "./writing.ts";

export interface HistoryOptions extends Machine {
  /** Returns secrets unmasked. */
  readonly reveal?: boolean;
  /** Called while waiting for another process that holds the store. */
  readonly onWait?: Locking["onWait"];
  /** Ids of forks; random by default. */
  readonly uuid?: () => string;
}

/** Whether a call writes to the selected session. */
type Selecting = SelectedOptions & { readonly forWriting?: boolean };

/** State that the calls of a history share. */
export interface HistoryContext extends OpenStore {
  readonly machine: HistoryOptions & { readonly machineName: string };
  readonly processes: Processes;
  /** The folder of an administrator's Claude Code settings. */
  readonly managedFolder: string;
  readonly mask: Mask;
  /** Everything that calls that write to the store need. */
  writing(): Promise<Writing>;
  /** Updates the index and reads from it. */
  catalog<T>(call: AnyCallOptions, use: (all: SessionCatalog) => T | Promise<T>): Promise<T>;
  /** The times by which `last` is the newest session: those in the logs, which the index knows. */
  endTimes(selector: Selector, call: AnyCallOptions): Promise<SelectOptions["endedAt"]>;
  selecting(selector: Selector, call: Selecting): Promise<SelectOptions>;
  /** Selects one session, unless that was done already. */
  pointTo(selector: Selector | SelectedSession, call: Selecting): Promise<SelectedSession>;
}

/** Of all projects of the example history. */
const DEMO_FOLDER = "/home/ana";

export async function openContext(options: HistoryOptions): Promise<HistoryContext> {
  const { processes = nodeProcesses, managedFolder = "/etc/claude-code" } = options;
  const { library, access } = await openStore(options);
  const { createMask } = await import("./masking.ts");
  const mask = options.reveal === true ? <T>(value: T): T => value : createMask(library.config);
  const machineName = library.config.machine ?? processes.host;
  const context: HistoryContext = {
    library,
    access,
    // In the example history `--project .` means all of it.
    machine: { ...options, machineName, ...(library.demo ? { folder: DEMO_FOLDER } : {}) },
    processes,
    managedFolder,
    mask,
    async writing() {
      const { writingTo } = await import("./writing.ts");
      return writingTo(library, processes, options.onWait);
    },
    async catalog(call, use) {
      const { withCatalog } = await import("../search/session-catalog.ts");
      return withCatalog(library, abortable(access, call), use);
    },
    async endTimes(selector, call) {
      if (!wordsOf(selector).some((word) => word === "last" || word === "current")) return undefined;
      return context.catalog(
        call,
        ({ rows }) => new Map(rows.map(({ digest }) => [sessionKey(digest), digest.endedAt ?? 0])),
      );
    },
    async selecting(selector, call) {
      return { ...copiesToTake(call), endedAt: await context.endTimes(selector, call) };
    },
    async pointTo(selector, call) {
      if (typeof selector === "object" && "key" in selector) return selector;
      const { selectSession } = await import("../search/select-sessions.ts");
      return selectSession(library, wordsOf(selector), await context.selecting(selector, call));
    },
  };
  return context;
}
