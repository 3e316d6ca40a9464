import { basename, join } from "node:path";
import type { AgentImport, ImportFile } from "../agents/agent.ts";
import { agentNamed } from "../agents/agents.ts";
import { findSessions, mirrorLogs } from "../agents/find-sessions.ts";
import { isExcluded } from "../fs/config.ts";
import { ArchiveDamage } from "../fs/damage.ts";
import { diskError } from "../fs/disk-error.ts";
import { makeFolders, removeTree } from "../fs/folders.ts";
import type { Library } from "../fs/library.ts";
import { replaceFile } from "../fs/replace-file.ts";
import { splitLines } from "../jsonl/lines.ts";
import type { AgentName } from "../session/entry.ts";
import type { KeptFile, KeptSession } from "./archive-store.ts";
import { openArchive } from "./open-archive.ts";
import { rehomed, type SessionMove } from "./rehome-session.ts";
import type { Report, RestoreAction, RestoredFile, RestoredSession, RestoreHow } from "./restore-session.ts";
import type { TargetState } from "./target-state.ts";

/*
 * Restores sessions that are not files: their agent imports them with its own command, from a file that is written
 * for it.
 */

/** A file that was written, and the command that imports it. */
interface ImportStep {
  readonly file: RestoredFile;
  readonly command: readonly string[];
}

/** Writes the files for the agent's import command. A damaged one does not prevent the others. */
export function writeImports(
  { disk, places }: Library,
  kept: KeptSession,
  importing: AgentImport,
  { move, how, report }: { move: SessionMove | undefined; how: RestoreHow; report: Report },
): readonly ImportStep[] {
  const folder = importFolder(places, kept.agent);
  return importFiles(kept, importing, move).map(({ name, from, content }) => {
    const path = join(folder, name);
    let action: RestoreAction = "written";
    try {
      if (how.dryRun !== true) {
        makeFolders(disk, folder);
        replaceFile(disk, path, content());
      }
    } catch (error) {
      if (!(error instanceof ArchiveDamage)) throw diskError("restore", path, error);
      report(from.path, `it can't be restored: ${error.what}`);
      action = "damaged";
    }
    const { role, size } = from;
    const file: RestoredFile = { path, from: from.path, role, bytes: size, action, changes: 0 };
    return { file, command: importing.command(path) };
  });
}

function importFolder({ cache }: Library["places"], agent: AgentName): string {
  return join(cache, "imports", agent);
}

/**
 * Checks, after the agent's own command has run, whether the agent has the session with all its messages: an exit
 * code is not enough. If so, removes the files that were written for it.
 */
export function finishImport(library: Library, restored: RestoredSession): boolean {
  const { imports: importing } = agentNamed(restored.agent);
  const kept = openArchive(library).get(restored, restored.generation);
  if (importing === undefined || kept === undefined) return false;
  const problems = mirrorLogs(library);
  const present = findSessions(library).sessions.flatMap(({ agent, id, files }) =>
    agent === restored.agent && id === restored.id ? files : [],
  );
  const isThere = importFiles(kept, importing, undefined).every(({ from }, at) => {
    // They are in the order of the imports; a damaged one was not written.
    if (restored.files[at]?.action === "damaged") return true;
    const wanted = messagesIn(kept.read(from), importing);
    return present.some((file) => {
      if (file.role !== from.role || basename(file.path) !== basename(from.path)) return false;
      const found = messagesIn(library.disk.readChunks(file.path), importing);
      return [...wanted].every((id) => found.has(id));
    });
  });
  // A session of an excluded project is never read, so it can't be checked: the exit code must suffice.
  const isUnread = problems.length === 0 && isExcluded(library, { project: restored.resume.folder });
  if (!isThere && !isUnread) return false;
  removeImports(library, kept);
  return true;
}

function messagesIn(chunks: Iterable<Uint8Array>, { messageId }: AgentImport): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { bytes } of splitLines(chunks)) {
    const id = messageId(bytes);
    if (id !== undefined) ids.add(id);
  }
  return ids;
}

/** Removes the files that were written for the import: they contain the whole session. */
export function removeImports({ disk, places }: Library, kept: KeptSession): void {
  const { imports: importing } = agentNamed(kept.agent);
  if (importing === undefined) return;
  const folder = importFolder(places, kept.agent);
  for (const { name } of importFiles(kept, importing, undefined)) removeTree(disk, join(folder, name));
}

export function importFiles(
  kept: KeptSession,
  importing: AgentImport,
  move: SessionMove | undefined,
): readonly ImportFile<KeptFile>[] {
  return importing.files({ files: kept.files, read: (file) => readMoved(kept, file, move) });
}

export function readMoved(
  kept: KeptSession,
  file: KeptFile,
  move: SessionMove | undefined,
): Iterable<Uint8Array> {
  return move === undefined ? kept.read(file) : rehomed(kept, file, move);
}

/** Whether the agent has a session, judging by the lines of its log. */
export function targetStateOfLog(
  library: Library,
  target: string,
  archived: Iterable<Uint8Array>,
  comparableLine: AgentImport["comparableLine"],
): TargetState {
  const stat = library.disk.stat(target);
  if (stat === undefined) return { kind: "absent" };
  const present = splitLines(library.disk.readChunks(target));
  try {
    for (const { bytes } of splitLines(archived)) {
      const next = present.next();
      if (next.done === true || comparableLine(next.value.bytes) !== comparableLine(bytes))
        return { kind: "different", stat };
    }
    return { kind: present.next().done === true ? "identical" : "grown", stat };
  } finally {
    present.return?.(undefined);
  }
}
