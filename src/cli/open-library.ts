import { hasLogs } from "../agents/find-sessions.ts";
import type { Library } from "../fs/library.ts";
import { createLibrary } from "../fs/library.ts";
import { createMemoryDisk } from "../fs/memory-disk.ts";
import type { SearchEngine } from "../search/engine.ts";
import type { IndexAccess } from "../search/refresh/index-access.ts";
import { openEngine } from "../search/refresh/open-engine.ts";
import type { PutSessions } from "../search/refresh/refresh-index.ts";
import type { StartWorker } from "../search/worker-handle.ts";
import { startGuardAfterwards } from "./guard-afterwards.ts";
import { indexProgress } from "./output/progress.ts";
import { createStyle } from "./output/style.ts";
import type { World } from "./world.ts";

export interface OpenLibrary extends OpenIndex {
  /** Masks secrets in what is about to be printed. */
  readonly mask: <T>(value: T) => T;
}

/** Enough for what is printed from the index alone: that is masked already. */
export interface OpenIndex {
  readonly library: Library;
  /** How commands reach the index. */
  readonly access: IndexAccess;
}

export interface LibraryOptions extends IndexOptions {
  readonly reveal: boolean;
}

export interface IndexOptions {
  /** Answer from the example history if there is no other; for reading commands. */
  readonly allowDemo: boolean;
}

/** Does the selector name a file? Then the example history is no answer. */
export function namesFile(selector: readonly string[]): boolean {
  return selector.some((word) => /[/\\]|\.jsonl?$/.test(word));
}

/** The logs and the store of this machine, as commands see them. */
export async function openLibrary(world: World, options: LibraryOptions): Promise<OpenLibrary> {
  const opened = await openIndex(world, options);
  const { createMask } = await import("./create-mask.ts");
  const masked = createMask(opened.library.config);
  return { ...opened, mask: (value) => (options.reveal ? value : masked(value)) };
}

/** The same without masking, for commands that print from the index. */
export async function openIndex(world: World, options: IndexOptions): Promise<OpenIndex> {
  const library = await createLibrary(world);
  if (!options.allowDemo || hasLogs(library)) {
    let hasChanged = false;
    startGuardAfterwards(world, library, () => hasChanged);
    const onChange = (): void => {
      hasChanged = true;
    };
    return { library, access: { ...indexAccess(library, world), onChange } };
  }
  const style = createStyle(world.stderr.hasColor);
  world.stderr.write(`${style.dim("No agent logs found: this is an example history.")}\n`);
  const demo = demoLibrary(library, world.demoHome);
  return { library: demo, access: indexAccess(demo, world) };
}

function demoLibrary(library: Library, demoHome: string): Library {
  return {
    ...library,
    demo: true,
    surroundings: { home: demoHome, variables: {}, folder: library.surroundings.folder, projects: [] },
  };
}

/** More threads cost more memory than they save time. */
const MAX_THREADS = 4;
/** Fewer bytes of logs are read faster in this thread: another one takes 80 ms to start. */
const WORTH_THREADS_BYTES = 24 * 1024 * 1024;

/** The example history is indexed in memory: nothing of it may get into the store. */
export function indexAccess(library: Library, world: World): IndexAccess {
  const inMemory = (): SearchEngine =>
    openEngine({ disk: createMemoryDisk(world.now), places: library.places }, world.processes);
  return {
    engine: library.demo ? inMemory() : openEngine(library, world.processes),
    inMemory,
    onUnwritable: ({ message }) => {
      world.stderr.write(
        `${createStyle(world.stderr.hasColor).yellow("sessions:")} ${message}; reading everything again\n`,
      );
    },
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    ...(world.startWorker === undefined || library.demo
      ? {}
      : {
          workers: {
            minBytes: WORTH_THREADS_BYTES,
            read: readInThreads(library, world.startWorker, world.threads),
          },
        }),
    ...(world.stderr.isTerminal ? { meter: () => indexProgress(world) } : {}),
  };
}

function readInThreads(library: Library, start: StartWorker, threads: number): PutSessions {
  return async (...work) => {
    const { readInWorkers } = await import("../search/refresh/index-workers.ts");
    return readInWorkers(library, start, Math.min(threads, MAX_THREADS))(...work);
  };
}
