import { randomBytes } from "node:crypto";
import type { CommitOptions, EngineFailure, IndexedSession, OpenedWriter, SearchWriter } from "../engine.ts";
import type { IndexSchema } from "../ranking/index-schema.ts";
import type { SessionSource } from "../session-condition.ts";
import { type Cluster, listIn, numberIn, refusal, textIn, valueIn, WHOLE } from "./cluster.ts";
import { lengthField } from "./index-layout.ts";
import { allOf, type ClusterQuery, ofKind, ownedBy } from "./queries.ts";
import { readTotals } from "./reader.ts";
import {
  type ClusterDocument,
  encodeSession,
  sessionId,
  sourceId,
  type Visibility,
} from "./session-documents.ts";

type Failure = Exclude<EngineFailure, { readonly kind: "damaged" }>;

export interface WriterOptions {
  readonly cluster: Cluster;
  readonly index: string;
  readonly schema: IndexSchema;
  readonly source: SessionSource;
  readonly visibilityOf: (session: Pick<IndexedSession, "row">) => Visibility;
  /** Tells machines with the same name apart. */
  readonly machineId?: string | undefined;
}

/** A writer that did not renew its lock for this long is gone. */
const LEASE_MS = 120_000;
/** Bytes of encoded sessions that are held back until a commit; beyond that, they are sent earlier. */
const HELD_BYTES: number = 16 * 1024 * 1024;
/** The size limits of one request. */
const BULK_BYTES: number = 4 * 1024 * 1024;
const BULK_DOCUMENTS = 500;

/** The document of a source: who is writing, and the last commit. */
interface SourceDocument {
  readonly machineId: string;
  readonly commit: string;
  readonly state: string;
  readonly lock: { readonly by: string; readonly until: number } | null;
  /** The version of the document; undefined if there is none. */
  readonly seen: { readonly seqNo: number; readonly term: number } | undefined;
}

export async function readSource(
  { cluster, index, source }: Pick<WriterOptions, "cluster" | "index" | "source">,
  signal?: AbortSignal,
): Promise<SourceDocument | Failure> {
  const path = `/${index}/_doc/${sourceId(source)}`;
  const reply = await cluster.send({ method: "GET", path, signal });
  if (reply.kind !== "reply") return reply;
  const { body } = reply;
  if (valueIn(body, "found") !== true)
    return { machineId: "", commit: "", state: "", lock: null, seen: undefined };
  const by = textIn(body, "_source", "lock", "by");
  return {
    machineId: textIn(body, "_source", "machineId"),
    commit: textIn(body, "_source", "commit"),
    state: textIn(body, "_source", "state"),
    lock: by === "" ? null : { by, until: numberIn(body, "_source", "lock", "until") },
    seen: { seqNo: numberIn(body, "_seq_no"), term: numberIn(body, "_primary_term") },
  };
}

/** Takes the lock of the source. It is in the cluster, because one machine may push from several places. */
export async function openWriter(options: WriterOptions, signal?: AbortSignal): Promise<OpenedWriter> {
  const { cluster } = options;
  const token = randomBytes(12).toString("hex");
  const found = await readSource(options, signal);
  if ("kind" in found) return found;
  const { machineId = "", source } = options;
  if (found.machineId !== "" && found.machineId !== machineId) {
    const what = `${cluster.name} has sessions of another machine of yours that is called ${source.machine}`;
    return { kind: "denied", what: `${what}; set "machine" in config.json to another name` };
  }
  const { lock } = found;
  if (lock !== null && lock.until > cluster.now())
    return { kind: "locked", by: "another push of this machine" };
  const taken = await writeSource(
    options,
    { ...found, machineId, lock: { by: token, until: cluster.now() + LEASE_MS } },
    signal,
  );
  if (taken.kind === "lost") return { kind: "locked", by: "another push of this machine" };
  if (taken.kind !== "written") return taken;
  return { kind: "open", writer: createWriter(options, token, taken.document) };
}

type WrittenSource =
  | { readonly kind: "written"; readonly document: SourceDocument }
  | { readonly kind: "lost" }
  | Failure;

/** Replaces the document of the source, unless somebody else did since it was read. */
async function writeSource(
  { cluster, index, source }: WriterOptions,
  document: SourceDocument,
  signal?: AbortSignal,
): Promise<WrittenSource> {
  const { machineId, commit, state, lock, seen } = document;
  const condition =
    seen === undefined ? "op_type=create" : `if_seq_no=${seen.seqNo}&if_primary_term=${seen.term}`;
  const reply = await cluster.send({
    method: "PUT",
    path: `/${index}/_doc/${sourceId(source)}?${condition}`,
    body: { kind: "source", ...source, visibility: "private", machineId, commit, state, lock },
    signal,
  });
  if (reply.kind !== "reply") return reply;
  if (reply.status === 409) {
    // If an answer got lost, the second attempt meets the result of the first.
    const now = await readSource({ cluster, index, source }, signal);
    if ("kind" in now) return now;
    const isOurs = lock !== null && now.lock?.by === lock.by && now.commit === commit;
    return isOurs ? { kind: "written", document: now } : { kind: "lost" };
  }
  if (reply.status >= 300) return refused(cluster, refusal(reply));
  const written = { seqNo: numberIn(reply.body, "_seq_no"), term: numberIn(reply.body, "_primary_term") };
  return { kind: "written", document: { ...document, seen: written } };
}

/** Refusals for a reason that trying again does not change. */
function refused(cluster: Cluster, why: string): Failure {
  if (/flood-stage|read-only-allow-delete/.test(why))
    return {
      kind: "unreachable",
      what: `${cluster.name} accepts no more documents: its disk is nearly full`,
    };
  if (/index write \(api\)/.test(why))
    return { kind: "unreachable", what: `${cluster.name} is being reindexed; push again in a few minutes` };
  return { kind: "denied", what: `${cluster.name} refuses it (${why})` };
}

/** Thrown inside the functions that write, and returned by them. */
export class WriteFailed extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.what);
    this.failure = failure;
  }
}

/**
 * Writes sessions. The turns of a session go first, then its document, which makes all of it visible at once; then what
 * an older generation left is removed. So a writer that dies leaves no session half replaced.
 */
function createWriter(options: WriterOptions, token: string, opened: SourceDocument): SearchWriter {
  const { cluster, index, schema, source } = options;
  const generation = token.slice(0, 12);
  let document = opened;
  let held: { readonly session: ClusterDocument; readonly turns: readonly ClusterDocument[] }[] = [];
  let heldBytes = 0;
  let failure: Failure | undefined;
  let isCleared = false;
  const removed = new Set<string>();
  /** Sessions that may have turns of an older generation. */
  const replaced = new Set<string>();

  const must = <T extends { readonly kind: string }>(result: T | Failure): T => {
    if (isFailure(result)) throw new WriteFailed(result);
    return result;
  };
  const keepLock = async (signal?: AbortSignal): Promise<void> => {
    const left = (document.lock?.until ?? 0) - cluster.now();
    if (left > LEASE_MS / 2) return;
    await replaceSource({ ...document, lock: { by: token, until: cluster.now() + LEASE_MS } }, signal);
  };
  const replaceSource = async (next: SourceDocument, signal?: AbortSignal): Promise<void> => {
    const written = must(await writeSource(options, next, signal));
    if (written.kind === "lost")
      throw new WriteFailed({ kind: "unreachable", what: "another push of this machine took over" });
    document = written.document;
  };

  /** Sends everything that is held. Acknowledged sessions stay, whatever happens afterwards. */
  const flush = async (signal?: AbortSignal): Promise<void> => {
    await keepLock(signal);
    const sessions = held;
    held = [];
    heldBytes = 0;
    await sendBulk(
      cluster,
      index,
      sessions.flatMap(({ turns }) => turns.map(toIndex)),
      signal,
    );
    const results = await sendBulk(
      cluster,
      index,
      sessions.map(({ session }) => toIndex(session)),
      signal,
    );
    sessions.forEach(({ session }, i) => {
      if (results[i] !== "created") replaced.add(session.id);
    });
  };

  const deleteWhere = async (query: readonly ClusterQuery[], signal?: AbortSignal): Promise<void> => {
    const reply = await cluster.send({
      method: "POST",
      path: `/${index}/_delete_by_query?conflicts=proceed`,
      body: { query: allOf([ownedBy(source), ...query]) },
      signal,
    });
    if (reply.kind !== "reply") throw new WriteFailed(reply);
    if (reply.status >= 300) throw new WriteFailed(refused(cluster, refusal(reply)));
  };
  const refresh = async (signal?: AbortSignal): Promise<void> => {
    const reply = await cluster.send({ method: "POST", path: `/${index}/_refresh`, signal });
    if (reply.kind !== "reply") throw new WriteFailed(reply);
  };

  const removeOld = async (signal?: AbortSignal): Promise<void> => {
    const other = { bool: { must_not: [{ term: { generation } }] } };
    if (isCleared) await deleteWhere([ofKind("session", "turn"), other], signal);
    else if (replaced.size + removed.size > 0) {
      const all = [...replaced, ...removed];
      for (let from = 0; from < all.length; from += BULK_DOCUMENTS) {
        const ids = all.slice(from, from + BULK_DOCUMENTS);
        await deleteWhere([ofKind("turn"), { terms: { session: ids } }, other], signal);
      }
    }
  };

  const commit = async ({ state, signal }: CommitOptions & { signal?: AbortSignal }): Promise<void> => {
    if (failure !== undefined) throw new WriteFailed(failure);
    await flush(signal);
    await sendBulk(
      cluster,
      index,
      [...removed].map((id) => ({ line: { delete: { _id: id } } })),
      signal,
    );
    await refresh(signal);
    await removeOld(signal);
    if (isCleared) await refresh(signal);
    await writeTotals({ cluster, index, schema, source }, signal);
    await replaceSource(
      { ...document, commit: randomBytes(8).toString("hex"), state: state ?? document.state },
      signal,
    );
    removed.clear();
    replaced.clear();
    isCleared = false;
  };

  return {
    get index() {
      return document.commit;
    },
    async put(session) {
      const owned = { ...source, visibility: options.visibilityOf(session) };
      const encoded = encodeSession(session, owned, generation, schema);
      removed.delete(encoded.session.id);
      held = [...held.filter((each) => each.session.id !== encoded.session.id), encoded];
      heldBytes += encoded.bytes;
      if (heldBytes <= HELD_BYTES || failure !== undefined) return;
      try {
        await flush();
      } catch (error) {
        // The commit reports it.
        if (!(error instanceof WriteFailed)) throw error;
        failure = error.failure;
      }
    },
    remove(key) {
      const id = sessionId(source, key);
      held = held.filter(({ session }) => session.id !== id);
      removed.add(id);
    },
    clear() {
      isCleared = true;
    },
    async commit(how) {
      how.signal?.throwIfAborted();
      try {
        await commit(how);
        return { kind: "committed" };
      } catch (error) {
        if (error instanceof WriteFailed) return error.failure;
        throw error;
      }
    },
    async close() {
      // A lock that can't be released expires.
      await writeSource(options, { ...document, lock: null });
    },
  };
}

/** Counts the sessions of a source; readers add the counts of all sources. */
export async function writeTotals(
  { cluster, index, schema, source }: Pick<WriterOptions, "cluster" | "index" | "schema" | "source">,
  signal?: AbortSignal,
): Promise<void> {
  const names = ["turns", ...schema.fields.map((_, field) => lengthField(field))];
  const sums = Object.fromEntries(names.map((name) => [name, { sum: { field: name } }]));
  const count = async (visibility: Visibility): Promise<ClusterDocument> => {
    const query = allOf([ownedBy(source), ofKind("session"), { term: { visibility } }]);
    const body = { size: 0, track_total_hits: true, query, aggs: sums };
    const path = `/${index}/_search?${WHOLE}`;
    const reply = await cluster.send({ method: "POST", path, body, signal });
    if (reply.kind !== "reply") throw new WriteFailed(reply);
    if (reply.status >= 300) throw new WriteFailed(refused(cluster, refusal(reply)));
    const totals = readTotals(reply.body, schema.fields.length);
    const lengths = totals.lengths.map((length, field) => [lengthField(field), length] as const);
    const counted = {
      kind: "source",
      ...source,
      visibility,
      sessions: numberIn(reply.body, "hits", "total", "value"),
      turns: totals.turns,
      ...Object.fromEntries(lengths),
    };
    return { id: `${sourceId(source)}.${visibility}`, source: JSON.stringify(counted) };
  };
  const documents = await Promise.all((["private", "team"] as const).map(count));
  await sendBulk(cluster, index, documents.map(toIndex), signal, "wait_for");
}

function isFailure(result: { readonly kind: string }): result is Failure {
  return result.kind === "unreachable" || result.kind === "denied";
}

/** One operation of a bulk request: its line, and the line of its document. */
interface BulkOperation {
  readonly line: object;
  readonly source?: string;
}

function toIndex({ id, source }: ClusterDocument): BulkOperation {
  return { line: { index: { _id: id } }, source };
}

/** Collects operations and sends them in requests of a bounded size. */
export interface Bulk {
  index(documents: readonly ClusterDocument[]): Promise<void>;
  remove(id: string): Promise<void>;
  flush(): Promise<void>;
}

export function createBulk(cluster: Cluster, index: string): Bulk {
  let waiting: BulkOperation[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    const operations = waiting;
    waiting = [];
    bytes = 0;
    await sendBulk(cluster, index, operations, undefined);
  };
  const add = async (operation: BulkOperation): Promise<void> => {
    waiting.push(operation);
    bytes += operation.source?.length ?? 0;
    if (waiting.length >= BULK_DOCUMENTS || bytes >= BULK_BYTES) await flush();
  };
  return {
    async index(documents) {
      for (const document of documents) await add(toIndex(document));
    },
    remove: (id) => add({ line: { delete: { _id: id } } }),
    flush,
  };
}

/** Sends operations in requests of a bounded size. Returns the result of each, such as "created". */
async function sendBulk(
  cluster: Cluster,
  index: string,
  operations: readonly BulkOperation[],
  signal: AbortSignal | undefined,
  refresh: "false" | "wait_for" = "false",
): Promise<readonly string[]> {
  const results: string[] = [];
  for (let from = 0; from < operations.length; ) {
    let bytes = 0;
    let to = from;
    while (to < operations.length && to - from < BULK_DOCUMENTS && (to === from || bytes < BULK_BYTES))
      bytes += (operations[to++]?.source?.length ?? 0) + 100;
    results.push(...(await sendChunk(cluster, index, operations.slice(from, to), signal, refresh)));
    from = to;
  }
  return results;
}

/** Sends one request, and repeats those of its operations that the cluster had no capacity for. */
async function sendChunk(
  cluster: Cluster,
  index: string,
  operations: readonly BulkOperation[],
  signal: AbortSignal | undefined,
  refresh: string,
): Promise<readonly string[]> {
  const results: string[] = operations.map(() => "");
  let open = operations.map((_, i) => i);
  const since = cluster.now();
  for (let attempt = 0; ; attempt++) {
    const lines = open.map((i) => {
      const { line, source } = operations[i] ?? { line: {} };
      return `${JSON.stringify(line)}\n${source === undefined ? "" : `${source}\n`}`;
    });
    const path = `/${index}/_bulk?refresh=${refresh}`;
    const reply = await cluster.send({ method: "POST", path, body: lines.join(""), signal });
    if (reply.kind !== "reply") throw new WriteFailed(reply);
    if (reply.status >= 300) throw new WriteFailed(refused(cluster, refusal(reply)));
    const again: number[] = [];
    let reason = "";
    listIn(reply.body, "items").forEach((item, nth) => {
      const i = open[nth] ?? 0;
      const outcome = valueIn(item, "index") ?? valueIn(item, "delete");
      const status = numberIn(outcome, "status");
      if (status < 300 || status === 404) {
        results[i] = textIn(outcome, "result");
        return;
      }
      reason = textIn(outcome, "error", "reason") || `status ${status}`;
      const isBlocked = textIn(outcome, "error", "type") === "cluster_block_exception";
      if (isBlocked || (status !== 429 && status !== 503)) throw new WriteFailed(refused(cluster, reason));
      again.push(i);
    });
    if (again.length === 0) return results;
    open = again;
    if (await cluster.backOff(attempt, since, signal)) continue;
    throw new WriteFailed({ kind: "unreachable", what: `${cluster.name} has too much to do (${reason})` });
  }
}
