import { type ActivitySlots, countSlots, countTurns, slotColumn } from "../../extract/activity-slots.ts";
import type { Digest } from "../../extract/digest.ts";
import { type Activity, NO_SLOT, SLOT_MS } from "../../session/activity.ts";
import { lastPart, NO_PROJECT } from "../../session/checkout.ts";
import { sessionKey } from "../../session/session.ts";
import { projectFinder } from "../list-projects.ts";
import type { CatalogRow, SessionCatalog } from "../session-catalog.ts";
import type { PricedTokens } from "./prices.ts";

/** The activity and usage of sessions. */
export interface UsageCount extends PricedTokens {
  readonly sessions: number;
  readonly turns: number;
  /** Replies of the model, sub-agents included. */
  readonly messages: number;
  readonly toolCalls: number;
  /** Tool calls with an error as their result. */
  readonly failures: number;
  /** In US dollars, for models with a price; null if none has one. */
  readonly cost: number | null;
}

export interface SessionStats {
  readonly total: UsageCount;
  /** Days in local time, the first one first; days without activity are left out. */
  readonly days: readonly (UsageCount & { readonly day: string })[];
  /** Those with the most tokens first, here and below. */
  readonly projects: readonly (UsageCount & { readonly project: string | null; readonly name: string })[];
  readonly agents: readonly (UsageCount & { readonly agent: string })[];
  /** Turns have no model: they are not counted here. null: the log does not name it. */
  readonly models: readonly (UsageCount & { readonly model: string | null })[];
  /** Models without a price, whose tokens are in no cost. */
  readonly unpriced: readonly string[];
}

export interface StatsOptions {
  /** Milliseconds since 1970, both inclusive; anything without a time is left out then. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly offsetMinutesAt: (ms: number) => number;
  readonly costOf: (model: string, tokens: PricedTokens) => number | undefined;
}

/**
 * Counts the activity and usage of the sessions in `rows`. A message that several sessions have counts for the
 * oldest.
 */
export async function countStats(
  catalog: SessionCatalog,
  rows: readonly CatalogRow[],
  options: StatsOptions,
): Promise<SessionStats> {
  const shared = await withoutShared(catalog);
  const projectOf = projectFinder(catalog.rows);
  const dayOf = dayFinder(options.offsetMinutesAt);
  const total = createCount();
  const days = createGroups<string>();
  const projects = createGroups<string | null>();
  const agents = createGroups<string>();
  const models = createGroups<string | null>();
  const unpriced = new Set<string>();
  for (const row of rows) {
    const { models: names, slots, turns } = shared.get(row) ?? row.digest.activity;
    const whole = [total, projects.of(projectOf(row)), agents.of(row.digest.agent)];
    // A fork without anything new still counts as a session; one without any activity does if no time is asked for.
    const isCounted = isUnlimited(options) || isActive(row.digest.activity, options);
    const counts = new Set<Count>(isCounted ? whole : []);
    const into = (slot: number): readonly Count[] =>
      slot === NO_SLOT ? whole : [...whole, days.of(dayOf(slot))];
    for (const [slot, number] of turns) {
      if (!isWithin(slot, options)) continue;
      for (const count of into(slot)) {
        count.turns += number;
        counts.add(count);
      }
    }
    for (const numbers of slots) {
      const slot = numbers[slotColumn.slot] ?? NO_SLOT;
      if (!isWithin(slot, options)) continue;
      const model = names[numbers[slotColumn.model] ?? -1] ?? null;
      const amounts = amountsOf(numbers);
      const cost = model === null ? undefined : options.costOf(model, amounts);
      if (model !== null && cost === undefined && tokensOf(amounts) > 0) unpriced.add(model);
      for (const count of [...into(slot), models.of(model)]) {
        addAmounts(count, amounts, cost);
        counts.add(count);
      }
    }
    // The remains of a deleted session used tokens too, but are not a session.
    if (row.state !== "stub") for (const count of counts) count.sessions++;
  }
  return {
    total: { ...total },
    days: days.list((day, count) => ({ day, ...count })).sort((a, b) => (a.day < b.day ? -1 : 1)),
    projects: projects
      .list((project, count) => ({
        project,
        name: project === null ? NO_PROJECT : lastPart(project),
        ...count,
      }))
      .sort(mostTokensFirst),
    agents: agents.list((agent, count) => ({ agent, ...count })).sort(mostTokensFirst),
    models: models.list((model, count) => ({ model, ...count })).sort(mostTokensFirst),
    unpriced: [...unpriced].sort(),
  };
}

/** Counts the activity and usage of one session, whether or not it shares messages with others. */
export function countUsage(
  activity: Activity,
  costOf: StatsOptions["costOf"],
): Omit<UsageCount, "sessions" | "turns"> {
  const { sessions: _sessions, turns: _turns, ...count } = createCount();
  const { models, slots } = countSlots(activity);
  for (const numbers of slots) {
    const model = models[numbers[slotColumn.model] ?? -1];
    const amounts = amountsOf(numbers);
    addAmounts(count, amounts, model === undefined ? undefined : costOf(model, amounts));
  }
  return count;
}

/**
 * Finds sessions that may share messages (forks, and sessions that were resumed under another id), and counts of each
 * only the messages that no older one has. Their digests have every message; those of all others need not be read.
 */
async function withoutShared(catalog: SessionCatalog): Promise<ReadonlyMap<CatalogRow, ActivitySlots>> {
  const own = new Map<CatalogRow, ActivitySlots>();
  for (const family of families(catalog.rows)) {
    const messages = new Set<number>();
    const turns = new Set<string>();
    for (const row of family.toSorted(oldestFirst)) {
      const digest = await catalog.digestOf(row);
      if (digest === undefined) continue;
      const isNew = (key: number): boolean => {
        const isKnown = messages.has(key);
        messages.add(key);
        return !isKnown;
      };
      own.set(row, {
        ...countSlots(digest.activity, isNew),
        turns: countTurns(newTurns(digest, turns, family)),
      });
    }
  }
  return own;
}

/** Times of the turns that no older session of the family has. */
function newTurns(
  { requests, startedAt }: Digest,
  known: Set<string>,
  family: readonly CatalogRow[],
): readonly (number | null)[] {
  const ids = new Set(family.map(({ digest }) => digest.id));
  return requests
    .filter(({ uid, at, copiedFrom }) => {
      if (copiedFrom !== undefined && ids.has(copiedFrom)) return false;
      if (uid === null) return true;
      const name = `${uid} ${at}`;
      const isKnown = known.has(name);
      known.add(name);
      return !isKnown;
    })
    .map(({ at }) => at ?? startedAt);
}

/** Groups sessions by their first turn, their first message and the session that they are a fork of. */
function families(rows: readonly CatalogRow[]): readonly (readonly CatalogRow[])[] {
  const familyOf = new Map<string, CatalogRow[]>();
  for (const row of rows) {
    const names = namesOf(row);
    const joined = [...new Set(names.flatMap((name) => familyOf.get(name) ?? [])), row];
    const all = new Set<string>(names);
    for (const member of joined) for (const name of namesOf(member)) all.add(name);
    for (const name of all) familyOf.set(name, joined);
  }
  return [...new Set(familyOf.values())].filter((family) => family.length > 1);
}

function namesOf({ digest }: CatalogRow): readonly string[] {
  const { agent, firstTurn, firstMessage, forkOf } = digest;
  return [
    sessionKey(digest),
    ...(firstTurn === null ? [] : [`${agent} turn ${firstTurn}`]),
    ...(firstMessage === undefined ? [] : [`message ${firstMessage}`]),
    ...(forkOf === undefined ? [] : [sessionKey({ agent, id: forkOf })]),
  ];
}

function oldestFirst(a: CatalogRow, b: CatalogRow): number {
  return (
    (a.digest.endedAt ?? 0) - (b.digest.endedAt ?? 0) ||
    (sessionKey(a.digest) < sessionKey(b.digest) ? -1 : 1)
  );
}

function isUnlimited({ since, until }: Pick<StatsOptions, "since" | "until">): boolean {
  return since === undefined && until === undefined;
}

function isActive({ slots, turns }: ActivitySlots, options: StatsOptions): boolean {
  return [...turns, ...slots].some(([slot = NO_SLOT]) => isWithin(slot, options));
}

function isWithin(slot: number, { since, until }: StatsOptions): boolean {
  if (slot === NO_SLOT) return isUnlimited({ since, until });
  const from = slot * SLOT_MS;
  return (since === undefined || from + SLOT_MS > since) && (until === undefined || from <= until);
}

/** Names the local day of a slot. */
function dayFinder(offsetMinutesAt: (ms: number) => number): (slot: number) => string {
  const known = new Map<number, string>();
  return (slot) => {
    let day = known.get(slot);
    if (day === undefined) {
      const ms = slot * SLOT_MS;
      day = new Date(ms + offsetMinutesAt(ms) * 60_000).toISOString().slice(0, 10);
      known.set(slot, day);
    }
    return day;
  };
}

type Count = { -readonly [K in keyof UsageCount]: UsageCount[K] };
type Amounts = Omit<UsageCount, "sessions" | "turns" | "cost">;

function createCount(): Count {
  return { sessions: 0, turns: 0, ...amountsOf([]), cost: null };
}

function amountsOf(numbers: readonly number[]): Amounts {
  const at = (which: keyof typeof slotColumn): number => numbers[slotColumn[which]] ?? 0;
  return {
    messages: at("messages"),
    toolCalls: at("toolCalls"),
    failures: at("failures"),
    inputTokens: at("inputTokens"),
    outputTokens: at("outputTokens"),
    cacheReadTokens: at("cacheReadTokens"),
    cacheWriteTokens: at("cacheWriteTokens"),
    hourCacheWriteTokens: at("hourCacheWriteTokens"),
  };
}

function addAmounts(
  count: Omit<Count, "sessions" | "turns">,
  amounts: Amounts,
  cost: number | undefined,
): void {
  count.messages += amounts.messages;
  count.toolCalls += amounts.toolCalls;
  count.failures += amounts.failures;
  count.inputTokens += amounts.inputTokens;
  count.outputTokens += amounts.outputTokens;
  count.cacheReadTokens += amounts.cacheReadTokens;
  count.cacheWriteTokens += amounts.cacheWriteTokens;
  count.hourCacheWriteTokens += amounts.hourCacheWriteTokens;
  if (cost !== undefined) count.cost = (count.cost ?? 0) + cost;
}

/** All tokens, whatever they cost. */
export function tokensOf(count: Omit<PricedTokens, "hourCacheWriteTokens">): number {
  return count.inputTokens + count.outputTokens + count.cacheReadTokens + count.cacheWriteTokens;
}

interface Groups<Key> {
  of(key: Key): Count;
  list<T>(make: (key: Key, count: UsageCount) => T): T[];
}

function createGroups<Key>(): Groups<Key> {
  const groups = new Map<Key, Count>();
  return {
    of(key) {
      let count = groups.get(key);
      if (count === undefined) {
        count = createCount();
        groups.set(key, count);
      }
      return count;
    },
    list: (make) => [...groups].map(([key, count]) => make(key, count)),
  };
}

function mostTokensFirst(a: UsageCount, b: UsageCount): number {
  return tokensOf(b) - tokensOf(a) || b.turns - a.turns;
}
