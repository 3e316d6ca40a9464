import { dirname } from "node:path";
import type { ResumeCommand } from "../agents/agent.ts";
import { formatOf } from "../agents/agents.ts";
import { UserError } from "../errors.ts";
import { ArchiveDamage } from "../fs/archive-damage.ts";
import { errorCode, explainDiskError } from "../fs/disk-error.ts";
import type { Library } from "../fs/library.ts";
import { sweepTempFiles } from "../fs/sweep-temp-files.ts";
import { applyRestore, type RestoreAction, secureStanding, type Tell } from "./apply-restore.ts";
import type { ArchiveStore, KeptSession, SessionName } from "./archive-store.ts";
import { type PlannedFile, planFile } from "./plan-restore.ts";
import { projectOfKept, type SessionMove } from "./rehome-session.ts";
import type { PlaceOptions } from "./restore-place.ts";

/** How one session is restored. */
export interface RestoreHow extends PlaceOptions {
  /** Also over files of other content, which are archived first. */
  readonly force?: boolean;
  /** With the present time instead of their own: old logs get swept. */
  readonly touch?: boolean;
  readonly dryRun?: boolean;
}

export interface RestoredFile {
  readonly path: string;
  /** Where it stood when it was archived. */
  readonly from: string;
  readonly role: string;
  readonly bytes: number;
  readonly action: RestoreAction;
  /** Strings in its lines that name the project, and were changed. */
  readonly changes: number;
}

export interface RestoredSession extends SessionName {
  readonly generation: number;
  readonly outcome: "restored" | "unchanged" | "refused" | "damaged";
  readonly files: readonly RestoredFile[];
  /** Set where lines were changed to belong to another project. */
  readonly move: SessionMove | null;
  /** The generation that now holds what stood there before. */
  readonly replaced: number | null;
  readonly resume: ResumeCommand;
  /** Its agent may soon delete it: its time is older than what that keeps. */
  readonly mayBeSwept: boolean;
}

/** Claude Code deletes logs whose time is older than this, if its settings say nothing else. */
const SWEPT_AFTER_MS = 30 * 24 * 60 * 60 * 1000;

/** Restores one session. All of it or nothing is refused; what is damaged does not keep the rest back. */
export function restoreSession(
  library: Library,
  archive: ArchiveStore,
  kept: KeptSession,
  how: RestoreHow,
  tell: Tell,
): RestoredSession {
  const { planned, damaged, leaves, move, project } = makePlan(library, kept, how, tell);
  const actions = new Map(planned.map((each) => [each, expectedAction(each, how)]));
  let isRefused =
    leaves || [...actions.values()].some((action) => action === "different" || action === "blocked");
  let replaced: number | null = null;
  if (!isRefused && how.dryRun !== true) {
    sweepTargets(library, planned);
    const secured = secureStanding(library, archive, kept, planned, tell);
    if (secured === undefined) isRefused = true;
    else {
      replaced = secured.generation;
      for (const each of mainLast(planned)) {
        actions.set(each, applyRestore(library, each, secured.marks.get(each.target), how, tell));
      }
      // What stands there now is what this generation is: so it is the newest again. Not before it stands there.
      if (replaced !== null && isInPlace(actions.values())) archive.repeat(kept, kept.generation);
    }
  }
  const files = [...[...actions].map(([each, action]) => toAnswer(each, action)), ...damaged];
  const lead = planned.find(({ file }) => file === kept.files[0]);
  const { agent, id, generation } = kept;
  return {
    agent,
    id,
    generation,
    outcome: isRefused ? "refused" : outcomeOf(files),
    files,
    move: files.some(({ changes }) => changes > 0) ? (move ?? null) : null,
    replaced,
    resume: formatOf(agent).resume({ id, project, source: lead?.target ?? null }),
    mayBeSwept:
      agent === "claude" &&
      how.touch !== true &&
      lead !== undefined &&
      library.now() - lead.file.mtimeMs > SWEPT_AFTER_MS,
  };
}

/** A restore that was killed may have left a temp file as large as a log, in a folder that nobody else knows of. */
function sweepTargets({ disk, now }: Library, planned: readonly PlannedFile[]): void {
  for (const folder of new Set(planned.map(({ target }) => dirname(target))))
    sweepTempFiles(disk, folder, { now: now() });
}

/** Is every file now what the archive has, or more? */
function isInPlace(actions: Iterable<RestoreAction>): boolean {
  return [...actions].every((action) => IN_PLACE.has(action));
}

const IN_PLACE: ReadonlySet<RestoreAction> = new Set(["written", "identical", "grown"]);

interface Plan {
  readonly planned: readonly PlannedFile[];
  readonly damaged: readonly RestoredFile[];
  /** A file would be written where it does not belong: then nothing of the session is written. */
  readonly leaves: boolean;
  readonly move: SessionMove | undefined;
  /** The project that the restored session is of. */
  readonly project: string | null;
}

function makePlan(library: Library, kept: KeptSession, how: RestoreHow, tell: Tell): Plan {
  const planned: PlannedFile[] = [];
  const damaged: RestoredFile[] = [];
  let leaves = false;
  const project = quietly(() => projectOfKept(kept));
  const move = project === undefined || how.into === undefined ? undefined : { from: project, to: how.into };
  for (const file of kept.files) {
    try {
      planned.push(planFile(library, kept, file, move, how));
    } catch (error) {
      const isOutside = error instanceof UserError;
      leaves ||= isOutside;
      tell(file.path, `it can't be restored: ${explain(error)}`);
      const { path, role, size } = file;
      damaged.push({
        path,
        from: path,
        role,
        bytes: size,
        action: isOutside ? "outside" : "damaged",
        changes: 0,
      });
    }
  }
  return { planned, damaged, leaves, move, project: how.into ?? project ?? null };
}

function expectedAction({ standing }: PlannedFile, { force }: RestoreHow): RestoreAction {
  if (standing.kind === "absent") return "written";
  return standing.kind === "different" && force === true ? "written" : standing.kind;
}

function outcomeOf(files: readonly RestoredFile[]): RestoredSession["outcome"] {
  const actions = new Set(files.map(({ action }) => action));
  if (actions.has("different")) return "refused";
  if (actions.has("damaged")) return "damaged";
  return actions.has("written") ? "restored" : "unchanged";
}

/** The log comes last: when an agent finds it, all that belongs to it is there. */
function mainLast(planned: readonly PlannedFile[]): readonly PlannedFile[] {
  return planned.toSorted((a, b) => Number(a.file.role === "main") - Number(b.file.role === "main"));
}

function toAnswer({ file, target, size, changes }: PlannedFile, action: RestoreAction): RestoredFile {
  return { path: target, from: file.path, role: file.role, bytes: size, action, changes };
}

/** What can't be read is told for each file. */
function quietly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    explain(error);
    return undefined;
  }
}

function explain(error: unknown): string {
  if (error instanceof ArchiveDamage) return error.what;
  if (error instanceof UserError) {
    return error.hint === undefined ? error.message : `${error.message}; ${error.hint}`;
  }
  if (errorCode(error) === undefined) throw error;
  return explainDiskError(error);
}
