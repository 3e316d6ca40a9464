import type { Session } from "../../core/model/session.ts";
import { type RewritePlan, rewrittenBytes } from "../../core/shrink/rewrite-plan.ts";
import { defaultTextLimits } from "../../core/text/text-budget.ts";
import type { SessionFiles } from "../../formats/format.ts";
import { diskSource } from "../disk-source.ts";
import type { Library } from "../library.ts";
import { readSession } from "../read-session.ts";
import type { LogSnapshot } from "./log-snapshot.ts";

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
