import type { SessionFiles } from "../agents/agent.ts";
import type { LogSnapshot } from "../agents/log-snapshot.ts";
import { runningSessions } from "../agents/running-sessions.ts";
import { isOwnWrite } from "../archive/own-writes.ts";
import { exitCodes, UserError } from "../errors.ts";
import { type Library, sessionKey } from "../fs/library.ts";
import { findOpenWriters } from "./open-writers.ts";

/** A file that changed this recently is being written. */
const RECENT_MS = 10_000;

export interface LiveOptions {
  readonly force: boolean;
  /** The process that asks. */
  readonly pid: number;
}

/** Why a log must not be rewritten now; undefined where nothing speaks against it. */
export type Liveness =
  /** Another process has it open for writing, or runs the session: it would write to a file that is gone. */
  | { readonly kind: "held"; readonly by: readonly number[] }
  /** It changed a moment ago, and not by us. Below 0: its time is ahead of the clock, so nobody can tell when. */
  | { readonly kind: "recent"; readonly agoMs: number };

export function livenessOf(
  library: Library,
  files: SessionFiles,
  snapshot: Pick<LogSnapshot, "path" | "realPath" | "mark">,
  pid: number,
): Liveness | undefined {
  if (runningSessions(library).has(sessionKey(files))) return { kind: "held", by: [] };
  const by = heldBy(library, snapshot, pid);
  if (by.length > 0) return { kind: "held", by };
  const { mark, path } = snapshot;
  const agoMs = library.now() - mark.mtimeMs;
  if (agoMs >= RECENT_MS) return undefined;
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

/** A session that is being written is not rewritten: without force if it only may be, never if it surely is. */
export function refuseLive(
  library: Library,
  files: SessionFiles,
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

/** Waiting would be no advice: it may last for years. */
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
  return new UserError(`Cannot rewrite session ${id}: its log changed meanwhile; nothing was done`, {
    exitCode: exitCodes.refused,
    hint: "run it again when the agent is done, or use --when-idle",
  });
}
