import type { PiLoaded } from "./pi-trail.ts";

export interface PiCut {
  /** Index of the first entry that is kept. */
  readonly keptFrom: number;
  /** Index of the request whose turn the cut goes through; null where it goes between turns. */
  readonly splitTurnFrom: number | null;
}

const CUT_ROLES: ReadonlySet<string> = new Set([
  ...["user", "assistant", "bashExecution", "custom", "branchSummary", "compactionSummary"],
]);
const TURN_ROLES: ReadonlySet<string> = new Set([...CUT_ROLES].filter((role) => role !== "assistant"));

/**
 * Where Pi cuts a context: from its end back until so many tokens are kept, at the nearest message behind that which
 * is no tool result, for a result must follow its call.
 */
export function findPiCut(context: readonly PiLoaded[], from: number, keepRecentTokens: number): PiCut {
  const cuts = context.flatMap((loaded, at) => (at >= from && hasRole(loaded, CUT_ROLES) ? [at] : []));
  const [first] = cuts;
  if (first === undefined) return { keptFrom: from, splitTurnFrom: null };
  const full = whereFull(context, from, keepRecentTokens);
  let keptFrom = full === -1 ? first : (cuts.find((at) => at >= full) ?? cuts.at(-1) ?? first);
  if (full !== -1 && isLeftAttempt(context, keptFrom)) keptFrom++;
  // What says nothing itself stays with what it stands before.
  while (keptFrom > from && isSilent(context[keptFrom - 1])) keptFrom--;
  if (hasRole(context[keptFrom], TURN_ROLES)) return { keptFrom, splitTurnFrom: null };
  const turn = context.findLastIndex(
    (loaded, at) => at >= from && at <= keptFrom && hasRole(loaded, TURN_ROLES),
  );
  return { keptFrom, splitTurnFrom: turn === -1 ? null : turn };
}

/** The entry with which so many tokens are reached, counted from the end. */
function whereFull(context: readonly PiLoaded[], from: number, tokens: number): number {
  let sum = 0;
  for (let at = context.length - 1; at >= from; at--) {
    const own = context[at]?.message?.tokens ?? 0;
    sum += own;
    if (own > 0 && sum >= tokens) return at;
  }
  return -1;
}

function hasRole(loaded: PiLoaded | undefined, roles: ReadonlySet<string>): boolean {
  return loaded?.message?.kind === "message" && roles.has(loaded.message.role);
}

function isSilent(loaded: PiLoaded | undefined): boolean {
  return loaded !== undefined && loaded.entry.says.kind !== "compaction" && loaded.message === undefined;
}

/**
 * Behind the cut stands nothing but an attempt of the model that Pi has taken out of the context again, and its
 * bookkeeping: then the last thing that is loaded may go into the summary too.
 */
function isLeftAttempt(context: readonly PiLoaded[], cut: number): boolean {
  const behind = context.slice(cut + 1);
  const isOmitted = ({ entry, message }: PiLoaded): boolean =>
    entry.says.kind === "message" && message === undefined;
  const omitted = new Set(behind.filter(isOmitted).map(({ entry }) => entry.id));
  const rewritesOthers = behind.some(
    ({ entry: { says } }) => says.kind === "edit" && says.replacement !== null && !omitted.has(says.target),
  );
  return (
    !rewritesOthers &&
    behind.some(
      (loaded) =>
        isOmitted(loaded) && loaded.entry.says.kind === "message" && loaded.entry.says.role === "assistant",
    ) &&
    behind.every(
      (loaded) =>
        loaded.entry.says.kind !== "compaction" &&
        (loaded.entry.says.kind !== "message" || isOmitted(loaded)),
    )
  );
}
