import { join } from "node:path";
import { UserError } from "../../errors.ts";
import { errorCode } from "../../fs/disk-error.ts";
import type { Library } from "../../fs/library.ts";
import type { Entry } from "../../session/entry.ts";
import type { SessionName } from "../../session/session.ts";
import type { TextLimits } from "../../session/text-budget.ts";
import type { SessionFile } from "../agent.ts";
import {
  type Checkpoint,
  checkpointKey,
  checkpointSize,
  createBlockSummer,
  headBytes,
  isPrefixUnchanged,
  noSums,
  readCheckpoint,
  type SealedFrame,
  writeCheckpoint,
} from "./checkpoint-file.ts";
import { checkpointFolder, checkpointName, evictCheckpoints } from "./checkpoint-folder.ts";

/** Shorter logs are parsed in a few milliseconds. */
const LEAST_BYTES: number = 1024 * 1024;
/** How far a log may grow past its checkpoint before a new one is written. */
const MOST_BEHIND: number = 1024 * 1024;
/** The largest share of its log that a checkpoint may take. A checkpoint that would be larger is not made. */
const LIKELY_SHARE = 0.05;
/** Number of entries that are sealed together. */
const FRAME_ENTRIES = 2_000;
/** Changes whenever the shape of entries or of saved parser states changes. */
const CHECKPOINT_VERSION = 8;

/** The part of a log that was read before: all lines up to some line. */
export interface ParsedPrefix {
  readonly offset: number;
  readonly lines: number;
  /** Number of characters that its texts took. */
  readonly used: number;
  /** For the parser. */
  readonly state: string;
  entries(): Iterable<Entry>;
  /** The rest of the log. */
  chunks(): Iterable<Uint8Array>;
}

/** Records what is read, for the next run. */
export interface CheckpointRecorder {
  /** Passes the bytes on. */
  watch(chunks: Iterable<Uint8Array>): Iterable<Uint8Array>;
  entry(entry: Entry): void;
  /** Called after the last whole line; later bytes are not recorded. If nothing is saved, no checkpoint is kept. */
  end(save: () => string | undefined, used: number, lines: number): void;
  /** Must be called when everything was read. */
  keep(): void;
}

/** Which log is read, and by whom. */
export interface LogName {
  readonly session: SessionName;
  readonly file: SessionFile;
  readonly isSubagent: boolean;
}

/**
 * Remembers how far logs were read, so that only the new lines of a grown log are read. In any doubt the log is read
 * from its start.
 */
export interface ParseCheckpoints {
  find(log: LogName): ParsedPrefix | undefined;
  /** undefined if it is not worth the effort. */
  record(log: LogName, before: ParsedPrefix | undefined): CheckpointRecorder | undefined;
}

export interface CheckpointOptions {
  /** Logs that have not changed for this long are not likely to grow. */
  readonly sinceMs: number;
  /** The total size of all checkpoints, in bytes. */
  readonly room: number;
  readonly leastBytes?: number;
  readonly mostBehind?: number;
}

export function createParseCheckpoints(
  { disk, places }: Pick<Library, "disk" | "places">,
  limits: TextLimits,
  documentsVersion: string,
  { sinceMs, room, leastBytes = LEAST_BYTES, mostBehind = MOST_BEHIND }: CheckpointOptions,
): ParseCheckpoints {
  const pathOf = ({ session, file }: LogName): string =>
    join(checkpointFolder(places.index), checkpointName(session, file.path));
  const kindOf = ({ session, file, isSubagent }: LogName): string =>
    [
      CHECKPOINT_VERSION,
      documentsVersion,
      JSON.stringify(limits),
      checkpointName(session, file.path),
      isSubagent,
    ].join(" ");
  const opened = new WeakMap<ParsedPrefix, Checkpoint>();

  const open = (log: LogName): ParsedPrefix | undefined => {
    const { file } = log;
    const kind = kindOf(log);
    const checkpoint = readCheckpoint(disk, pathOf(log));
    if (checkpoint === undefined || checkpoint.head.kind !== kind || checkpoint.head.sums.end > file.size)
      return undefined;
    const { head } = checkpoint;
    if (!isPrefixUnchanged(disk, file.path, head.sums)) return undefined;
    const key = checkpointKey(disk, file.path);
    const [first, ...frames] = checkpoint.frames;
    const state = first === undefined ? undefined : key.open(first, headBytes(head).toString("utf8"));
    const texts = frames.map((frame, index) => key.open(frame, `${kind} ${index}`));
    if (state === undefined || !texts.every((text) => text !== undefined)) return undefined;
    const saved: SavedReading = JSON.parse(state());
    if (saved.frames !== frames.length) return undefined;
    const before: ParsedPrefix = {
      offset: head.sums.end,
      lines: head.lines,
      used: saved.used,
      state: saved.state,
      *entries() {
        for (const text of texts) {
          const entries: readonly Entry[] = JSON.parse(text());
          yield* entries;
        }
      },
      chunks: () => disk.readChunks(file.path, { from: head.sums.end }),
    };
    opened.set(before, checkpoint);
    return before;
  };

  return {
    find: (log) => (log.file.size < leastBytes ? undefined : unlessDiskFails(() => open(log))),
    record(log, before) {
      const { file } = log;
      if (file.size < leastBytes || file.mtimeMs < sinceMs || file.size * LIKELY_SHARE > room)
        return undefined;
      if (before !== undefined && file.size - before.offset < mostBehind) return undefined;
      const checkpoint = before === undefined ? undefined : opened.get(before);
      const kind = kindOf(log);
      const key = checkpointKey(disk, file.path);
      const summer = createBlockSummer(checkpoint?.head.sums ?? noSums);
      const frames: SealedFrame[] = checkpoint?.frames.slice(1) ?? [];
      let sums = summer.sums();
      let batch: Entry[] = [];
      let reading: ReadUpTo | undefined;
      const seal = (): void => {
        if (batch.length > 0) frames.push(key.seal(JSON.stringify(batch), `${kind} ${frames.length}`));
        batch = [];
      };
      return {
        *watch(chunks) {
          for (const chunk of chunks) {
            const end = chunk.lastIndexOf(LF) + 1;
            summer.take(chunk.subarray(0, end));
            if (end > 0) sums = summer.sums();
            summer.take(chunk.subarray(end));
            yield chunk;
          }
        },
        entry(entry) {
          if (reading !== undefined) return;
          batch.push(entry);
          if (batch.length >= FRAME_ENTRIES) seal();
        },
        end(save, used, lines) {
          reading ??= { state: save(), used, lines };
        },
        keep() {
          if (reading?.state === undefined) return;
          const { lines, state, used } = reading;
          seal();
          const head = { kind, sums, lines };
          const saved: SavedReading = { state, used, frames: frames.length };
          const first = key.seal(JSON.stringify(saved), headBytes(head).toString("utf8"));
          const next: Checkpoint = { head, frames: [first, ...frames] };
          const path = pathOf(log);
          unlessDiskFails(() => {
            if (evictCheckpoints(disk, places.index, checkpointSize(next), room, path))
              writeCheckpoint(disk, path, next);
          });
        },
      };
    },
  };
}

/** The point at which a reading ended; without a state, a later one can't continue there. */
interface ReadUpTo {
  readonly state: string | undefined;
  readonly used: number;
  readonly lines: number;
}

interface SavedReading {
  readonly state: string;
  readonly used: number;
  readonly frames: number;
}

const LF = 0x0a;

/** Checkpoints only save time: if the disk fails to read or write one, the whole log is read. */
function unlessDiskFails<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof UserError || errorCode(error) !== undefined) return undefined;
    throw error;
  }
}
