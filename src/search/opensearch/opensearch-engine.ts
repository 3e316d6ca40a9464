import type { IndexedSession, OpenedReader, OpenedWriter, SearchEngine } from "../engine.ts";
import type { IndexSchema } from "../ranking/index-schema.ts";
import type { SessionSource } from "../session-condition.ts";
import { type Cluster, numberIn, refusal, textIn } from "./cluster.ts";
import { createIndex, findIndex, lengthField } from "./index-layout.ts";
import { allOf, ofKind, visibleTo } from "./queries.ts";
import { createReader, readTotals } from "./reader.ts";
import type { Visibility } from "./session-documents.ts";
import { openWriter, readSource } from "./writer.ts";

export interface OpenSearchOptions {
  readonly cluster: Cluster;
  /** The alias that searches use; the names of the indexes behind it contain a version. */
  readonly alias: string;
  readonly schema: IndexSchema;
  /** Whose sessions are written, and who searches. */
  readonly source: SessionSource;
  /** Who may read a session that is written. */
  readonly visibilityOf: (session: Pick<IndexedSession, "row">) => Visibility;
  /** Tells machines with the same name apart. */
  readonly machineId?: string;
  /** Settings of a new index; only tests change them. */
  readonly settings?: object;
}

/** How long after its last request the cluster keeps the state that a reader sees. */
const KEEP_ALIVE = "1m";

/**
 * The full-text engine of a team: an OpenSearch cluster. It finds candidates; the answer is ranked here by the same code
 * as that of the embedded engine, with the statistics of the cluster (docs/decisions/opensearch.md).
 */
export function createOpenSearchEngine(options: OpenSearchOptions): SearchEngine {
  return {
    source: options.source,
    read: (call) => openReader(options, call?.signal),
    async write(call): Promise<OpenedWriter> {
      call?.signal?.throwIfAborted();
      const { cluster, alias, schema, settings } = options;
      const found = await findIndex(cluster, alias, schema, call?.signal);
      if (found.kind === "version") return { kind: "denied", what: found.what };
      if (found.kind === "index") return openWriter({ ...options, index: found.index }, call?.signal);
      if (found.kind !== "absent") return found;
      const signal = call?.signal;
      const created = await createIndex(cluster, alias, schema, {
        withAlias: true,
        signal,
        ...(settings === undefined ? {} : { settings }),
      });
      if (created.kind !== "created") return created;
      return openWriter({ ...options, index: created.index }, signal);
    },
  };
}

async function openReader(options: OpenSearchOptions, signal?: AbortSignal): Promise<OpenedReader> {
  signal?.throwIfAborted();
  const { cluster, alias, schema, source } = options;
  const found = await findIndex(cluster, alias, schema, signal);
  if (found.kind === "version") return { kind: "version", what: found.what };
  if (found.kind !== "index") return found;
  const { index } = found;
  const opened = await cluster.send({
    method: "POST",
    path: `/${index}/_search/point_in_time?keep_alive=${KEEP_ALIVE}`,
    signal,
  });
  if (opened.kind !== "reply") return opened;
  const pit = textIn(opened.body, "pit_id");
  if (pit === "") return { kind: "unreachable", what: `${cluster.name} can't be read (${refusal(opened)})` };
  const close = async (): Promise<void> => {
    await cluster.send({ method: "DELETE", path: "/_search/point_in_time", body: { pit_id: [pit] } });
  };
  const names = ["sessions", "turns", ...schema.fields.map((_, field) => lengthField(field))];
  const sums = Object.fromEntries(names.map((name) => [name, { sum: { field: name } }]));
  const query = allOf([visibleTo(source), ofKind("source"), { exists: { field: "sessions" } }]);
  const [own, counted] = await Promise.all([
    readSource({ cluster, index, source }, signal),
    cluster.send({
      method: "POST",
      path: "/_search",
      body: { size: 0, track_total_hits: true, pit: { id: pit, keep_alive: KEEP_ALIVE }, query, aggs: sums },
      signal,
    }),
  ]);
  const failed = "kind" in own ? own : counted.kind !== "reply" ? counted : undefined;
  if (failed !== undefined || "kind" in own || counted.kind !== "reply") {
    await close();
    return failed ?? { kind: "absent" };
  }
  const sources = numberIn(counted.body, "hits", "total", "value");
  if (own.commit === "" && sources === 0) {
    await close();
    return { kind: "absent" };
  }
  const totals = readTotals(counted.body, schema.fields.length);
  const { commit: id, state } = own;
  return { kind: "open", reader: createReader({ cluster, pit, schema, source, totals, id, state, close }) };
}
