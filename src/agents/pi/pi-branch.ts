import { type PiEntry, piPath } from "./pi-trail.ts";

export type PiBranch =
  | { readonly kind: "branch"; readonly entries: readonly PiEntry[] }
  /** The entry is on the current path: nothing was left there. */
  | { readonly kind: "current" };

/** The branch that an entry stands on: from where it leaves the current path to its last entry. */
export function findPiBranch(entries: readonly PiEntry[], entry: PiEntry): PiBranch {
  const current = new Set(piPath(entries));
  if (current.has(entry)) return { kind: "current" };
  const below = new Set([entry.id]);
  let leaf = entry;
  for (const each of entries.slice(entries.indexOf(entry) + 1)) {
    if (each.parentId === null || !below.has(each.parentId)) continue;
    below.add(each.id);
    leaf = each;
  }
  const upTo = piPath([...entries.filter((each) => each !== leaf), leaf]);
  return { kind: "branch", entries: upTo.filter((each) => !current.has(each)) };
}
