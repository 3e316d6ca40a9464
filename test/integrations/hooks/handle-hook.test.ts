import fs from "node:fs";
import { describe, expect, test } from "vitest";
import type { HookInput } from "../../../src/agents/agent-actions.ts";
import { archivedSessions } from "../../../src/archive/archived-sessions.ts";
import { readSummaries } from "../../../src/archive/compaction-notes.ts";
import { logAt } from "../../../src/archive/log-identity.ts";
import type { Library } from "../../../src/fs/library.ts";
import { tryLock } from "../../../src/fs/lock.ts";
import { insideOf } from "../../../src/fs/places.ts";
import { nodeProcesses } from "../../../src/fs/processes.ts";
import { type HookPorts, handleHook } from "../../../src/integrations/hooks/handle-hook.ts";
import { readHookInput } from "../../../src/integrations/hooks/hook-input.ts";
import { quickDisk } from "../../crash/quick-disk.ts";
import { diskThatIsFull, unreadableDisk } from "../../crash/sick-disks.ts";
import { locking, plainWriter, quickLibrary } from "../../support/archive/archiving.ts";
import { makeLogHome } from "../../support/archive/log-home.ts";

function ground(change: (library: Library) => Partial<Library> = () => ({})) {
  const library = quickLibrary();
  const { files } = makeLogHome(library.environment.home);
  const log = files[0]?.path ?? "";
  const handedOver: string[] = [];
  const noted: string[] = [];
  return {
    library,
    log,
    handedOver,
    noted,
    handle: (input: HookInput, ports: Partial<HookPorts> = {}) =>
      handleHook(input, {
        library: { ...library, ...change(library) },
        markdown: plainWriter,
        locking: { ...locking, timeoutMs: 0 },
        handOver: async (each) => handedOver.push(each) > 0,
        projectOf: async () => undefined,
        startGuard: async () => {},
        managedFolder: "/nowhere",
        note: (what) => noted.push(what),
        ...ports,
      }),
  };
}

function preCompact(log: string): HookInput {
  const read = readHookInput(JSON.stringify({ transcript_path: log }), "pre-compact");
  if (read.kind === "bad") throw new Error(read.what);
  return read.input;
}

function postCompact(log: string, summary: string): HookInput {
  const read = readHookInput(
    JSON.stringify({ transcript_path: log, compact_summary: summary }),
    "post-compact",
  );
  if (read.kind === "bad") throw new Error(read.what);
  return read.input;
}

function notesOf(library: Library, log: string): readonly string[] {
  const session = logAt(library, log);
  return session === undefined ? [] : readSummaries(library, session).map(({ text }) => text);
}

describe("handleHook()", () => {
  test("leaves a session to the background where another process does not let go of the store", async () => {
    const { library, log, handle, handedOver } = ground();
    fs.mkdirSync(library.places.home, { recursive: true });
    expect(tryLock(library.disk, library.places.lock, nodeProcesses).kind).toBe("locked");
    expect(await handle(preCompact(log))).toBe("");
    expect(handedOver).toEqual([log]);
    await expect(handle(preCompact(log), { handOver: async () => false })).rejects.toThrow("Cannot lock");
  });

  test("leaves it to the background where nothing more can be written", async () => {
    const { log, handle, handedOver } = ground(() => ({ disk: diskThatIsFull(quickDisk, 200) }));
    expect(await handle(preCompact(log))).toBe("");
    expect(handedOver).toEqual([log]);
    await expect(handle(preCompact(log), { handOver: async () => false })).rejects.toThrow(
      "the disk is full",
    );
  });

  test("notes a summary with the store's lock: two hooks at once lose none", async () => {
    const whileNoting = new Set<string>();
    const { library, log, handle } = ground(({ disk, places }) => ({
      disk: {
        ...disk,
        readFile: (path, maxBytes) => {
          if (insideOf(places.notes, path))
            whileNoting.add(tryLock(quickDisk, places.lock, nodeProcesses).kind);
          return disk.readFile(path, maxBytes);
        },
      },
    }));
    for (const summary of ["first", "second"]) await handle(postCompact(log, summary));
    expect([...whileNoting]).toEqual(["held"]);
    expect(notesOf(library, log)).toEqual(["first", "second"]);
  });

  test("notes a summary even if another process does not release the store", async () => {
    const { library, log, handle, handedOver } = ground();
    fs.mkdirSync(library.places.home, { recursive: true });
    expect(tryLock(library.disk, library.places.lock, nodeProcesses).kind).toBe("locked");
    expect(await handle(postCompact(log, "first"))).toBe("");
    expect(notesOf(library, log)).toEqual(["first"]);
    expect(handedOver).toEqual([log]);
  });

  test("reports what could not be read of a session, and keeps the rest", async () => {
    const { library, log, handle, noted } = ground(({ disk }) => ({
      disk: unreadableDisk(disk, (path) => path.endsWith("/agent-a1b2.jsonl")),
    }));
    expect(await handle(preCompact(log))).toBe("");
    expect(noted).toEqual([expect.stringMatching(/subagents.*:0: /)]);
    expect(archivedSessions(library)).toHaveLength(1);
  });
});
