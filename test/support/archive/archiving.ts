import type { ArchiveOptions } from "../../../src/archive/archive-sessions.ts";
import type { MarkdownWriter } from "../../../src/archive/keep-session.ts";
import { storeUpkeep } from "../../../src/forget.ts";
import type { Library } from "../../../src/fs/library.ts";
import { nodeProcesses } from "../../../src/fs/processes.ts";
import type { Locking } from "../../../src/fs/store.ts";
import { quickDisk } from "../../crash/quick-disk.ts";
import { type MakeLibraryOptions, makeLibrary } from "../make-library.ts";

export const locking: Locking = {
  processes: nodeProcesses,
  ...storeUpkeep,
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/** Says in a few words what it was given. */
export const plainWriter: MarkdownWriter = {
  version: "test",
  mask: (value) => value,
  render: (session, digest, meta) =>
    [
      digest.title,
      session.project,
      meta.sha256,
      meta.resume,
      ...digest.requests.map(({ text }) => text),
    ].join("\n"),
};

export const archiving: ArchiveOptions = { locking, markdown: plainWriter };

/** A library on a disk that does not wait for its fsyncs. */
export function quickLibrary(options: MakeLibraryOptions = {}): Library {
  return { ...makeLibrary(options), disk: quickDisk };
}
