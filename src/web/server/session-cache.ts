import { archiveState } from "../../archive/archived-sessions.ts";
import { openArchive } from "../../archive/open-archive.ts";
import type { OpenHistory, OpenSession } from "../../index.ts";

/** A session that was read, and the state of its files then. */
export interface CachedSession {
  readonly open: OpenSession;
  /** Changes when its log does. */
  readonly mark: string;
  /** Whether the archive has all of its bytes by now. */
  isArchived(): boolean;
}

/** The sessions that were shown last, so that a long log is read once and not for each run of its turns. */
export interface SessionCache {
  read(key: string): Promise<CachedSession>;
}

const MAX_SESSIONS = 6;
/** The texts of a session take about as much memory as its log has bytes. */
const MAX_BYTES = 96 * 1024 * 1024;

interface Entry extends CachedSession {
  readonly paths: readonly string[];
}

export function createSessionCache(history: OpenHistory): SessionCache {
  const { disk } = history.library;
  // In the order of their last use.
  const entries = new Map<string, Entry>();

  const markOf = (paths: readonly string[]): string =>
    paths
      .map((path) => {
        const stat = disk.stat(path);
        return stat === undefined ? "-" : `${stat.size}.${Math.floor(stat.mtimeMs)}.${stat.inode}`;
      })
      .join(" ");

  const load = async (key: string): Promise<Entry> => {
    const [pointer] = await history.select(key);
    const paths = pointer === undefined ? [] : pointer.files.files.map(({ path }) => path);
    // Taken before the log is read, so that lines appended in the meantime change the next mark.
    const mark = markOf(paths);
    const open = await history.session(key, { clean: true });
    const isArchived = (): boolean => {
      if (pointer === undefined || pointer.stub !== undefined || history.demo) return false;
      if (pointer.kept !== undefined) return true;
      return archiveState(openArchive(history.library).list().sessions).holds(pointer.files);
    };
    return { open, mark, paths, isArchived };
  };

  const forgetOldest = (): void => {
    let bytes = 0;
    for (const [at, [key, { open }]] of [...entries].reverse().entries()) {
      bytes += open.bytes;
      if (at > 0 && (at >= MAX_SESSIONS || bytes > MAX_BYTES)) entries.delete(key);
    }
  };

  return {
    async read(key) {
      const known = entries.get(key);
      const isCurrent = known !== undefined && markOf(known.paths) === known.mark;
      const entry = isCurrent ? known : await load(key);
      entries.delete(key);
      entries.set(key, entry);
      forgetOldest();
      return entry;
    },
  };
}
