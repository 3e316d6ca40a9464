import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import type { AgentImport, ImportFile, ResumeCommand } from "../agents/agent.ts";
import { agentNamed } from "../agents/agents.ts";
import { rootOfFile } from "../agents/find-sessions.ts";
import { countMarkers } from "../agents/flattened-line.ts";
import { otherForm, unpackedPath } from "../agents/packed-log.ts";
import { exitCodes, UserError } from "../errors.ts";
import { ArchiveDamage } from "../fs/damage.ts";
import type { FileMark } from "../fs/disk.ts";
import { diskError, errorCode, explainDiskError } from "../fs/disk-error.ts";
import { makeFolders } from "../fs/folders.ts";
import { inBlocks } from "../fs/in-blocks.ts";
import type { Library } from "../fs/library.ts";
import { replaceFile } from "../fs/replace-file.ts";
import { sweepTempFiles } from "../fs/sweep-temp-files.ts";
import type { LogKey } from "../session/session.ts";
import type { ArchiveStore, KeptFile, KeptSession } from "./archive-store.ts";
import { foreignTargets } from "./check-targets.ts";
import { compareUnpacked } from "./compare-unpacked.ts";
import { logAt } from "./log-identity.ts";
import { sourceFile } from "./raw/store-file.ts";
import {
  type PlaceOptions,
  projectHere,
  projectOfKept,
  rehomed,
  restorePlace,
  type SessionMove,
} from "./rehome-session.ts";
import { importFiles, readMoved, targetStateOfLog, writeImports } from "./restore-imports.ts";
import { type TargetState, targetStateAt } from "./target-state.ts";

/** Options for restoring one session. */
export interface RestoreHow extends PlaceOptions {
  /** Also overwrite files with different content, which are archived first. */
  readonly force?: boolean;
  /** Set the present time instead of the archived one, because agents delete old logs. */
  readonly touch?: boolean;
  readonly dryRun?: boolean;
}

export interface RestoredFile {
  readonly path: string;
  /** Its path when it was archived. */
  readonly from: string;
  readonly role: string;
  readonly bytes: number;
  readonly action: RestoreAction;
  /** How many strings in its lines that name the project were changed. */
  readonly changes: number;
}

export interface RestoredSession extends LogKey {
  readonly generation: number;
  readonly outcome: "restored" | "unchanged" | "refused" | "damaged";
  readonly files: readonly RestoredFile[];
  /** Set if lines were changed to belong to another project. */
  readonly move: SessionMove | null;
  /** The machine that it was pulled from; null: this one. */
  readonly machine: string | null;
  /** The project of a session of another machine, if this machine has no such folder. */
  readonly missingProject: string | null;
  /** The number of markers in the restored log, whose results are in its sidecar or in the archive. */
  readonly markers: number;
  /** How many of them are blocks, as `unflatten` counts; the others are copies of these. */
  readonly blocks: number;
  /** The generation that holds the replaced files. */
  readonly replaced: number | null;
  readonly resume: ResumeCommand;
  /**
   * The agent's commands that import the written files, to be run in this order; none if it reads files where they
   * are.
   */
  readonly imports: readonly ResumeCommand[];
  /** The agent may soon delete it, because it is older than the agent keeps logs. */
  readonly mayBeSwept: boolean;
}

/**
 * Restores one session. A refusal covers all of its files; a damaged file does not prevent the others from being
 * restored.
 */
export function restoreSession(
  library: Library,
  archive: ArchiveStore,
  kept: KeptSession,
  how: RestoreHow,
  report: Report,
): RestoredSession {
  const { planned, damaged, leaves, move, project, missingProject } = makePlan(library, kept, how, report);
  const actions = new Map(planned.map((each) => [each, expectedAction(each, how)]));
  let isRefused = leaves || [...actions.values()].some((action) => REFUSED.has(action));
  let replaced: number | null = null;
  const { resume, deletesAfterMs, imports: importing } = agentNamed(kept.agent);
  const isToImport = importing !== undefined && how.to === undefined;
  if (!isRefused && how.dryRun !== true) {
    sweepTargets(library, planned);
    const secured = putAside(library, archive, kept, planned, report);
    if (secured === undefined) isRefused = true;
    else {
      replaced = secured.generation;
      for (const each of isToImport ? [] : mainLast(planned)) {
        actions.set(each, applyRestore(library, each, secured.marks.get(each.target), how, report));
      }
      // The files now have the content of this generation, so it becomes the newest again; not before they are
      // written. The record of another machine is not changed.
      const isOwn = kept.origin === null;
      if (replaced !== null && isOwn && !isToImport && isInPlace(actions.values()))
        archive.repeat(kept, kept.generation);
    }
  }
  const isMissing = !isRefused && [...actions.values()].includes("written");
  const imported =
    isToImport && isMissing ? writeImports(library, kept, importing, { move, how, report }) : undefined;
  const files = [
    ...(imported?.map(({ file }) => file) ?? [...actions].map(([each, action]) => toAnswer(each, action))),
    ...damaged,
  ];
  const lead = planned.find(({ file }) => file === kept.files[0]);
  const { agent, id, copy, generation } = kept;
  const outcome = isRefused ? "refused" : outcomeOf(files);
  const isWritten = outcome === "restored" && how.dryRun !== true && lead !== undefined && !isToImport;
  return {
    agent,
    id,
    copy,
    generation,
    outcome,
    files,
    move: files.some(({ changes }) => changes > 0) ? (move ?? null) : null,
    machine: kept.origin?.name ?? null,
    missingProject,
    ...(isWritten ? countMarkers(agent, library.disk.readChunks(lead.target)) : { markers: 0, blocks: 0 }),
    replaced,
    resume: resume({ id, project, source: lead?.target ?? null }),
    imports: imported?.map(({ command }) => ({ command, folder: project })) ?? [],
    mayBeSwept:
      how.touch !== true &&
      lead !== undefined &&
      library.now() - lead.file.mtimeMs > (deletesAfterMs ?? Number.POSITIVE_INFINITY),
  };
}

/** Removes temp files of a killed restore: one may be as large as a log, in a folder that no other sweep visits. */
function sweepTargets({ disk, now }: Library, planned: readonly PlannedFile[]): void {
  for (const folder of new Set(planned.map(({ target }) => dirname(target))))
    sweepTempFiles(disk, folder, { now: now() });
}

/** Whether every file now has the archived content, or more. */
function isInPlace(actions: Iterable<RestoreAction>): boolean {
  return [...actions].every((action) => IN_PLACE.has(action));
}

const REFUSED: ReadonlySet<RestoreAction> = new Set(["different", "blocked", "packed"]);
const IN_PLACE: ReadonlySet<RestoreAction> = new Set(["written", "identical", "grown"]);

interface Plan {
  readonly planned: readonly PlannedFile[];
  readonly damaged: readonly RestoredFile[];
  /** A file would be written outside of its folder, so no file of the session is written. */
  readonly leaves: boolean;
  readonly move: SessionMove | undefined;
  /** The project that the restored session belongs to. */
  readonly project: string | null;
  readonly missingProject: string | null;
}

function makePlan(library: Library, kept: KeptSession, how: RestoreHow, report: Report): Plan {
  const planned: PlannedFile[] = [];
  const damaged: RestoredFile[] = [];
  let leaves = false;
  const project = quietly(() => projectOfKept(kept));
  const { into, missingProject } = projectHere(library, kept, project, how);
  // Lines that name no project stay as they are.
  const move = into === undefined ? undefined : { from: project ?? into, to: into };
  const { imports: importing } = agentNamed(kept.agent);
  const made = importing && new Map(importFiles(kept, importing, move).map((each) => [each.from, each]));
  for (const file of kept.files) {
    const toImport = made?.get(file);
    if (importing !== undefined && toImport === undefined) continue;
    try {
      planned.push(
        importing === undefined || toImport === undefined
          ? planRestore(library, kept, file, move, { to: how.to, into })
          : planImport(library, kept, toImport, { how, move, importing }),
      );
    } catch (error) {
      const isOutside = error instanceof UserError;
      leaves ||= isOutside;
      report(file.path, `it can't be restored: ${explain(error)}`);
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
  // Files for an import are only listed here; the agent itself imports them.
  const foreign = importing === undefined ? foreignTargets(library, kept, planned, how.to) : new Set();
  for (const { file, target } of planned.filter((each) => foreign.has(each))) {
    report(target, `it can't be restored: ${explain(notOfSession(target))}`);
    const { path, role, size } = file;
    damaged.push({ path: target, from: path, role, bytes: size, action: "outside", changes: 0 });
    leaves = true;
  }
  const own = planned.filter((each) => !foreign.has(each));
  return { planned: own, damaged, leaves, move, project: into ?? project ?? null, missingProject };
}

function notOfSession(target: string): UserError {
  return new UserError(`Cannot restore ${JSON.stringify(target)}: it is not a file of this session`, {
    exitCode: exitCodes.refused,
    hint: "its record in the archive was changed, so nothing of it is written",
  });
}

function expectedAction({ state }: PlannedFile, { force }: RestoreHow): RestoreAction {
  if (state.kind === "absent") return "written";
  return state.kind === "different" && force === true ? "written" : state.kind;
}

function outcomeOf(files: readonly RestoredFile[]): RestoredSession["outcome"] {
  const actions = new Set(files.map(({ action }) => action));
  if (actions.has("different")) return "refused";
  if (actions.has("damaged")) return "damaged";
  return actions.has("written") ? "restored" : "unchanged";
}

/** The log comes last: when an agent finds it, all other files are there. */
function mainLast(planned: readonly PlannedFile[]): readonly PlannedFile[] {
  return planned.toSorted((a, b) => Number(a.file.role === "main") - Number(b.file.role === "main"));
}

function toAnswer({ file, target, size, changes }: PlannedFile, action: RestoreAction): RestoredFile {
  return { path: target, from: file.path, role: file.role, bytes: size, action, changes };
}

/** Each file that can't be read is reported. */
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

/** `written`; `identical` and `grown` (by the agent, since) existed already; the others say why nothing was written. */
export type RestoreAction =
  | "written"
  | "identical"
  | "grown"
  | "different"
  | "blocked"
  | "packed"
  | "outside"
  | "damaged";

/** Reports a problem with a file. */
export type Report = (path: string, what: string) => void;

interface PutAside {
  /** States of the files that were archived before being replaced: a file may be replaced only while it is in that state. */
  readonly marks: ReadonlyMap<string, FileMark>;
  /** The generation that holds them; null if there were none. */
  readonly generation: number | null;
}

/**
 * Archives files that are about to be overwritten, as a separate generation that is put aside: until the files are
 * replaced, and also if that fails, the session's present state does not change. undefined if they could not be
 * archived.
 */
function putAside(
  library: Library,
  archive: ArchiveStore,
  kept: KeptSession,
  planned: readonly PlannedFile[],
  report: Report,
): PutAside | undefined {
  const replaced = planned.flatMap(({ state: found, target, file }) => {
    if (found.kind !== "different") return [];
    const { size, mtimeMs, inode } = found.stat;
    const listed = { path: target, role: file.role, size, mtimeMs, inode };
    return [sourceFile(library.disk, listed, rootOfFile(library, kept.agent, target))];
  });
  if (replaced.length === 0) return { marks: new Map(), generation: null };
  // The present file is a log of this machine, even if the archived one is from another.
  const owner =
    kept.origin === null ? kept : (logAt(library, replaced[0]?.path ?? "") ?? { ...kept, copy: null });
  const { generation, problems } = archive.put(owner, replaced, { aside: true });
  for (const { path, what } of problems)
    report(path, `it is left alone, because it can't be archived: ${what}`);
  const aside = archive.get(owner, generation);
  if (aside === undefined || problems.length > 0) return undefined;
  return {
    generation,
    marks: new Map(aside.files.map(({ path, size, mtimeMs, inode }) => [path, { size, mtimeMs, inode }])),
  };
}

/** Restores one file and returns the outcome. */
function applyRestore(
  library: Library,
  planned: PlannedFile,
  mark: FileMark | undefined,
  options: { readonly touch?: boolean },
  report: Report,
): RestoreAction {
  const { disk } = library;
  const { file, target, state } = planned;
  const mtimeMs = options.touch === true ? library.now() : file.mtimeMs;
  const { mode } = file;
  try {
    switch (state.kind) {
      case "grown":
      case "blocked":
      case "packed":
        return state.kind;
      case "identical": {
        const { stat } = state;
        if (stat.mode !== mode) disk.chmod(target, mode);
        if (stat.mtimeMs !== mtimeMs) disk.utimes(target, stat.atimeMs, mtimeMs);
        return "identical";
      }
      case "absent": {
        makeFolders(disk, dirname(target));
        const done = replaceFile(disk, target, planned.content(), { mode, mtimeMs, exclusive: true });
        if (done.kind === "done") return "written";
        report(target, "something was put there in the meantime, and was left alone");
        return "different";
      }
      case "different": {
        if (mark === undefined) return "different";
        const done = replaceFile(disk, target, planned.content(), { mode, mtimeMs, expect: mark });
        if (done.kind === "done") return "written";
        report(target, "it changed in the meantime, and was left alone");
        return "different";
      }
    }
  } catch (error) {
    if (!(error instanceof ArchiveDamage)) throw diskError("restore", target, error);
    report(target, `it can't be restored: ${error.what}`);
    return "damaged";
  }
}

/** One file of a restore. */
interface PlannedFile {
  readonly file: KeptFile;
  readonly target: string;
  readonly size: number;
  /** How many strings in its lines are changed for the new project. */
  readonly changes: number;
  readonly state: TargetState;
  /** Its bytes, from the start. Throws `ArchiveDamage`. */
  content(): Iterable<Uint8Array>;
}

/** Plans the restore of one file without writing. Throws `ArchiveDamage` if archived bytes that must be compared are damaged. */
function planRestore(
  library: Library,
  kept: KeptSession,
  file: KeptFile,
  move: SessionMove | undefined,
  options: PlaceOptions,
): PlannedFile {
  const place = restorePlace(library, kept.agent, file, options);
  const target = move === undefined ? place : unpackedPath(place);
  if (move === undefined) {
    const { size, sha256 } = file;
    const planned = { file, size, changes: 0, content: () => kept.read(file) };
    const state = targetStateAt(library, target, size, sha256);
    const other = otherForm(target);
    const stat = state.kind === "absent" ? library.disk.stat(other) : undefined;
    if (stat === undefined) return { ...planned, target, state };
    // Beside its packed log, the agent would have the session twice.
    const kind = compareUnpacked(library.disk, other, kept, file);
    return {
      ...planned,
      target: other,
      state: kind === "different" ? { kind: "packed" } : { kind, stat },
    };
  }
  const content = (): Iterable<Uint8Array> => inBlocks(rehomed(kept, file, move));
  let changes = 0;
  const { size, sha256 } = measure(rehomed(kept, file, move, () => changes++));
  // Beside its packed log, the agent would have the session twice.
  const isPackedThere = target !== place && library.disk.stat(place) !== undefined;
  const state: TargetState = isPackedThere
    ? { kind: "packed" }
    : targetStateAt(library, target, size, sha256);
  return { file, target: isPackedThere ? place : target, size, changes, state, content };
}

/** Plans the restore of a log that its agent imports: from a file elsewhere, or here, unless the agent has it already. */
function planImport(
  library: Library,
  kept: KeptSession,
  { from: file, name, content }: ImportFile<KeptFile>,
  { how, move, importing }: { how: RestoreHow; move: SessionMove | undefined; importing: AgentImport },
): PlannedFile {
  if (how.to === undefined) {
    const target = restorePlace(library, kept.agent, file, {});
    const state = targetStateOfLog(library, target, readMoved(kept, file, move), importing.comparableLine);
    return { file, target, size: file.size, changes: 0, state, content };
  }
  const target = join(how.to, kept.agent, name);
  const { size, sha256 } = measure(content());
  return { file, target, size, changes: 0, state: targetStateAt(library, target, size, sha256), content };
}

function measure(parts: Iterable<Uint8Array>): { readonly size: number; readonly sha256: string } {
  const hash = createHash("sha256");
  let size = 0;
  for (const part of parts) {
    hash.update(part);
    size += part.length;
  }
  return { size, sha256: hash.digest("hex") };
}
