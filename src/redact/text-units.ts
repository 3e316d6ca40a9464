import { Buffer } from "node:buffer";

/** Zeros that stand before the text and behind it: as far as any look around goes, and more. */
export const MARGIN = 64;
/** Larger memory is not kept for the next text. */
const KEPT_UNITS: number = 1 << 18;

interface Room {
  readonly units: Uint16Array;
  readonly bytes: Buffer;
}

let room: Room = makeRoom(1 << 15);

function makeRoom(size: number): Room {
  const units = new Uint16Array(size);
  return { units, bytes: Buffer.from(units.buffer) };
}

/**
 * The UTF-16 units of a text in plain memory, from `MARGIN` on, good until the next call. A string is asked for its
 * form at every `charCodeAt`, through a lookup that never settles where texts come in many forms.
 */
export function unitsOf(text: string): Uint16Array {
  const wanted = text.length + 2 * MARGIN;
  if (room.units.length < wanted || (room.units.length > KEPT_UNITS && wanted <= KEPT_UNITS))
    room = makeRoom(wanted <= KEPT_UNITS ? Math.min(KEPT_UNITS, wanted * 2) : wanted);
  const { units, bytes } = room;
  bytes.write(text, MARGIN * 2, text.length * 2, "utf16le");
  units.fill(0, MARGIN + text.length, wanted);
  return units;
}
