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

/** Shorter logs are read in some milliseconds. */
const LEAST_BYTES: number = 1024 * 1024;
/** A log may grow this much past its checkpoint before a new one is written. */
const MOST_BEHIND: number = 1024 * 1024;
/** No checkpoint is a larger share of its log, or hardly one: what would not fit is not made. */
const LIKELY_SHARE = 0.05;
/** Entries that are sealed together. */
const FRAME_ENTRIES = 2_000;
/** Changes with the shape of entries, or of what a parser saves. */
const CHECKPOINT_VERSION = 7;

/** What was read of a log before: all lines up to one of them. */
export interface ParsedPrefix {
  readonly offset: number;
  readonly lines: number;
  /** Characters that its texts took. */
  readonly used: number;
  /** For the parser. */
  readonly state: string;
  entries(): Iterable<Entry>;
  /** What comes after it. */
  chunks(): Iterable<Uint8Array>;
}

/** Records what is read, for the next run. */
export interface CheckpointRecorder {
  /** Hands the bytes on. */
  watch(chunks: Iterable<Uint8Array>): Iterable<Uint8Array>;
  entry(entry: Entry): void;
  /** After the last whole line: what comes later is not taken down. If nothing is saved, nothing is kept. */
  end(save: () => string | undefined, used: number, lines: number): void;
  /** To be called when everything was read. */
  keep(): void;
}

/** Which log is read, and by whom. */
export interface LogName {
  readonly session: SessionName;
  readonly file: SessionFile;
  readonly isSubagent: boolean;
}

/** Remembers how far logs were read, so that one that has grown is read from there on. Any doubt means from the start. */
export interface ParseCheckpoints {
  find(log: LogName): ParsedPrefix | undefined;
  /** undefined if it is not worth the effort. */
  record(log: LogName, before: ParsedPrefix | undefined): CheckpointRecorder | undefined;
}

export interface CheckpointOptions {
  /** Logs that were not changed since are not likely to grow. */
  readonly sinceMs: number;
  /** Bytes that all checkpoints may take. */
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

/** Where a reading ended; without a state, a later one can't continue there. */
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

/** Checkpoints only save time: if the disk does not return or take one, the log is read whole. */
function unlessDiskFails<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof UserError || errorCode(error) !== undefined) return undefined;
    throw error;
  }
}
