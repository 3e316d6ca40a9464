import type { JsonObject } from "../../jsonl/json-line.ts";
import { stringAt } from "../../jsonl/values.ts";

interface PiPlace {
  readonly uid: string;
  readonly parent: string | null;
}

/**
 * Gives every entry its name and its parent. Version 1 has neither: its entries follow each other and are named by
 * their index in the file, which its compactions use too. Some relatives leave single entries without a name; nothing
 * can branch off those, so an entry that later names the same parent follows them.
 */
export interface PiChain {
  /** The header of the session: entries that name it as parent are roots. */
  header(id: string): void;
  /** Name and parent of the next entry. `index`: its place among the entries that Pi itself can read. */
  next(object: JsonObject, index: string): PiPlace;
  /** Name and parent of an entry that Pi itself can't read: no entry follows or names it. */
  aside(index: string): PiPlace;
  /** Names further entries of the same line: entries after the line follow the last of them. */
  further(uid: string, count: number): PiPlace;
  /** Some relatives name a tool call as parent when they mean the entry that holds it. */
  holds(uid: string, callIds: readonly string[]): void;
  save(): SavedChain;
}

/** The state that the chain needs to continue later. */
export interface SavedChain {
  readonly headerId?: string | undefined;
  readonly last: string | null;
  readonly lastNamed?: string | undefined;
  readonly ends: readonly (readonly [string, string])[];
  readonly calls: readonly (readonly [string, string])[];
}

export const emptyChain: SavedChain = { last: null, ends: [], calls: [] };

export function createPiChain(before: SavedChain): PiChain {
  /** `last`: the end of all entries so far; `lastNamed`: the last entry with an id. */
  let { headerId, last, lastNamed } = before;
  /** Where a named entry ends, if not at the entry itself. */
  const ends = new Map(before.ends);
  /** The calls of the last reply and the entry that holds them. */
  let calls = new Map(before.calls);

  const parentOf = (object: JsonObject): string | null => {
    const given = object.parentId;
    if (given === null || (given === headerId && given !== undefined)) return null;
    if (typeof given !== "string") return last;
    const owner = calls.get(given) ?? given;
    return ends.get(owner) ?? owner;
  };

  return {
    header(id) {
      headerId ??= id;
    },
    next(object, index) {
      const id = stringAt(object, "id");
      if (id === undefined || id === "") {
        const place = { uid: index, parent: last };
        last = index;
        if (lastNamed !== undefined) ends.set(lastNamed, index);
        return place;
      }
      const place = { uid: id, parent: parentOf(object) };
      ends.delete(id);
      last = id;
      lastNamed = id;
      return place;
    },
    aside: (index) => ({ uid: index, parent: last }),
    further(uid, count) {
      const place = { uid: `${uid}:${count}`, parent: last };
      last = place.uid;
      if (lastNamed !== undefined) ends.set(lastNamed, last);
      return place;
    },
    holds(uid, callIds) {
      calls = new Map(callIds.map((callId) => [callId, uid]));
    },
    save: () => ({ headerId, last, lastNamed, ends: [...ends], calls: [...calls] }),
  };
}
