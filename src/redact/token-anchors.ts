import { mayBeSpoken } from "./find-spoken-secret.ts";
import { platformTokens } from "./platform-tokens.ts";
import { serviceTokens } from "./service-tokens.ts";
import type { TokenKind } from "./token-kind.ts";

export const tokenKinds: readonly TokenKind[] = [...platformTokens, ...serviceTokens];

/** The ends of anchors that are no part of the run behind them. */
const STANDS_BEFORE_RUN = /[.:/~]$/;

/** How keys of a kind begin. */
export interface Anchored {
  readonly anchor: string;
  readonly kind: TokenKind;
}

/** Anchors that begin a run or a part of it, by three characters packed into 15 bits; 0 is the empty list. */
const lists: Anchored[][] = [[]];
const LIST_OF: Uint16Array = new Uint16Array(1 << 15);
/** 1 for the three characters of those that may begin a part of a run. */
const BEGINS_PART: Uint8Array = new Uint8Array(1 << 15);
/** Anchors that stand right before a run, and the pairs of characters that they end in; an anchor of one with every other. */
export const before: readonly Anchored[] = tokenKinds.flatMap((kind) =>
  kind.anchors.filter((anchor) => STANDS_BEFORE_RUN.test(anchor)).map((anchor) => ({ anchor, kind })),
);
const ENDS_ANCHOR: Uint8Array = new Uint8Array(1 << 14);
for (const { anchor } of before) {
  const last = anchor.charCodeAt(anchor.length - 1);
  for (let code = 0; code < 128; code++)
    if (anchor.length === 1 || anchor.charCodeAt(anchor.length - 2) === code)
      ENDS_ANCHOR[(code << 7) | last] = 1;
}
for (const kind of tokenKinds) {
  for (const anchor of kind.anchors) {
    if (STANDS_BEFORE_RUN.test(anchor)) continue;
    // An anchor of two characters is entered with every third.
    if (anchor.length === 2)
      for (let third = 0; third < 32; third++) enter(anchor + String.fromCharCode(third), { anchor, kind });
    else enter(anchor, { anchor, kind });
  }
}
// The longest first: `sk-ant-` must not be taken for `sk-`.
for (const list of lists) list.sort((a, b) => b.anchor.length - a.anchor.length);

function enter(letters: string, entry: Anchored): void {
  const index = packCharacters(letters, 0);
  if (LIST_OF[index] === 0) LIST_OF[index] = lists.push([]) - 1;
  lists[LIST_OF[index] ?? 0]?.push(entry);
  if (entry.kind.strict !== true) BEGINS_PART[index] = 1;
}

function packCharacters(text: string, at: number): number {
  return (
    ((text.charCodeAt(at) & 31) << 10) |
    ((text.charCodeAt(at + 1) & 31) << 5) |
    (text.charCodeAt(at + 2) & 31)
  );
}

/** The anchors that may stand at `at`. */
export function anchorsAt(text: string, at: number): readonly Anchored[] {
  return lists[LIST_OF[packCharacters(text, at)] ?? 0] ?? [];
}

/** Whether a key may stand in the run from `start` to `end`, or right before it: what this lets go has none. */
export function mayHoldToken(units: Uint16Array, start: number, end: number): boolean {
  const previous = units[start - 1] ?? 0;
  if (previous < 128 && ENDS_ANCHOR[(((units[start - 2] ?? 0) & 127) << 7) | previous] === 1) return true;
  // The rest of an escape may stand before the key: after \ % [ and ;
  const last = previous === 92 || previous === 37 || previous === 91 || previous === 59 ? start + 5 : start;
  for (let at = start; at <= last; at++) if (LIST_OF[packUnits(units, at)] !== 0) return true;
  for (let at = start; at < end; at++) {
    const code = units[at];
    if ((code === 45 || code === 95) && BEGINS_PART[packUnits(units, at + 1)] === 1) return true;
  }
  // `secret_access_key`
  return (units[end - 1] === 121 && units[end - 2] === 101) || mayBeSpoken(units, start, end);
}

function packUnits(units: Uint16Array, at: number): number {
  return (((units[at] ?? 0) & 31) << 10) | (((units[at + 1] ?? 0) & 31) << 5) | ((units[at + 2] ?? 0) & 31);
}
