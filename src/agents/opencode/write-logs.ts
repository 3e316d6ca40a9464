import { dirname, join } from "node:path";
import type { Disk } from "../../fs/disk.ts";
import { makeFolders, namesIn, removeTree } from "../../fs/folders.ts";
import { inBlocks } from "../../fs/in-blocks.ts";
import { isTempName, replaceFile } from "../../fs/replace-file.ts";
import type { MirrorExclusions } from "../mirror-exclusions.ts";
import type { OpencodePlace } from "./files.ts";
import { isLogThere, MANIFEST_NAME, type MirroredSession, pathOfLog } from "./manifest.ts";
import { DatabaseError } from "./sqlite/pages.ts";
import { openStorage } from "./storage.ts";
import { openDatabase, type SessionRows, type SessionStore } from "./stored-sessions.ts";

/** The result of writing logs. */
export interface LogsWritten {
  readonly sessions: Readonly<Record<string, MirroredSession>>;
  /** Sessions that are there but have no log; absent if not all were checked. */
  readonly withoutLog?: readonly string[];
  /** False if the place changed during reading: then some logs are older. */
  readonly isWhole: boolean;
  /** Problems with sessions that could not be read. */
  readonly damaged: readonly string[];
}

interface WriteOptions {
  readonly known: Readonly<Record<string, MirroredSession>>;
  /** Sessions that are in another place too. */
  readonly except: ReadonlySet<string>;
  readonly exclusions: MirrorExclusions;
}

/** Writes the logs of changed sessions, until all are written or the place changes during reading. */
export function writeLogs(
  disk: Disk,
  place: OpencodePlace,
  folder: string,
  { known, except, exclusions }: WriteOptions,
): LogsWritten {
  const damaged: string[] = [];
  const sessions: Record<string, MirroredSession> = {};
  const withoutLog: string[] = [];
  let stored: SessionStore;
  try {
    stored = place.kind === "database" ? openDatabase(disk, place.path) : openStorage(disk, place.path);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const what = `this database can't be read, so its sessions are not protected: ${error.message}`;
    return { sessions: known, isWhole: !error.isTransient, damaged: [what] };
  }
  const disturbed = (): LogsWritten => ({ sessions: { ...known, ...sessions }, isWhole: false, damaged });
  try {
    const named = stored.sessions.filter(({ id }) => isFileName(id) && !except.has(id));
    if (!stored.isStill()) return disturbed();
    for (const { id } of stored.sessions)
      if (!isFileName(id))
        damaged.push(
          `session ${JSON.stringify(id.slice(0, 60))} can't be read: its id can't be a file's name`,
        );
    const parents = new Map(named.map(({ id, parent }) => [id, parent]));
    const unwanted = new Set(
      named.flatMap(({ id, directory: project }) => {
        const path = `${pathOfLog(folder, id, sessionsAbove(id, parents))}.jsonl`;
        return exclusions.has({ id, path, project }) ? [id] : [];
      }),
    );
    for (const session of named) {
      const { id, fingerprint, changedAt } = session;
      const above = sessionsAbove(id, parents);
      if ([id, ...above].some((each) => unwanted.has(each))) {
        withoutLog.push(id);
        continue;
      }
      const path = pathOfLog(folder, id, above);
      const before = known[id];
      const isSame = before?.fingerprint === fingerprint && path === pathOfLog(folder, id, before.above);
      if (isSame && isLogThere(disk, folder, id, before)) {
        sessions[id] = before;
        continue;
      }
      try {
        const size = writeSession(disk, path, session, stored);
        if (size === undefined) return disturbed();
        sessions[id] = { fingerprint, above, size, changedAt };
      } catch (error) {
        if (!(error instanceof DatabaseError)) throw error;
        damaged.push(`session ${id} can't be read: ${error.message}`);
        if (before !== undefined) sessions[id] = before;
      }
    }
    removeGone(disk, folder, sessions);
    return { sessions, withoutLog, isWhole: true, damaged };
  } finally {
    stored.close();
  }
}

/** An id names files, and a database may have been tampered with. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,126}$/;

function isFileName(id: string): boolean {
  return NAME.test(id) && id !== MANIFEST_NAME;
}

function sessionsAbove(id: string, parents: ReadonlyMap<string, string | null>): readonly string[] {
  const above: string[] = [];
  for (let at = parents.get(id) ?? null; at !== null && parents.has(at); at = parents.get(at) ?? null) {
    if (at === id || above.includes(at)) return [];
    above.unshift(at);
  }
  return above;
}

/** Returns the size of the log; undefined if the place changed in the meantime, and then nothing is written. */
function writeSession(
  disk: Disk,
  path: string,
  session: SessionRows,
  stored: SessionStore,
): number | undefined {
  makeFolders(disk, dirname(path));
  let size = 0;
  function* whole(): Generator<Uint8Array, void, void> {
    for (const part of inBlocks(session.log())) {
      size += part.length;
      yield part;
    }
    if (!stored.isStill()) throw new Disturbed();
  }
  try {
    const times = { mtimeMs: session.changedAt };
    replaceFile(disk, `${path}.json`, session.state(), times);
    replaceFile(disk, `${path}.jsonl`, whole(), times);
    return size;
  } catch (error) {
    // A mixture of two states may also look like damage.
    if (error instanceof Disturbed || (error instanceof DatabaseError && !stored.isStill())) return undefined;
    throw error;
  }
}

class Disturbed extends Error {}

/** Removes all files without a session: of deleted sessions, and of sub-agents that moved to another place. */
function removeGone(disk: Disk, folder: string, sessions: LogsWritten["sessions"]): void {
  const paths = new Set([join(folder, MANIFEST_NAME)]);
  const folders = new Set<string>();
  for (const [id, { above }] of Object.entries(sessions)) {
    const path = pathOfLog(folder, id, above);
    paths.add(`${path}.jsonl`).add(`${path}.json`);
    if (above[0] !== undefined) folders.add(join(folder, above[0]));
  }
  for (const each of [folder, ...folders])
    for (const name of namesIn(disk, each)) {
      const path = join(each, name);
      if (!paths.has(path) && !folders.has(path) && !isTempName(name)) removeTree(disk, path);
    }
}
