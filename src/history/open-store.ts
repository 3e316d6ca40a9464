import { hasLogs } from "../agents/find-sessions.ts";
import type { UserError } from "../errors.ts";
import type { Disk } from "../fs/disk.ts";
import { createLibrary, type Library } from "../fs/library.ts";
import { createMemoryDisk } from "../fs/memory-disk.ts";
import { nodeDisk } from "../fs/node-disk.ts";
import { nodeProcesses, type Processes } from "../fs/processes.ts";
import type { SearchEngine } from "../search/engine.ts";
import { openEngine } from "../search/open-engine.ts";
import type { IndexAccess } from "../search/refresh/index-access.ts";
import type { PutSessions, RefreshMeter } from "../search/refresh/refresh-index.ts";
import type { StartWorker } from "../search/worker-handle.ts";

/**
 * The machine whose history is opened. The library looks up nothing itself: home, environment and clock are passed
 * in.
 */
export interface Machine {
  readonly home: string;
  /** Environment variables that name the folders of agents and of this program. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  /** The folder that `last` and `current` refer to; the home by default. */
  readonly folder?: string;
  /** Minutes that local time is ahead of UTC at a moment, for dates in queries; 0 by default. */
  readonly offsetMinutesAt?: (ms: number) => number;
  readonly disk?: Disk;
  readonly processes?: Processes;
  /** Whether a process with this number is running. */
  readonly isRunning?: (pid: number) => boolean;
  /** The folder of an administrator's Claude Code settings. */
  readonly managedFolder?: string;
  /** A home with an example history, to answer from if there are no logs; absent: the history is empty then. */
  readonly demoHome?: string;
  /** Starts threads that read logs into the index; absent: this thread does all of it. */
  readonly workers?: { readonly start: StartWorker; readonly count: number };
  /** Called when logs have to be read into the index: shows the progress. */
  readonly meter?: () => RefreshMeter;
  /** Called if the store can't be written, before everything is read into memory. */
  readonly onUnwritable?: (error: UserError) => void;
  /**
   * Opens the history even if config.json is broken, with the settings that can be read; `library.settingsFault`
   * explains the error.
   */
  readonly allowBrokenSettings?: boolean;
  /** Called when changed logs were read into the index. */
  readonly onChange?: () => void;
}

/** The logs of a machine, this program's store, and the way to the index. */
export interface OpenStore {
  readonly library: Library;
  readonly access: IndexAccess;
}

/** Opens the logs and the store of a machine; the example history if there are no logs and the machine has one. */
export async function openStore(machine: Machine): Promise<OpenStore> {
  const { home, env: variables, now, folder = home, disk = nodeDisk, processes = nodeProcesses } = machine;
  const { isRunning = (pid: number) => processes.exists(pid) } = machine;
  const library = await createLibrary({
    disk,
    home,
    variables,
    folder,
    now,
    isRunning,
    allowBrokenSettings: machine.allowBrokenSettings,
  });
  if (machine.demoHome === undefined || hasLogs(library)) {
    return { library, access: indexAccess(library, machine) };
  }
  const environment = { home: machine.demoHome, variables: {}, folder, projects: [] };
  const demo = { ...library, demo: true, environment };
  return { library: demo, access: indexAccess(demo, machine) };
}

/** More threads cost more memory than they save time. */
const MAX_THREADS = 4;
/** Fewer bytes of logs are read faster in this thread, because others take time to start. */
const WORTH_THREADS_BYTES = 24 * 1024 * 1024;

/** The example history is indexed in memory: nothing of it may get into the store. */
function indexAccess(library: Library, machine: Machine): IndexAccess {
  const { workers, meter, onUnwritable, onChange, now, processes = nodeProcesses } = machine;
  const inMemory = (): SearchEngine =>
    openEngine({ disk: createMemoryDisk(now), places: library.places }, processes);
  return {
    engine: library.demo ? inMemory() : openEngine(library, processes),
    inMemory,
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    ...(onUnwritable === undefined ? {} : { onUnwritable }),
    ...(onChange === undefined || library.demo ? {} : { onChange }),
    ...(workers === undefined || library.demo
      ? {}
      : { workers: { minBytes: WORTH_THREADS_BYTES, read: readInThreads(library, workers) } }),
    ...(meter === undefined ? {} : { meter }),
  };
}

function readInThreads(library: Library, { start, count }: NonNullable<Machine["workers"]>): PutSessions {
  return async (...work) => {
    const { readInWorkers } = await import("../search/refresh/index-workers.ts");
    return readInWorkers(library, start, Math.min(count, MAX_THREADS))(...work);
  };
}
