import { join } from "node:path";
import type { LogFiles } from "../agents/agent.ts";
import { type LogSnapshot, takeSnapshot } from "../agents/log-snapshot.ts";
import { mayBeWritten, runningSessions } from "../agents/running-sessions.ts";
import { isOwnWrite } from "../archive/own-writes.ts";
import { exitCodes, UserError } from "../errors.ts";
import type { Disk } from "../fs/disk.ts";
import type { Library } from "../fs/library.ts";
import { quietly } from "../fs/real-path.ts";
import type { SessionPointer } from "../search/session-pointers.ts";
import { sessionKey } from "../session/session.ts";
import { writableFiles } from "./writable-files.ts";

interface LiveOptions {
  readonly force: boolean;
  /** The process that asks. */
  readonly pid: number;
}

/** Why a log must not be rewritten now; undefined if it may be. */
type Liveness =
  /** Another process has it open for writing, or runs the session, and would write to a file that is gone. */
  | { readonly kind: "held"; readonly by: readonly number[] }
  /** It changed a moment ago, and not by us. Negative: its time is in the future, so its age is unknown. */
  | { readonly kind: "recent"; readonly agoMs: number };

function livenessOf(
  library: Library,
  files: LogFiles,
  snapshot: Pick<LogSnapshot, "path" | "realPath" | "mark">,
  pid: number,
): Liveness | undefined {
  if (runningSessions(library).has(sessionKey(files))) return { kind: "held", by: [] };
  const by = heldBy(library, snapshot, pid);
  if (by.length > 0) return { kind: "held", by };
  const { mark, path } = snapshot;
  if (!mayBeWritten(mark.mtimeMs, library.now())) return undefined;
  const agoMs = library.now() - mark.mtimeMs;
  return isOwnWrite(library.disk, library.places.rewrites, files, path, mark)
    ? undefined
    : { kind: "recent", agoMs };
}

export function heldBy(
  { disk }: Pick<Library, "disk">,
  { realPath }: Pick<LogSnapshot, "realPath">,
  pid: number,
): readonly number[] {
  const found = findOpenWriters(disk, realPath, pid);
  return found.kind === "known" ? found.pids : [];
}

/** Refuses to rewrite a session in use: without `force` if it may be in use, always if it certainly is. */
export function refuseLive(
  library: Library,
  files: LogFiles,
  snapshot: Pick<LogSnapshot, "path" | "realPath" | "mark">,
  { force, pid }: LiveOptions,
): void {
  const live = livenessOf(library, files, snapshot, pid);
  if (live === undefined || (live.kind === "recent" && force)) return;
  if (live.kind === "held") throw heldOpen(files.id, live.by);
  throw live.agoMs < 0 ? changedInFuture(files.id, live.agoMs) : changedJustNow(files.id, live.agoMs);
}

function changedJustNow(id: string, agoMs: number): UserError {
  const seconds = Math.max(1, Math.round(agoMs / 1000));
  return new UserError(
    `Cannot rewrite session ${id}: its log changed ${seconds} s ago, so an agent may be writing it`,
    {
      exitCode: exitCodes.refused,
      hint: "end the agent first, or use --when-idle or --fork; --force does it at once",
    },
  );
}

/** The hint for a log from the future; waiting could take years. */
function changedInFuture(id: string, agoMs: number): UserError {
  const seconds = Math.max(1, Math.round(-agoMs / 1000));
  return new UserError(
    `Cannot rewrite session ${id}: the time of its log is ${seconds} s ahead of the clock, so an agent may be writing it`,
    {
      exitCode: exitCodes.refused,
      hint: "check the clock and end the agent; then --force does it, or use --fork",
    },
  );
}

export function heldOpen(id: string, by: readonly number[]): UserError {
  const who = by.length === 0 ? "a running agent has it open" : `process ${by.join(", ")} holds its log open`;
  return new UserError(`Cannot rewrite session ${id}: ${who}, and would write to a file that is gone`, {
    exitCode: exitCodes.refused,
    hint: "end that process, or use --fork (a copy as a new session) or --when-idle",
  });
}

export function changedMeanwhile(id: string): UserError {
  return new UserError(`Cannot rewrite session ${id}: its log changed in the meantime; nothing was done`, {
    exitCode: exitCodes.refused,
    hint: "run it again when the agent is done, or use --when-idle",
  });
}

/** Processes that have a file open for writing; `unknown` if the system does not show them. */
type OpenWriters =
  | { readonly kind: "known"; readonly pids: readonly number[] }
  | { readonly kind: "unknown" };

const PROC = "/proc";
/** The two lowest bits say how it was opened; 0 is reading alone. */
const ACCESS_MODE = 3;

/**
 * Searches the open files of all processes except our own. Processes of other users are not visible; they rarely write
 * to our logs.
 */
function findOpenWriters(disk: Disk, realPath: string, self: number): OpenWriters {
  // Deno hides /proc unless the program has all permissions.
  if (quietly(() => disk.stat(join(PROC, "self", "fd"))) === undefined) return { kind: "unknown" };
  const pids = namesInProc(disk, PROC)
    .filter((name) => /^\d+$/.test(name) && Number(name) !== self)
    .filter((name) => holdsForWriting(disk, join(PROC, name), realPath))
    .map(Number);
  return { kind: "known", pids };
}

function holdsForWriting(disk: Disk, folder: string, path: string): boolean {
  const files = join(folder, "fd");
  return namesInProc(disk, files).some((name) => {
    if (quietly(() => disk.readlink(join(files, name))) !== path) return false;
    const text = quietly(() => disk.readFile(join(folder, "fdinfo", name), 4096)?.toString("latin1"));
    const flags = /^flags:\s*([0-7]+)/m.exec(text ?? "")?.[1];
    // If in doubt, assume that it writes.
    return flags === undefined || (Number.parseInt(flags, 8) & ACCESS_MODE) !== 0;
  });
}

function namesInProc(disk: Disk, folder: string): readonly string[] {
  return quietly(() => disk.readdir(folder).map(({ name }) => name)) ?? [];
}

interface IdleWaiting {
  readonly wait: (ms: number) => Promise<void>;
  /** The process that waits. */
  readonly pid: number;
}

const STEP_MS = 5_000;
/** How long `--when-idle` waits before it gives up. */
const MAX_STEPS = (7 * 24 * 60 * 60 * 1000) / STEP_MS;

/** Waits until a session is no longer in use; false if it gave up. */
export async function waitUntilIdle(
  library: Library,
  pointer: SessionPointer,
  { wait, pid }: IdleWaiting,
): Promise<boolean> {
  for (let step = 0; step < MAX_STEPS; step++) {
    const files = writableFiles(library, pointer);
    const snapshot = takeSnapshot(library, files.files[0]?.path ?? "");
    if (livenessOf(library, files, snapshot, pid) === undefined) return true;
    await wait(STEP_MS);
  }
  return false;
}
