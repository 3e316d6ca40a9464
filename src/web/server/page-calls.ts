import { Buffer } from "node:buffer";
import * as z from "zod/mini";
import { teamOf } from "../../history/team.ts";
import {
  exitCodes,
  exportFormats,
  type OpenHistory,
  type RetentionStatus,
  type SearchResult,
  type StatsAnswer,
  tokensOf,
  UserError,
} from "../../index.ts";
import { cleanText } from "../../redact/clean-text.ts";
import { maskDeep } from "../../redact/mask.ts";
import { readRemotes } from "../../remote/remotes.ts";
import { labelProjects } from "../../render/project-labels.ts";
import { restoreNotes } from "../../render/restore-notes.ts";
import { pendingSign, pendingText, pendingWords } from "../../render/words.ts";
import { costFinder } from "../../search/stats/prices.ts";
import type {
  ActivityReply,
  ArchiveReply,
  ChangesAnswer,
  CountLine,
  CoverageLine,
  ExportAnswer,
  FilesReply,
  FoundAnswer,
  ImagesAnswer,
  KeepingReply,
  ListAnswer,
  ProjectsReply,
  RestoreReply,
  ResultAnswer,
  TeamsReply,
  TurnsAnswer,
  WorkReply,
} from "./answers.ts";
import { createSessionCache, type SessionCache } from "./session-cache.ts";
import {
  contextAnswer,
  detailsOf,
  listedSession,
  sessionAnswer,
  stepsAnswer,
  turnView,
} from "./session-views.ts";

/** Everything that calls work on. */
interface CallContext {
  readonly history: OpenHistory;
  readonly sessions: SessionCache;
}

/** One call of the page: how its arguments are read, and its work. */
interface PageCall {
  /** Whether it changes files, and so requires a POST. */
  readonly isAction: boolean;
  run(context: CallContext, args: unknown): Promise<object>;
}

/** Runs calls by name, in this thread or in another, and returns the answer as JSON. */
export type RunCall = (name: string, args: unknown) => Promise<string>;

/** Answers the calls of the page from a history. */
export function pageCalls(history: OpenHistory): RunCall {
  const context: CallContext = { history, sessions: createSessionCache(history) };
  return async (name, args) => {
    const call = callNamed(name);
    if (call === undefined) throw new Error(`Unknown call ${name}`);
    // Texts outside of a cleaned session: titles, paths, snippets.
    return JSON.stringify(maskDeep(await call.run(context, args), cleanText));
  };
}

export function callNamed(name: string): PageCall | undefined {
  return Object.hasOwn(calls, name) ? calls[name] : undefined;
}

/** Numbers in an address are text. */
const count = (most: number): z.ZodMiniNumber<unknown> =>
  z.coerce.number().check(z.int(), z.gte(0), z.lte(most));
const key = z.string().check(z.minLength(1), z.maxLength(400));
const text = z.string().check(z.maxLength(2_000));
const MANY = 1_000_000;
const place = { key, turn: z.optional(count(MANY)), agent: z.optional(key) };

const calls: Readonly<Record<string, PageCall>> = {
  // These two answer from the index without a refresh, so that neither the first list nor a key waits for logs;
  // `refresh` reads them.
  search: reading(
    {
      q: text,
      offset: z._default(count(MANY), 0),
      limit: z._default(count(100), 30),
      sort: sortOf(),
      remote: z.optional(key),
    },
    async ({ history }, { q, offset, limit, sort, remote }) => {
      const page = { offset, limit, sort };
      if (remote === undefined)
        return searchAnswer(await history.search(q, { ...page, firstRequests: true, skipRefresh: true }));
      const found = await teamOf(history).search(remote, q, page);
      const here = new Set((await history.indexed()).map(({ agent, id }) => `${agent}:${id}`));
      return searchAnswer(found, here);
    },
  ),
  /** Remotes with text to search. */
  teams: reading({}, async ({ history }) => {
    const remotes = history.demo ? [] : readRemotes(history.library);
    return {
      teams: remotes.filter(({ kind }) => kind === "opensearch").map(({ name }) => name),
    } satisfies TeamsReply;
  }),
  list: reading(
    { offset: z._default(count(MANY), 0), limit: z._default(count(500), 100) },
    async ({ history }, { offset, limit }) => {
      const { total, rows, coverage } = await history.list({ offset, limit, skipRefresh: true });
      return {
        total,
        sessions: rows.map(listedSession),
        coverage: coverageLine(coverage),
      } satisfies ListAnswer;
    },
  ),
  /** Reads changed logs into the index. */
  refresh: reading({}, async ({ history }) => {
    const { coverage } = await history.list({ limit: 0 });
    return coverageLine(coverage);
  }),
  session: reading({ key }, async ({ history, sessions }, { key }) => {
    const session = await sessions.read(key);
    return sessionAnswer(session, costFinder(history.library.config.prices));
  }),
  turns: reading({ key, from: count(MANY), to: count(MANY) }, async ({ sessions }, { key, from, to }) => {
    const { open, mark } = await sessions.read(key);
    const turns = open.session.turns.filter(({ number }) => number >= from && number <= to);
    return {
      mark,
      turns: turns.slice(0, MAX_TURNS).map((turn) => turnView(open.session, turn)),
    } satisfies TurnsAnswer;
  }),
  images: reading({ key, turn: count(MANY) }, async ({ sessions }, { key, turn: number }) => {
    const { open } = await sessions.read(key);
    const turns = open.session.turns.filter((turn) => turn.number === number);
    return { images: open.images(turns).get(number) ?? [] } satisfies ImagesAnswer;
  }),
  steps: reading({ ...place, from: count(MANY) }, async ({ sessions }, { key, from, ...where }) => {
    const { open } = await sessions.read(key);
    return stepsAnswer(open.session, where, from);
  }),
  details: reading({ ...place, step: count(MANY) }, async ({ sessions }, { key, step, ...where }) => {
    const { open } = await sessions.read(key);
    const details = detailsOf(open.session, where, step);
    if (details !== undefined) return details;
    throw new UserError("Cannot show this step: the log has changed", {
      exitCode: exitCodes.nothingFound,
      hint: "load the page again",
    });
  }),
  result: reading({ key, call: key }, async ({ history }, { key, call }) => resultAnswer(history, key, call)),
  context: reading({ key }, async ({ sessions }, { key }) =>
    contextAnswer((await sessions.read(key)).open.session),
  ),
  projects: reading({}, async ({ history }) => {
    const { projects } = await history.projects();
    return {
      projects: projects.map(
        ({ agents, worktrees, project: root, name, machine, sessions, turns, startedAt, endedAt }) => ({
          project: root,
          name,
          machine,
          sessions,
          turns,
          startedAt,
          endedAt,
          agents: Object.entries(agents).map(([agent, count]) => ({ agent, sessions: count })),
          worktrees: worktrees.map((each) => ({
            worktree: each.worktree,
            project: each.project,
            sessions: each.sessions,
            endedAt: each.endedAt,
          })),
        }),
      ),
    } satisfies ProjectsReply;
  }),
  files: reading({ pattern: text }, async ({ history }, { pattern }) => {
    const { total, sessions } = await history.files(pattern, { limit: MAX_LISTED });
    return {
      total,
      sessions: sessions.map(({ row, files }) => ({
        ...listedSession(row),
        files: files.map(({ path, reads, writes, mentions, lastAt }) => ({
          path,
          reads,
          writes,
          mentions,
          lastAt,
        })),
      })),
    } satisfies FilesReply;
  }),
  work: reading({}, async ({ history }) => {
    const { total, sessions } = await history.pending({ everywhere: true, folded: true, limit: MAX_LISTED });
    return {
      total,
      sessions: sessions.map(({ row, items }) => ({
        ...listedSession(row),
        items: items.map((item) => ({
          text: pendingText(item),
          turn: item.turn,
          sign: pendingSign(item),
          says: pendingWords(item),
        })),
      })),
    } satisfies WorkReply;
  }),
  /** Nothing of the example history is ever deleted. */
  keeping: reading({}, async ({ history }) => ({
    agents: history.demo ? [] : (await history.retention()).map(keepingOf),
  })),
  activity: reading({}, async ({ history }) => activityReply(await history.stats())),
  /** Whether the log of a session has changed. Reads it only if it has. */
  changes: reading({ key }, async ({ sessions }, { key }) => {
    const { open, mark, isArchived } = await sessions.read(key);
    return { mark, state: open.state, isArchived: isArchived() } satisfies ChangesAnswer;
  }),

  export: action({ key, format: z.enum(exportFormats) }, async ({ history }, { key, format }) => {
    const { parts, sessionId } = await history.export(key, { format });
    return {
      name: `${sessionId.replace(/[^\w.-]/g, "_")}.${format}`,
      type: { md: "text/markdown", html: "text/html", json: "application/json" }[format],
      text: [...parts()].join(""),
    } satisfies ExportAnswer;
  }),
  /** Without a key, everything. */
  archive: action({ key: z.optional(key) }, async ({ history }, { key }) => {
    const { archived, unchanged, problems } = await history.archive(key);
    return {
      archived: archived.length,
      unchanged,
      problems: problems.slice(0, MAX_LISTED).map(({ path, what }) => ({ path, what })),
    } satisfies ArchiveReply;
  }),
  restore: action({ key, dryRun: z._default(z.boolean(), false) }, async ({ history }, { key, dryRun }) => {
    const { sessions, problems } = await history.restore(key, { dryRun });
    const [toImport] = sessions.filter(({ imports }) => imports.length > 0);
    if (toImport !== undefined && !dryRun)
      throw new UserError("Cannot restore it here: its agent has to import it", {
        exitCode: exitCodes.refused,
        hint: `\`sessions restore ${toImport.id}\` runs the command for that`,
      });
    return {
      sessions: sessions.map((session) => ({
        outcome: session.outcome,
        files: session.files.map(({ path }) => ({ path })),
        notes: restoreNotes(session, "`sessions restore --into PROJECT_DIR`"),
      })),
      problems,
    } satisfies RestoreReply;
  }),
};

/** The names of all calls. */
export const callNames: readonly string[] = Object.keys(calls);

const MAX_TURNS = 40;
/** Longer lists of files and open work are cut: a person narrows them down. */
const MAX_LISTED = 300;

function keepingOf(status: RetentionStatus): KeepingReply["agents"][number] {
  const { agent, agentName, folder, effective, sweepsAtMs, sessions, notArchived, atRisk } = status;
  return {
    agent,
    name: agentName,
    folder,
    days: effective.days,
    from: effective.from,
    paused: effective.paused === undefined ? null : `${effective.paused.what} (${effective.paused.place})`,
    sweepsAt: sweepsAtMs,
    sessions,
    notArchived,
    deleted: { sessions: atRisk.length, notArchived: atRisk.filter(({ archived }) => !archived).length },
    atRisk: atRisk.slice(0, MAX_LISTED).map(({ id, title, project, deletedAfterMs, archived }) => ({
      key: `${agent}:${id}`,
      title,
      project,
      deletedAfter: deletedAfterMs,
      isArchived: archived,
    })),
  };
}

function sortOf(): z.ZodMiniDefault<
  z.ZodMiniEnum<{ relevance: "relevance"; newest: "newest"; oldest: "oldest" }>
> {
  return z._default(z.enum(["relevance", "newest", "oldest"]), "relevance");
}

/** A call that changes nothing. */
function reading<T extends z.core.$ZodShape>(
  shape: T,
  run: (context: CallContext, args: z.infer<z.ZodMiniObject<T>>) => Promise<object>,
): PageCall {
  return { isAction: false, run: (context, args) => run(context, readArguments(shape, args)) };
}

/** A call that writes, or returns a document. */
function action<T extends z.core.$ZodShape>(
  shape: T,
  run: (context: CallContext, args: z.infer<z.ZodMiniObject<T>>) => Promise<object>,
): PageCall {
  return { isAction: true, run: (context, args) => run(context, readArguments(shape, args)) };
}

function readArguments<T extends z.core.$ZodShape>(shape: T, args: unknown): z.infer<z.ZodMiniObject<T>> {
  const read = z.safeParse(z.object(shape), args);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new UserError(`Cannot read the request: ${issue?.path.join(".") ?? ""} is not valid`, {
    exitCode: exitCodes.wrongUsage,
  });
}

function activityReply({ total, days, projects, agents, models, unpriced }: StatsAnswer): ActivityReply {
  const labels = labelProjects(projects);
  return {
    total: countLine(total),
    days: days.map((each) => ({ day: each.day, ...countLine(each) })),
    projects: projects.map((each, i) => ({
      name: labels[i] ?? each.name,
      project: each.project,
      ...countLine(each),
    })),
    agents: agents.map((each) => ({ name: each.agent, ...countLine(each) })),
    models: models.map((each) => ({ name: each.model ?? "not named", ...countLine(each) })),
    unpriced,
  };
}

function countLine(count: StatsAnswer["total"]): CountLine {
  const { sessions, turns, toolCalls, failures, cost } = count;
  return { sessions, turns, toolCalls, failures, tokens: tokensOf(count), cost };
}

/** `here`: the keys of this machine's sessions, for an answer of a team. */
function searchAnswer(result: SearchResult, here?: ReadonlySet<string>): FoundAnswer {
  const { total, ranked, totalIsExact, match, hits, nearestWords, coverage, partial = null } = result;
  return {
    total,
    ranked,
    totalIsExact,
    match,
    sessions: hits.map(({ row, snippets, matchingTurns, from }) => ({
      ...listedSession(row),
      machine: from?.machine ?? row.digest.machine ?? null,
      owner: from?.owner ?? null,
      isHere: here?.has(`${row.digest.agent}:${row.digest.id}`) ?? true,
      matchingTurns,
      snippets: snippets.map(({ turn, role, at, context, text, highlights }) => ({
        turn,
        role,
        at,
        context,
        text,
        highlights,
      })),
    })),
    nearestWords: nearestWords.map(({ word, nearest }) => ({ word, nearest })),
    coverage: coverageLine(coverage),
    partial,
  };
}

function coverageLine({ sessions, turns, problems, indexedAt }: CoverageLine): CoverageLine {
  return { sessions, turns, problems, indexedAt };
}

/** A longer text would make the page slow; `sessions retrieve` has all of it. */
const MAX_RESULT_CHARS = 1_000_000;
const MAX_IMAGE_BYTES = 20 * 1024 * 1024;
const imageTypes: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

async function resultAnswer(history: OpenHistory, key: string, call: string): Promise<ResultAnswer> {
  const { blocks } = await history.retrieve(key, call);
  return {
    blocks: blocks.map(({ text, data, mediaType, bytes }) => {
      if (text !== null) return { kind: "text", ...startOf(text()) };
      const isImage = imageTypes.includes(mediaType ?? "") && bytes <= MAX_IMAGE_BYTES;
      if (!isImage || data === null || mediaType === null) return { kind: "other", mediaType, bytes };
      return { kind: "image", mediaType, data: Buffer.concat([...data()]).toString("base64") };
    }),
  };
}

function startOf(parts: Iterable<string>): { readonly text: string; readonly isCut: boolean } {
  let all = "";
  for (const part of parts) {
    all += part;
    if (all.length > MAX_RESULT_CHARS) return { text: all.slice(0, MAX_RESULT_CHARS), isCut: true };
  }
  return { text: all, isCut: false };
}
