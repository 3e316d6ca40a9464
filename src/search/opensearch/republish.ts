import type { EngineFailure, IndexedSession } from "../engine.ts";
import type { IndexField, IndexSchema } from "../ranking/index-schema.ts";
import { documentsOf, receiveSession, receiveTexts } from "./candidate-view.ts";
import { type Cluster, listIn, numberIn, refusal, textIn, valueIn, WHOLE } from "./cluster.ts";
import { createIndex, findIndex } from "./index-layout.ts";
import type { OpenSearchOptions } from "./opensearch-engine.ts";
import { allOf, type ClusterQuery, ofKind, ownedBy } from "./queries.ts";
import { encodeSession, type Ownership } from "./session-documents.ts";
import { createBulk, openWriter, WriteFailed, writeTotals } from "./writer.ts";

type Failure = Exclude<EngineFailure, { readonly kind: "damaged" }>;

/** The number of sessions per request. */
const PAGE = 20;

interface StoredInCluster {
  readonly session: IndexedSession;
  readonly owned: Ownership;
  readonly id: string;
  readonly generation: string;
}

/**
 * Reads complete sessions of an index back, with all of their texts. Those that can't be read are counted, not
 * returned.
 */
async function* storedSessions(
  cluster: Cluster,
  index: string,
  schema: IndexSchema,
  query: ClusterQuery,
): AsyncGenerator<StoredInCluster | "unreadable"> {
  for (let after: string | undefined; ; ) {
    const body = {
      size: PAGE,
      query: allOf([ofKind("session"), query]),
      sort: [{ session: "asc" }],
      ...(after === undefined ? {} : { search_after: [after] }),
    };
    const hits = listIn(await searchWhole(cluster, index, body), "hits", "hits");
    for (const hit of hits) {
      const received = receiveSession(hit);
      const texts = receiveTexts(hit);
      if (received === undefined || texts === undefined) {
        yield "unreadable";
        continue;
      }
      const { key, row, source, visibility, id } = received;
      const documents = documentsOf(received, texts, schema);
      yield {
        session: { key, row, digest: texts.digest, documents },
        owned: { ...source, visibility },
        id,
        generation: textIn(hit, "_source", "generation"),
      };
    }
    after = textIn(hits.at(-1), "sort", 0);
    if (hits.length < PAGE) return;
  }
}

/**
 * Updates the visibility of the user's own sessions, including unchanged ones and those that only the cluster has.
 * Returns how many changed.
 */
export async function changeVisibility(
  options: OpenSearchOptions,
  { dryRun = false }: { readonly dryRun?: boolean } = {},
): Promise<{ readonly kind: "changed"; readonly sessions: number } | Failure> {
  const { cluster, alias, schema, source } = options;
  const found = await findIndex(cluster, alias, schema);
  if (found.kind === "unreachable" || found.kind === "denied") return found;
  if (found.kind !== "index") return { kind: "changed", sessions: 0 };
  const { index } = found;
  let wrong: readonly string[];
  try {
    wrong = await sessionsToChange(options, index);
  } catch (error) {
    if (error instanceof WriteFailed) return error.failure;
    throw error;
  }
  if (wrong.length === 0 || dryRun) return { kind: "changed", sessions: wrong.length };
  const opened = await openWriter({ ...options, index });
  if (opened.kind === "locked") return { kind: "unreachable", what: `${opened.by} is running` };
  if (opened.kind !== "open") return opened;
  const { writer } = opened;
  try {
    for (let from = 0; from < wrong.length; from += PAGE) {
      const ids = { terms: { session: wrong.slice(from, from + PAGE) } };
      for await (const stored of storedSessions(cluster, index, schema, allOf([ownedBy(source), ids])))
        if (stored !== "unreadable") await writer.put(stored.session);
    }
    const committed = await writer.commit({ tidy: "little" });
    if (committed.kind === "unreachable" || committed.kind === "denied") return committed;
  } catch (error) {
    if (error instanceof WriteFailed) return error.failure;
    throw error;
  } finally {
    await writer.close();
  }
  return { kind: "changed", sessions: wrong.length };
}

/** The ids of the user's sessions with the wrong visibility. */
async function sessionsToChange(
  { cluster, source, visibilityOf }: OpenSearchOptions,
  index: string,
): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (let after: string | undefined; ; ) {
    const body = {
      size: 1_000,
      _source: ["row", "visibility"],
      query: allOf([ofKind("session"), ownedBy(source)]),
      sort: [{ session: "asc" }],
      ...(after === undefined ? {} : { search_after: [after] }),
    };
    const hits = listIn(await searchWhole(cluster, index, body), "hits", "hits");
    for (const hit of hits) {
      const wanted = visibilityOf({ row: textIn(hit, "_source", "row") });
      if (textIn(hit, "_source", "visibility") !== wanted) wrong.push(textIn(hit, "_id"));
    }
    after = textIn(hits.at(-1), "sort", 0);
    if (hits.length < 1_000) return wrong;
  }
}

export type Reindexed =
  | {
      readonly kind: "reindexed";
      readonly from: string;
      readonly to: string;
      readonly sessions: number;
      readonly unreadable: number;
    }
  | { readonly kind: "current" }
  | Failure;

/**
 * Builds the index of this program's version from everybody's sessions in an older one, and moves the alias to it.
 * Searches and pushes of the older program continue in the meantime; their changes are copied in further rounds, the
 * last of them with the old index closed to writers. The old index is kept: an operator deletes it.
 */
export async function reindex(
  options: Pick<OpenSearchOptions, "cluster" | "alias" | "schema" | "settings">,
  onRound?: (copied: number) => Promise<void>,
): Promise<Reindexed> {
  try {
    return await copyToNewVersion(options, onRound);
  } catch (error) {
    if (error instanceof WriteFailed) return error.failure;
    throw error;
  }
}

async function copyToNewVersion(
  { cluster, alias, schema, settings }: Pick<OpenSearchOptions, "cluster" | "alias" | "schema" | "settings">,
  onRound?: (copied: number) => Promise<void>,
): Promise<Reindexed> {
  const found = await findIndex(cluster, alias, schema);
  if (found.kind === "index" || found.kind === "absent") return { kind: "current" };
  if (found.kind !== "version") return found;
  if (found.isNewer) return { kind: "denied", what: found.what };
  const { index: from } = found;
  await refuseIfHidden(cluster, from);
  const older = { ...schema, fields: fieldsFrom(found.fields) };
  const created = await createIndex(cluster, alias, schema, {
    withAlias: false,
    ...(settings === undefined ? {} : { settings }),
  });
  if (created.kind !== "created") return created;
  const to = created.index;
  /** By id, the generation that was copied. */
  const copied = new Map<string, string>();
  /** Sessions that changed after they were copied. */
  const again = new Set<string>();
  let unreadable = 0;
  const copyChanged = async (): Promise<number> => {
    await send(cluster, "POST", `/${from}/_refresh`);
    const bulk = createBulk(cluster, to);
    const seen = new Set<string>();
    let changed = 0;
    unreadable = 0;
    for await (const stored of storedSessions(cluster, from, older, { match_all: {} })) {
      if (stored === "unreadable") {
        unreadable++;
        continue;
      }
      const { session, owned, id, generation } = stored;
      seen.add(id);
      if (copied.get(id) === generation) continue;
      if (copied.has(id)) again.add(id);
      const encoded = encodeSession(session, owned, generation, schema);
      await bulk.index([...encoded.turns, encoded.session]);
      copied.set(id, generation);
      changed++;
    }
    for (const id of copied.keys()) {
      if (seen.has(id)) continue;
      await bulk.remove(id);
      copied.delete(id);
      again.add(id);
      changed++;
    }
    await bulk.flush();
    return changed;
  };
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const changed = await copyChanged();
    await onRound?.(copied.size);
    if (changed === 0) break;
  }
  await send(cluster, "PUT", `/${from}/_settings`, { index: { blocks: { write: true } } });
  try {
    await copyChanged();
    await removeLeftOvers(cluster, to, again, copied);
    await copySources(cluster, from, to, schema);
    const actions = [{ remove: { index: from, alias } }, { add: { index: to, alias } }];
    // In one step, so that every search finds exactly one of them.
    await send(cluster, "POST", "/_aliases", { actions });
  } catch (error) {
    await send(cluster, "PUT", `/${from}/_settings`, { index: { blocks: { write: null } } });
    throw error;
  }
  return { kind: "reindexed", from, to, sessions: copied.size, unreadable };
}

/** Others may push all the time: then the last round has more to do. */
const MOST_ROUNDS = 5;

async function send(
  cluster: Cluster,
  method: "GET" | "PUT" | "POST",
  path: string,
  body?: object,
): Promise<unknown> {
  const reply = await cluster.send({ method, path, ...(body === undefined ? {} : { body }) });
  if (reply.kind !== "reply") throw new WriteFailed(reply);
  if (reply.status >= 300)
    throw new WriteFailed({ kind: "denied", what: `${cluster.name} refuses it (${refusal(reply)})` });
  return reply.body;
}

/** Fails if a part of the index does not answer: missing documents would be taken for removed ones. */
function searchWhole(cluster: Cluster, index: string, body: object): Promise<unknown> {
  return send(cluster, "POST", `/${index}/_search?${WHOLE}`, body);
}

/** A user who may not see every document must not copy: hidden ones would be lost. */
async function refuseIfHidden(cluster: Cluster, index: string): Promise<void> {
  await send(cluster, "POST", `/${index}/_refresh`);
  const stats = await send(cluster, "GET", `/${index}/_stats/docs`);
  const counted = await send(cluster, "GET", `/${index}/_count`);
  const all = numberIn(stats, "_all", "primaries", "docs", "count");
  if (numberIn(counted, "count") >= all) return;
  throw new WriteFailed({
    kind: "denied",
    what: `${cluster.name} hides documents of others from this user, who therefore can't reindex`,
  });
}

/** Removes turns of generations that changed between two rounds, and of sessions that were removed. */
async function removeLeftOvers(
  cluster: Cluster,
  index: string,
  changed: ReadonlySet<string>,
  copied: ReadonlyMap<string, string>,
): Promise<void> {
  await send(cluster, "POST", `/${index}/_refresh`);
  for (const id of changed) {
    const filter = [ofKind("turn"), { term: { session: id } }];
    const query = { bool: { filter, must_not: [{ term: { generation: copied.get(id) ?? "" } }] } };
    await send(cluster, "POST", `/${index}/_delete_by_query?conflicts=proceed`, { query });
  }
}

/** Copies the commit of each source, and counts its sessions again. */
async function copySources(cluster: Cluster, from: string, to: string, schema: IndexSchema): Promise<void> {
  const query = allOf([ofKind("source"), { bool: { must_not: [{ exists: { field: "sessions" } }] } }]);
  const bulk = createBulk(cluster, to);
  const body = await searchWhole(cluster, from, { size: 10_000, query });
  const hits = listIn(body, "hits", "hits");
  for (const hit of hits) {
    const source = valueIn(hit, "_source");
    if (typeof source !== "object" || source === null) continue;
    await bulk.index([{ id: textIn(hit, "_id"), source: JSON.stringify({ ...source, lock: null }) }]);
  }
  await bulk.flush();
  await send(cluster, "POST", `/${to}/_refresh`);
  for (const hit of hits) {
    const source = { owner: textIn(hit, "_source", "owner"), machine: textIn(hit, "_source", "machine") };
    await writeTotals({ cluster, index: to, schema, source });
  }
}

/** Reads a table of fields from its description in the mapping; weights do not matter for reading. */
function fieldsFrom(description: string): readonly IndexField[] {
  return description.split(", ").map((text) => {
    const [, kind, name = "", stored] = /^(card|turn)\.(\S+) (true|false|apart)$/.exec(text) ?? [];
    return {
      kind: kind === "card" ? "card" : "turn",
      name,
      boost: 1,
      stored: stored === "apart" ? "apart" : stored === "true",
    };
  });
}
