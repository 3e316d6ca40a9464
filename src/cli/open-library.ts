import { maskDeep } from "../core/redact/mask-deep.ts";
import { createRedactor } from "../core/redact/redact.ts";
import type { SearchEngine } from "../core/search/search-engine.ts";
import { createLibrary } from "../operations/create-library.ts";
import { hasLogs } from "../operations/has-logs.ts";
import type { IndexAccess } from "../operations/indexing/index-access.ts";
import { openEngine } from "../operations/indexing/open-engine.ts";
import { readInWorkers } from "../operations/indexing/read-in-workers.ts";
import type { Library } from "../operations/library.ts";
import { createMemoryDisk } from "../store/memory-disk.ts";
import { guardAfterwards } from "./guard-afterwards.ts";
import { indexProgress } from "./print/index-progress.ts";
import { createStyle } from "./print/style.ts";
import type { World } from "./world.ts";

export interface OpenLibrary {
  readonly library: Library;
  /** How commands reach the index. */
  readonly access: IndexAccess;
  /** Masks secrets in everything that is about to be printed. */
  readonly mask: <T>(value: T) => T;
}

export interface LibraryOptions {
  readonly reveal: boolean;
  /** Reading commands answer from the example history where there is nothing else. */
  readonly allowDemo: boolean;
}

/** Who names a file asks for that one, not for an example. */
export function namesFile(selector: readonly string[]): boolean {
  return selector.some((word) => /[/\\]|\.jsonl?$/.test(word));
}

/** The logs and the store of this machine, as commands see them. */
export async function openLibrary(world: World, options: LibraryOptions): Promise<OpenLibrary> {
  const library = await createLibrary(world);
  const redactor = createRedactor({ extra: library.config.redact });
  const mask = <T>(value: T): T => (options.reveal ? value : maskDeep(value, redactor.redact));
  if (!options.allowDemo || hasLogs(library)) {
    let hasChanged = false;
    guardAfterwards(world, library, () => hasChanged);
    const onChange = (): void => {
      hasChanged = true;
    };
    return { library, mask, access: { ...indexAccess(library, world), onChange } };
  }
  const style = createStyle(world.stderr.hasColor);
  world.stderr.write(`${style.dim("No agent logs here yet: these answers come from an example history.")}\n`);
  const demo = demoLibrary(library, world.demoHome);
  return { library: demo, mask, access: indexAccess(demo, world) };
}

function demoLibrary(library: Library, demoHome: string): Library {
  return {
    ...library,
    demo: true,
    surroundings: { home: demoHome, variables: {}, folder: library.surroundings.folder, projects: [] },
  };
}

/** More threads need more memory than they save time. */
const MAX_THREADS = 4;

/** The example history is indexed in memory: it must leave nothing in the store. */
export function indexAccess(library: Library, world: World): IndexAccess {
  const passing = (): SearchEngine =>
    openEngine({ disk: createMemoryDisk(world.now), places: library.places }, world.processes);
  return {
    engine: library.demo ? passing() : openEngine(library, world.processes),
    passing,
    onUnwritable: ({ message }) => {
      world.stderr.write(
        `${createStyle(world.stderr.hasColor).yellow("sessions:")} ${message}; everything is read anew\n`,
      );
    },
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    ...(world.startWorker === undefined || library.demo
      ? {}
      : { readInWorkers: readInWorkers(library, world.startWorker, Math.min(world.threads, MAX_THREADS)) }),
    ...(world.stderr.isTerminal ? { meter: () => indexProgress(world) } : {}),
  };
}
