import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { inject } from "vitest";
import type { IndexedSession, SearchEngine } from "../../../../src/search/engine.ts";
import {
  type Cluster,
  type ClusterOptions,
  createCluster,
} from "../../../../src/search/opensearch/cluster.ts";
import { createOpenSearchEngine } from "../../../../src/search/opensearch/opensearch-engine.ts";
import type { Visibility } from "../../../../src/search/opensearch/session-documents.ts";
import type { IndexSchema } from "../../../../src/search/ranking/index-schema.ts";
import type { SessionSource } from "../../../../src/search/session-condition.ts";
import { smallSchema } from "../../../support/index/small-schema.ts";

const provided = inject("cluster");

/** Whether tests with OpenSearch are skipped. Why is said once, before the first. */
export const isWithoutCluster: boolean = provided.kind === "missing";

/** The addresses of the shared cluster. */
export const clusterUrls: readonly string[] = provided.kind === "running" ? provided.urls : [];

export function testCluster(options: Partial<ClusterOptions> = {}): Cluster {
  return createCluster({
    urls: clusterUrls,
    fetch: globalThis.fetch,
    now: Date.now,
    random: Math.random,
    wait,
    ...options,
  });
}

export interface TestEngineOptions {
  readonly alias: string;
  readonly source?: SessionSource;
  readonly schema?: IndexSchema;
  readonly visibilityOf?: (session: Pick<IndexedSession, "row">) => Visibility;
  readonly cluster?: Cluster;
}

export const ann: SessionSource = { owner: "ann", machine: "laptop" };

/** An engine on an index that is refreshed often, so that no test waits for it. */
export function testEngine({
  alias,
  source = ann,
  schema = smallSchema,
  visibilityOf = () => "private",
  cluster = testCluster(),
}: TestEngineOptions): SearchEngine {
  const settings = { refresh_interval: "50ms" };
  return createOpenSearchEngine({ cluster, alias, schema, source, visibilityOf, settings });
}

/** Calls `use` with the name of an index that nobody else has, and removes it afterwards. */
export async function withAlias<T>(use: (alias: string) => Promise<T>): Promise<T> {
  const alias = `test-${randomBytes(6).toString("hex")}`;
  try {
    return await use(alias);
  } finally {
    await removeAlias(alias);
  }
}

export async function removeAlias(alias: string): Promise<void> {
  const cluster = testCluster();
  await cluster.send({ method: "DELETE", path: `/${alias}-*` });
  await cluster.send({ method: "DELETE", path: `/_index_template/${alias}` });
}
