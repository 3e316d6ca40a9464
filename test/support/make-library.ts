import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Library } from "../../src/fs/library.ts";
import { createMemoryDisk } from "../../src/fs/memory-disk.ts";
import { nodeProcesses } from "../../src/fs/processes.ts";
import { openEngine } from "../../src/search/open-engine.ts";
import type { IndexAccess } from "../../src/search/refresh/index-access.ts";
import { libraryIn } from "./library-in.ts";

export interface MakeLibraryOptions {
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** A home that exists; without it a new, empty one. */
  readonly home?: string;
  readonly folder?: string;
  readonly nowMs?: number;
  readonly running?: readonly number[];
  readonly config?: Partial<Library["config"]>;
}

/** A library in a folder of its own, which is removed after the test. */
export function makeLibrary(options: MakeLibraryOptions = {}): Library {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sessions-library-")));
  // A process that a test left behind may still be writing its last.
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  const home = options.home ?? join(root, "home");
  mkdirSync(home, { recursive: true });
  return {
    ...libraryIn(home, {
      store: join(root, "store"),
      now: () => options.nowMs ?? Date.UTC(2026, 10, 16, 12),
      ...(options.variables && { variables: options.variables }),
      ...(options.folder !== undefined && { folder: options.folder }),
      config: { sources: { claude: [], pi: [], claw: [], codex: [] }, ...options.config },
    }),
    isRunning: (pid) => options.running?.includes(pid) ?? false,
  };
}

/** The index of a library, in its own store. */
export function makeAccess(library: Library): IndexAccess {
  return {
    engine: openEngine(library, nodeProcesses),
    inMemory: () =>
      openEngine({ disk: createMemoryDisk(library.now), places: library.places }, nodeProcesses),
  };
}
