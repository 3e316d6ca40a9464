import type { Library } from "../fs/library.ts";
import { type RewritePlan, rewrittenBytes } from "../jsonl/rewrite-plan.ts";
import type { Session } from "../session/session.ts";
import { defaultTextLimits } from "../session/text-budget.ts";
import type { SessionFiles } from "./agent.ts";
import { diskSource } from "./disk-source.ts";
import type { LogSnapshot } from "./log-snapshot.ts";
import { readSession } from "./read-session.ts";

/** Texts are counted here, not read. */
const LEAN = { ...defaultTextLimits, outputChars: 0, inputChars: 0, thinkingChars: 0 };

/** Reads a session as its snapshot has it, or as a plan would make it. */
export function readPlanned(
  library: Library,
  files: SessionFiles,
  snapshot: LogSnapshot,
  plan: RewritePlan | undefined,
): Session {
  const source = diskSource(library.disk);
  const logs = files.files.filter(({ role }) => role === "main" || role === "rotation");
  return readSession(
    {
      ...source,
      chunks: (path) => (path === snapshot.path ? plannedChunks(snapshot, plan) : source.chunks(path)),
    },
    { ...files, files: logs },
    LEAN,
  );
}

/** The bytes of a log as its snapshot has them, or as a plan would make them. */
export function plannedChunks(snapshot: LogSnapshot, plan: RewritePlan | undefined): Iterable<Uint8Array> {
  return plan === undefined ? snapshot.chunks() : rewrittenBytes(plan, snapshot.chunks());
}
