import { Buffer } from "node:buffer";

/**
 * The UTF-16 units of a text, in plain memory. A string is asked for its form (one byte a unit or two, flat or in
 * pieces) at every `charCodeAt`: scanning this copy, and the copy itself, take an eighth of that.
 */
export interface TextUnits {
  readonly text: string;
  readonly length: number;
  /** Behind the text there are some zeros, and then anything. */
  readonly units: Uint16Array;
  /** Room for what the scan finds, and where it is: see `readNames`. */
  readonly names: Int32Array;
  readonly scan: Int32Array;
}

/** Integers: so much that all of it stays in the processor's nearest cache. */
export const NAMES_ROOM = 1_280;
const SCAN_ROOM = 4;

/** As far as any rule looks ahead, and more. */
const ZEROS = 32;
/** Larger memory is not kept for the next text. */
const KEPT_UNITS: number = 1 << 18;

interface Room {
  readonly units: Uint16Array;
  readonly bytes: Buffer;
  readonly names: Int32Array;
  readonly scan: Int32Array;
}

function makeRoom(size: number): Room {
  const units = new Uint16Array(size);
  return {
    units,
    bytes: Buffer.from(units.buffer),
    names: new Int32Array(NAMES_ROOM),
    scan: new Int32Array(SCAN_ROOM),
  };
}

/** Undefined while a text is being looked at. */
let spare: Room | undefined;

/** Lends the units of a text as long as `use` takes, which may ask for those of another. */
export function withUnits(text: string, use: (units: TextUnits) => void): void {
  const wanted = text.length + ZEROS;
  let room = spare;
  spare = undefined;
  if (room === undefined || room.units.length < wanted)
    room = makeRoom(wanted > KEPT_UNITS ? wanted : Math.min(KEPT_UNITS, Math.max(4_096, wanted * 2)));
  room.bytes.write(text, 0, text.length * 2, "utf16le");
  room.units.fill(0, text.length, wanted);
  try {
    const { units, names, scan } = room;
    use({ text, length: text.length, units, names, scan });
  } finally {
    if (room.units.length <= KEPT_UNITS) spare = room;
  }
}
