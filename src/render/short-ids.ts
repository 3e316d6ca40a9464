import { isUuid } from "../jsonl/values.ts";

/** The number of characters by which a random id identifies a session. */
const RANDOM_START = 8;
/** A uuid that is not random starts with a time, which takes this many characters. */
const TIME_START = 13;
/** Where a uuid has its version, and the version of random ones. */
const VERSION_AT = 14;
const RANDOM = "4";

/** The start of an id that identifies a session among all others. Ids of unknown form stay whole. */
export function shortId(id: string): string {
  if (!isUuid(id)) return id;
  return id.slice(0, id[VERSION_AT] === RANDOM ? RANDOM_START : TIME_START);
}

/** The starts of these ids that identify a session among all others, longer if two of these ids start alike. */
export function shortIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const sorted = [...new Set(ids)].sort();
  const short = new Map<string, string>();
  sorted.forEach((id, index) => {
    const common = Math.max(
      commonStart(id, sorted[index - 1] ?? ""),
      commonStart(id, sorted[index + 1] ?? ""),
    );
    short.set(id, id.slice(0, Math.max(shortId(id).length, common + 1)));
  });
  return short;
}

function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
