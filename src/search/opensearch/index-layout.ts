import { INDEX_FORMAT } from "../paged/segment.ts";
import { describeFields, type IndexSchema } from "../ranking/index-schema.ts";
import { type Cluster, refusal, textIn } from "./cluster.ts";

/*
 * How an index of the cluster looks. Its name is that of the alias and a version; the alias names the one that is read
 * and written now. Another version gets an index of its own next to it, and then the alias moves (republish.ts).
 *
 * Three kinds of documents:
 *   source   one per machine and person: who writes, what was committed, and sums over its sessions
 *   session  all terms of the session in `all` and `rest`, for AND and NOT; those of its card by field; its segment, by
 *            which it is ranked, and its texts, from which a hit is shown
 *   turn     the terms of a turn by field, to find the best sessions by
 * Every document has its owner, machine and visibility, and turns have what sessions are filtered by.
 */

/** Changes with the mapping and the documents. */
const LAYOUT = 1;

/** The version of an index that this program writes with a schema. Newer ones sort after older ones. */
function layoutVersion(schema: IndexSchema): string {
  return `${LAYOUT}.${INDEX_FORMAT}.${schema.analysisVersion}`;
}

/** Compares versions number by number. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [a.split("."), b.split(".")];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const [x = "", y = ""] = [left[i], right[i]];
    const difference = Number(x) - Number(y);
    if (Number.isNaN(difference) ? x !== y : difference !== 0)
      return Number.isNaN(difference) ? (x < y ? -1 : 1) : difference;
  }
  return 0;
}

function indexName(alias: string, version: string): string {
  return `${alias}-${version.toLowerCase()}`;
}

/** The field of a document that has the terms of a field of the table. */
export function termField(field: number): string {
  return `f${field}`;
}

/** The number of distinct terms of a field, summed over the documents of a session or source. */
export function lengthField(field: number): string {
  return `l${field}`;
}

/** Values that are too long for the cluster are stored but not searchable: they must not stop a push. */
const keyword = { type: "keyword", ignore_above: 8_000 } as const;
/** In the document, but not searched. */
const kept = { type: "keyword", index: false, doc_values: false } as const;

function mapping(schema: IndexSchema): object {
  const terms = { type: "text", analyzer: "whitespace", index_options: "freqs", similarity: "sessions" };
  const words = { type: "text", analyzer: "whitespace", index_options: "docs", norms: false };
  const perField = schema.fields.flatMap((_, field) => [
    [termField(field), terms] as const,
    [lengthField(field), { type: "long", index: false }] as const,
  ]);
  return {
    dynamic: "strict",
    _meta: { version: layoutVersion(schema), fields: describeFields(schema.fields) },
    // Terms are only searched: the segment has the texts.
    _source: { excludes: ["all", "rest", ...schema.fields.map((_, field) => termField(field))] },
    properties: {
      kind: keyword,
      owner: keyword,
      machine: keyword,
      visibility: keyword,
      session: keyword,
      generation: keyword,
      key: keyword,
      agent: keyword,
      projects: keyword,
      branch: keyword,
      tools: keyword,
      contexts: keyword,
      title: keyword,
      startedAt: { type: "long" },
      endedAt: { type: "long" },
      /** When the session was last active. */
      activeAt: { type: "long" },
      turnContexts: keyword,
      firstTurnAt: { type: "long" },
      lastTurnAt: { type: "long" },
      turns: { type: "long" },
      sessions: { type: "long", index: false },
      all: words,
      rest: words,
      ...Object.fromEntries(perField),
      row: kept,
      descriptor: { type: "object", enabled: false },
      segment: { type: "binary" },
      texts: { type: "binary" },
      commit: kept,
      machineId: kept,
      state: kept,
      lock: { type: "object", enabled: false },
    },
  };
}

/** Settings that an operator may change in the template before the first push. */
const operatorSettings = {
  number_of_shards: 1,
  number_of_replicas: 1,
  refresh_interval: "1s",
  codec: "best_compression",
};

export type FoundIndex =
  | { readonly kind: "index"; readonly index: string; readonly version: string }
  | { readonly kind: "absent" }
  | {
      readonly kind: "version";
      readonly what: string;
      readonly index: string;
      readonly isNewer: boolean;
      /** The description of its fields. */
      readonly fields: string;
    };

type Failed = Extract<Awaited<ReturnType<Cluster["send"]>>, { readonly what: string }>;

/** Finds the index that the alias names, and refuses one of another version. */
export async function findIndex(
  cluster: Cluster,
  alias: string,
  schema: IndexSchema,
  signal?: AbortSignal,
): Promise<FoundIndex | Failed> {
  const reply = await cluster.send({ method: "GET", path: `/${alias}/_mapping`, signal });
  if (reply.kind !== "reply") return reply;
  if (reply.status === 404) return { kind: "absent" };
  const [index] = Object.keys(reply.body);
  if (reply.status !== 200 || index === undefined)
    return { kind: "unreachable", what: `${cluster.name} refuses to show the index (${refusal(reply)})` };
  const version = textIn(reply.body, index, "mappings", "_meta", "version");
  const own = layoutVersion(schema);
  const order = compareVersions(version, own);
  const fields = textIn(reply.body, index, "mappings", "_meta", "fields");
  if (order === 0 && fields === describeFields(schema.fields)) return { kind: "index", index, version };
  const isNewer = order > 0;
  const what = isNewer
    ? `the index ${index} on ${cluster.name} is newer than this program; update sessions`
    : `the index ${index} on ${cluster.name} was written by an older program; run \`sessions push --reindex\``;
  return { kind: "version", what, index, isNewer, fields };
}

/** Creates the index of this program's version, without the alias if another index has it. */
export async function createIndex(
  cluster: Cluster,
  alias: string,
  schema: IndexSchema,
  options: {
    readonly withAlias: boolean;
    readonly settings?: object;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<{ readonly kind: "created"; readonly index: string } | Failed> {
  const { signal } = options;
  const template = await cluster.send({ method: "GET", path: `/_index_template/${alias}`, signal });
  if (template.kind !== "reply") return template;
  if (template.status === 404) {
    const put = await cluster.send({
      method: "PUT",
      path: `/_index_template/${alias}`,
      body: {
        index_patterns: [`${alias}-*`],
        priority: 100,
        template: { settings: { ...operatorSettings, ...options.settings } },
      },
      signal,
    });
    if (put.kind !== "reply") return put;
    if (put.status !== 200)
      return { kind: "denied", what: `${cluster.name} refuses the template (${refusal(put)})` };
  }
  const index = indexName(alias, layoutVersion(schema));
  const created = await cluster.send({
    method: "PUT",
    path: `/${index}`,
    body: {
      settings: { similarity: { sessions: { type: "BM25", k1: 1.5, b: 0.8 } } },
      mappings: mapping(schema),
      ...(options.withAlias ? { aliases: { [alias]: {} } } : {}),
    },
    signal,
  });
  if (created.kind !== "reply") return created;
  const isThere = textIn(created.body, "error", "type") === "resource_already_exists_exception";
  if (created.status !== 200 && !isThere)
    return { kind: "denied", what: `${cluster.name} refuses the index (${refusal(created)})` };
  // Somebody else created it a moment ago, or died before the alias had it.
  if (isThere && options.withAlias) {
    const actions = [{ add: { index, alias } }];
    const added = await cluster.send({ method: "POST", path: "/_aliases", body: { actions }, signal });
    if (added.kind !== "reply") return added;
  }
  return { kind: "created", index };
}
