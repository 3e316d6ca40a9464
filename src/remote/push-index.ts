import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { exitCodes, type Problem, UserError } from "../errors.ts";
import { makeFolders } from "../fs/folders.ts";
import type { Library } from "../fs/library.ts";
import { createRedactor } from "../redact/redact.ts";
import type { IndexedSession, OpenedReader, SearchEngine } from "../search/engine.ts";
import { createOpenSearchEngine, type OpenSearchOptions } from "../search/opensearch/opensearch-engine.ts";
import { changeVisibility, type Reindexed, reindex } from "../search/opensearch/republish.ts";
import { engineError } from "../search/refresh/index-access.ts";
import type { RefreshMeter } from "../search/refresh/refresh-index.ts";
import { refreshIndex } from "../search/refresh/refresh-index.ts";
import { scanSources } from "../search/refresh/scan-sources.ts";
import { type SessionRow, sizeOf } from "../search/refresh/session-row.ts";
import type { SessionSource } from "../search/session-condition.ts";
import type { Remote } from "./remotes.ts";
import { type TeamOptions, teamEngineOptions } from "./team-engine.ts";

export interface TextPushOptions extends TeamOptions {
  /** Pushes everything again. */
  readonly rebuild?: boolean;
  /** First builds the index of this program's version from that of an older one. */
  readonly reindex?: boolean;
  /** Only compares: nothing is sent, and nothing is written except the id of this machine, if it has none yet. */
  readonly dryRun?: boolean;
  readonly meter?: () => RefreshMeter;
}

export interface TextPush {
  readonly remote: Remote;
  readonly source: SessionSource;
  /** Sessions that were new or had changed, and removed ones. */
  readonly pushed: number;
  readonly removed: number;
  /** Sessions whose visibility to others changed. */
  readonly visibilityChanged: number;
  /** The present state of this machine's sessions in the cluster. */
  readonly sessions: number;
  readonly turns: number;
  /** Bytes of logs that were read. */
  readonly bytes: number;
  readonly problems: readonly Problem[];
  readonly reindexed: Extract<Reindexed, { readonly kind: "reindexed" }> | null;
}

/**
 * Updates this machine's sessions in a cluster from its logs and archive, as a search does with the index of this
 * machine: only changes are read and sent, and forgotten sessions are removed.
 */
export async function pushIndex(
  library: Library,
  remote: Remote,
  options: TextPushOptions,
): Promise<TextPush> {
  const team = teamEngineOptions(library, remote, options);
  const { dryRun = false } = options;
  if (dryRun && options.reindex === true) {
    throw new UserError("Cannot take --dry-run with --reindex: changes are only known for the new index", {
      exitCode: exitCodes.wrongUsage,
      hint: "use one of them",
    });
  }
  const reindexed = options.reindex === true ? await reindexFirst(team) : null;
  const engine = createOpenSearchEngine(team);
  await refuseOtherVersion(engine);
  const changed = await changeVisibility(team, { dryRun });
  if (changed.kind !== "changed") throw engineError(changed);
  // This index has its own freshness state.
  const cache = join(library.places.cache, "remotes", remote.name);
  const own = { ...library, places: { ...library.places, cache, index: cache } };
  if (dryRun) {
    const { plan, problems } = await scanSources(own, { engine, rebuild: options.rebuild === true });
    const due = plan.toRead.filter(
      ({ files, machines }) => machines?.[files.files[0]?.path ?? ""] === undefined,
    );
    return {
      remote,
      source: team.source,
      pushed: due.length,
      removed: plan.toRemove.length,
      visibilityChanged: changed.sessions,
      ...(await countOwn(engine)),
      bytes: due.reduce((sum, { files }) => sum + sizeOf(files), 0),
      problems,
      reindexed,
    };
  }
  makeFolders(library.disk, cache);
  const leaving = leavingThisMachine(library, engine);
  const { read, removed, stale, bytes, problems } = await refreshIndex(own, {
    engine: leaving.engine,
    wait,
    ...(options.rebuild === true ? { rebuild: true } : {}),
    ...(options.meter === undefined ? {} : { meter: options.meter }),
  });
  if (stale > 0) {
    throw new UserError("Cannot push: another push of this machine is running", {
      exitCode: exitCodes.refused,
      hint: "try again in two minutes",
    });
  }
  const { sessions, turns } = await countOwn(engine);
  return {
    remote,
    source: team.source,
    pushed: read - leaving.pulled(),
    removed,
    visibilityChanged: changed.sessions,
    sessions,
    turns,
    bytes,
    problems,
    reindexed,
  };
}

async function reindexFirst(team: OpenSearchOptions): Promise<TextPush["reindexed"]> {
  const done = await reindex(team);
  if (done.kind === "unreachable" || done.kind === "denied") throw engineError(done);
  return done.kind === "reindexed" ? done : null;
}

async function refuseOtherVersion(engine: SearchEngine): Promise<void> {
  const opened = await engine.read();
  if (opened.kind === "open") await opened.reader.close();
  else if (opened.kind !== "absent") throw openingError(opened);
}

/** The error for an engine that can't be opened. */
export function openingError(opened: Exclude<OpenedReader, { readonly kind: "open" | "absent" }>): Error {
  if (opened.kind !== "version") return engineError(opened);
  return new UserError(`Cannot use the remote: ${opened.what}`, { exitCode: exitCodes.refused });
}

async function countOwn(
  engine: SearchEngine,
): Promise<{ readonly sessions: number; readonly turns: number }> {
  const opened = await engine.read();
  if (opened.kind !== "open") return { sessions: 0, turns: 0 };
  try {
    const page = await opened.reader.rows({ limit: 1 });
    return page.kind === "rows" ? page : { sessions: 0, turns: 0 };
  } finally {
    await opened.reader.close();
  }
}

/**
 * Documents and digests are masked when they are made; paths of logs are masked here. Sessions that were pulled from
 * another machine are left out, because that machine pushes them.
 */
function leavingThisMachine(
  { config }: Library,
  engine: SearchEngine,
): { readonly engine: SearchEngine; pulled(): number } {
  const { redact: mask } = createRedactor({ extra: config.redact });
  let pulled = 0;
  const leaving: SearchEngine = {
    ...engine,
    async write(call) {
      const opened = await engine.write(call);
      if (opened.kind !== "open") return opened;
      const { writer } = opened;
      const put = async (session: IndexedSession): Promise<void> => {
        const row: SessionRow = JSON.parse(session.row);
        if (row.machine === undefined) await writer.put(withMaskedPaths(session, row, mask));
        else pulled++;
      };
      return {
        kind: "open",
        writer: {
          ...writer,
          get index() {
            return writer.index;
          },
          put,
        },
      };
    },
  };
  return { engine: leaving, pulled: () => pulled };
}

function withMaskedPaths(
  session: IndexedSession,
  row: SessionRow,
  mask: (text: string) => string,
): IndexedSession {
  const { maskedLead: _, ...rest } = row;
  const left: SessionRow = {
    ...rest,
    lead: row.lead === null ? null : mask(row.lead),
    problems: row.problems.map((problem) => ({
      ...problem,
      path: mask(problem.path),
      what: mask(problem.what),
    })),
    ...(row.logs === undefined
      ? {}
      : { logs: row.logs.map(({ maskedPath: _masked, ...log }) => ({ ...log, path: mask(log.path) })) }),
  };
  return { ...session, row: JSON.stringify(left) };
}
