import type { Buffer } from "node:buffer";
import { join } from "node:path";
import type { Disk, Handle } from "../../fs/disk.ts";
import { once } from "../../fs/once.ts";
import type { FieldTable } from "../ranking/index-schema.ts";
import { type ColumnArray, type ColumnPlace, openColumn, type StoredColumn } from "./column.ts";
import { type Dictionary, openDictionary } from "./dictionary.ts";
import { createPagedFile, type PagedFile, readExactly } from "./paged-file.ts";
import { decodeDirectory, type SegmentDescriptor, type SegmentTotals } from "./segment-writer.ts";
import { openStoredBlocks, type StoredBlocks } from "./stored-blocks.ts";

/** A segment opened for reading. Only its directory is read at once; the rest when it is asked for. */
export interface Segment {
  readonly descriptor: SegmentDescriptor;
  readonly totals: SegmentTotals;
  readonly dictionary: Dictionary;
  postings(offset: number, length: number): Buffer;
  fieldLengths(field: number): StoredColumn;
  key(session: number): string;
  /** All keys in order: cheaper than one by one. */
  keys(): readonly string[];
  /** First turn of each session, and behind the last one the number of turns. */
  turnStarts(): ColumnArray;
  readonly turnNumbers: StoredColumn;
  readonly turnFlags: StoredColumn;
  readonly turnIdentities: StoredColumn;
  readonly turnSums: StoredColumn;
  cardSums(field: number): StoredColumn;
  /** NaN where there is none. */
  readonly turnTimes: StoredColumn;
  readonly cardTimes: StoredColumn;
  readonly rows: StoredBlocks;
  readonly digests: StoredBlocks;
  readonly cardTexts: StoredBlocks;
  readonly turnTexts: StoredBlocks;
  readonly turnTextsApart: StoredBlocks;
  close(): void;
}

/** Throws the system's own error where the file is gone: then the manifest is to be read again. */
export function openSegment(
  disk: Disk,
  folder: string,
  descriptor: SegmentDescriptor,
  fields: FieldTable,
): Segment {
  const handle = disk.open(join(folder, descriptor.file), "read");
  try {
    return readSegment(disk, handle, descriptor, fields);
  } catch (error) {
    disk.close(handle);
    throw error;
  }
}

function readSegment(disk: Disk, handle: Handle, descriptor: SegmentDescriptor, fields: FieldTable): Segment {
  const { file: name, bytes, directoryOffset } = descriptor;
  const { directory, sums } = decodeDirectory(
    readExactly(disk, handle, name, directoryOffset, bytes - directoryOffset),
    descriptor,
  );
  const file = createPagedFile(disk, handle, name, sums, directoryOffset);
  const { sessions, turns } = directory;
  const column = (place: ColumnPlace, count: number): StoredColumn => openColumn(file, place, count);
  const fieldColumns = directory.fieldLengths.map((place, field) =>
    column(place, fields[field]?.kind === "card" ? sessions : turns),
  );
  const zeros = column({ offset: 0, width: 0 }, Math.max(sessions, turns));
  const turnStarts = column(directory.turnStarts, sessions + 1);

  return {
    descriptor,
    totals: directory,
    dictionary: openDictionary(file, directory.dictionary),
    postings: (offset, length) => file.read(directory.postingsOffset + offset, length),
    fieldLengths: (field) => fieldColumns[field] ?? zeros,
    ...openKeys(file, directory.keysOffset, column(directory.keyEnds, sessions), sessions),
    turnStarts: () => turnStarts.all(),
    turnNumbers: column(directory.turnNumbers, turns),
    turnFlags: column(directory.turnFlags, turns),
    turnIdentities: column(directory.turnIdentities, turns),
    turnSums: column(directory.turnSums, turns),
    cardSums: (field) => column(directory.cardSums[field] ?? { offset: 0, width: 0 }, sessions),
    turnTimes: column(directory.turnTimes, turns),
    cardTimes: column(directory.cardTimes, sessions),
    rows: openStoredBlocks(file, directory.rows),
    digests: openStoredBlocks(file, directory.digests),
    cardTexts: openStoredBlocks(file, directory.cardTexts),
    turnTexts: openStoredBlocks(file, directory.turnTexts),
    turnTextsApart: openStoredBlocks(file, directory.turnTextsApart),
    close: () => disk.close(handle),
  };
}

function openKeys(
  file: PagedFile,
  offset: number,
  ends: StoredColumn,
  count: number,
): Pick<Segment, "key" | "keys"> {
  return {
    key(session) {
      const from = session === 0 ? 0 : ends.at(session - 1);
      return file.read(offset + from, ends.at(session) - from).toString("utf8");
    },
    keys: once(() => {
      const all = ends.all();
      const bytes = file.read(offset, all[count - 1] ?? 0);
      return Array.from(all, (end, i) => bytes.toString("utf8", i === 0 ? 0 : all[i - 1], end));
    }),
  };
}
