import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { exitCodes, UserError } from "../errors.ts";
import { matchesProject } from "../fs/glob.ts";
import type { Library } from "../fs/library.ts";
import { sessionSchema } from "../search/document-fields.ts";
import { type BasicAuth, createCluster } from "../search/opensearch/cluster.ts";
import type { OpenSearchOptions } from "../search/opensearch/opensearch-engine.ts";
import type { Visibility } from "../search/opensearch/session-documents.ts";
import type { RowAttributes } from "../search/session-condition.ts";
import { readCredentials } from "./credentials.ts";
import { thisMachine } from "./machine.ts";
import type { Remote } from "./remotes.ts";

/** The alias that searches use, whatever version of the index is behind it. */
const ALIAS = "sessions";

export interface TeamOptions {
  /** The name of this host. */
  readonly host: string;
  /** Who may read the sessions that are pushed now; absent: as `push.team` in config.json says. */
  readonly visibility?: Visibility | undefined;
  /** How long a request that fails is repeated; absent: as long as a push can wait. */
  readonly patienceMs?: number;
}

/**
 * Everything that the engine of a team needs: the cluster's address, its user, and the owner of the sessions that are
 * written. The owner is the user of the cluster; if the cluster asks for none, the user of this machine.
 */
export function teamEngineOptions(library: Library, remote: Remote, options: TeamOptions): OpenSearchOptions {
  if (remote.kind !== "opensearch") {
    throw new UserError(`Cannot use the remote ${remote.name}: it is not an OpenSearch cluster`, {
      exitCode: exitCodes.wrongUsage,
      hint: "`sessions sync` is for folders and object stores",
    });
  }
  const { variables } = library.environment;
  const credentials = basicAuth(library, remote);
  const login = variables.USER ?? variables.LOGNAME ?? variables.USERNAME ?? "unknown";
  const { id, name } = thisMachine(library, options.host);
  return {
    cluster: createCluster({
      urls: remote.url.split(","),
      credentials,
      fetch: globalThis.fetch,
      now: () => library.now(),
      random: () => randomBytes(4).readUInt32LE() / 2 ** 32,
      wait,
      ...(options.patienceMs === undefined ? {} : { patienceMs: options.patienceMs }),
    }),
    alias: ALIAS,
    schema: sessionSchema,
    source: { owner: credentials?.user ?? login, machine: name },
    machineId: id,
    visibilityOf: ({ row }) => options.visibility ?? visibilityIn(library, JSON.parse(row)),
  };
}

/** From the remote's file (`username`, `password`), or from OPENSEARCH_USERNAME and OPENSEARCH_PASSWORD. */
function basicAuth(library: Library, remote: Remote): BasicAuth | undefined {
  const found = readCredentials(library, remote);
  const fromFile = remote.credentials === undefined ? undefined : found.get("username");
  const user = fromFile ?? found.get("opensearch_username");
  if (user === undefined) return undefined;
  const password = remote.credentials === undefined ? undefined : found.get("password");
  return { user, password: password ?? found.get("opensearch_password") ?? "" };
}

/** Private, unless `push.team` names its project. */
function visibilityIn({ config }: Library, row: RowAttributes): Visibility {
  const projects = (row.logs ?? [row]).flatMap(({ project, repository }) =>
    [project ?? [], repository ?? []].flat(),
  );
  const isShared = (config.push?.team ?? []).some((pattern) =>
    projects.some((path) => matchesProject(pattern, path)),
  );
  return isShared ? "team" : "private";
}
