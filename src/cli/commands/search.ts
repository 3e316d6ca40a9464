import { exitCodes, UserError } from "../../errors.ts";
import type { Library } from "../../fs/library.ts";
import { readFilters, readRequest } from "../../history/filters.ts";
import { encodeJson } from "../../redact/clean-text.ts";
import {
  hitJson,
  type SearchRequest,
  type SearchResult,
  searchSessions,
} from "../../search/search-sessions.ts";
import { agentFlags } from "../agent-answer.ts";
import { type Arguments, type Command, defineCommand } from "../command.ts";
import { filterFlags, filtersOf, offsetFlag } from "../filter-flags.ts";
import { openStoreIn } from "../open-store.ts";
import { coverageJson, printJson } from "../output/print-json.ts";
import { sanitize } from "../output/sanitize.ts";
import { formatSearch, saysNothing } from "../output/search-hits.ts";
import type { World } from "../world.ts";

const flagTable = {
  ...filterFlags,
  limit: {
    type: "number",
    default: 10,
    min: 1,
    placeholder: "N",
    description: "show at most this many sessions",
  },
  ...offsetFlag,
  sort: {
    type: "string",
    choices: ["relevance", "newest", "oldest"],
    default: "relevance",
    description: "the order of the results",
  },
  context: {
    type: "number",
    default: 0,
    alias: "C",
    placeholder: "N",
    description: "also show the requests of this many turns before and after each passage",
  },
  refresh: {
    type: "boolean",
    default: true,
    description: "do not check for new or changed logs",
  },
  ids: { type: "boolean", alias: "q", description: "print only ids" },
  remote: {
    type: "string",
    placeholder: "NAME",
    values: "cluster",
    description: "search what a team has pushed to this cluster, instead of this machine",
  },
  owner: { type: "strings", placeholder: "NAME", description: "with --remote: only sessions of this person" },
  interactive: {
    type: "boolean",
    alias: "i",
    description: "search as you type: the same as `sessions pick`",
  },
  batch: {
    type: "boolean",
    description: "read queries from stdin, one per line; print one JSON answer per line",
  },
  ...agentFlags,
} as const;

export const command: Command = defineCommand({
  description:
    "Finds sessions by what was said and done in them, best first; one that has most of the words may come before " +
    "one that has all of them scattered. A word that no session has is searched with prefixes and typos. " +
    '"A phrase" in quotes must match as a whole, -word excludes, pre* matches a prefix. The whole id of a session, ' +
    "or the path of its log, goes straight to it. Sorted by time, all words " +
    "must match. Fields narrow the search: project: file: agent: branch: tool: cmd: error: title: in: since: until:.",
  examples: [
    { line: "sessions search token refresh", says: "sessions with these words, best first" },
    {
      line: "sessions search '\"exit code 137\"' project:shop since:30d",
      says: "a phrase, in one project, in the last month",
    },
    { line: "sessions search migration -rollback file:schema.sql --json", says: "as JSON" },
  ],
  positionals: [
    {
      name: "query",
      description: 'words, "phrases", -unwanted, pre*, field:value',
      optional: true,
      many: true,
      values: "query",
    },
  ],
  flags: flagTable,
  dashWords: true,
  async run(args, world) {
    const { flags } = args;
    if (flags.interactive) {
      const { runPick } = await import("../pick/run-pick.ts");
      const { json, ids, reveal } = flags;
      const query = args.positionals.join(" ");
      const filter = { ...filtersOf(flags), owner: flags.owner };
      // Unreadable queries are refused before the screen is taken.
      readFilters(filter, [], world);
      return runPick({ query, filter, everywhere: true, json, ids, reveal }, world);
    }
    const { remote } = flags;
    const { library, access } = await openStoreIn(world, { allowDemo: remote === undefined });
    const machineName = library.config.machine ?? world.processes.host;
    const reader = { ...world, machineName, isTeam: remote !== undefined };
    const skipRefresh = flags.refresh ? access : { ...access, skipRefresh: true };
    const find = async (requests: readonly SearchRequest[]): Promise<readonly SearchResult[]> => {
      const found =
        remote === undefined
          ? await searchSessions(library, skipRefresh, requests)
          : await findInTeam(library, remote, world, requests);
      return flags.reveal ? found : maskFound(found, library);
    };
    if (flags.batch) return answerBatch(args, reader, library.demo, find);
    const query = args.positionals.join(" ");
    const request = requestOf(query, args, reader);
    for (const warning of request.query.warnings) world.stderr.write(`sessions: ${warning}\n`);
    if (world.stderr.isTerminal) noteCount(args, world);
    const startedAt = world.now();
    const [result] = await find([request]);
    if (result === undefined) return exitCodes.nothingFound;
    if (flags.json)
      printJson(world, answerJson(query, result, flags.offset, library.demo, world.now() - startedAt));
    else if (flags.ids)
      world.stdout.write(result.hits.map(({ row }) => `${sanitize(row.digest.id)}\n`).join(""));
    else if (result.hits.length > 0)
      world.stdout.write(formatSearch(result, request.query, flags.offset, world));
    else world.stderr.write(saysNothing(result, request.query, world));
    if (result.partial !== undefined) {
      if (!flags.json)
        world.stderr.write(`sessions: not everything was searched: ${sanitize(result.partial)}\n`);
      return exitCodes.withProblems;
    }
    return result.hits.length > 0 ? exitCodes.done : exitCodes.nothingFound;
  },
});

/** Says that -n with a number is searched for: in other programs it limits what they show. */
function noteCount(
  { positionals, literalFrom, given }: Arguments<typeof flagTable>,
  { stderr }: Pick<World, "stderr">,
): void {
  if (given.has("limit")) return;
  const words = positionals.slice(0, literalFrom);
  for (const [at, word] of words.entries()) {
    const [, letter, joined = words[at + 1] ?? ""] = /^-([a-z])=?(\d+)?$/i.exec(word) ?? [];
    if (letter === undefined || !/^\d+$/.test(joined)) continue;
    const typed = word.length > 2 ? word : `${word} ${joined}`;
    const read = word.length > 2 ? `leaves out sessions with "${word.slice(1)}"` : "is searched for as text";
    stderr.write(`sessions: \`${typed}\` ${read}; to show at most ${joined}: --limit ${joined}\n`);
    return;
  }
}

/** Searches a cluster; the launcher picks the bundle that can. */
async function findInTeam(
  library: Library,
  name: string,
  { processes }: World,
  requests: readonly SearchRequest[],
): Promise<readonly SearchResult[]> {
  const { findRemote } = await import("../../remote/remotes.ts");
  const { searchTeam } = await import("../../remote/search-team.ts");
  return searchTeam(library, findRemote(library, name, ["opensearch"]), { host: processes.host }, requests);
}

/** Answers many queries. One that can't be read gets an error as its answer. */
async function answerBatch(
  args: Arguments<typeof flagTable>,
  world: Reader,
  demo: boolean,
  find: (requests: readonly SearchRequest[]) => Promise<readonly SearchResult[]>,
): Promise<number> {
  const { offset } = args.flags;
  const requests: SearchRequest[] = [];
  const lines: ((results: readonly SearchResult[]) => object)[] = [];
  const empty = { match: "none", total: 0, ranked: 0, totalIsExact: true, offset, hits: [] };
  for await (const line of world.stdin.lines()) {
    const query = line.trim();
    if (query === "") continue;
    try {
      const place = requests.push(requestOf(query, args, world)) - 1;
      lines.push((results) => {
        const result = results[place];
        return result === undefined
          ? { query, ...empty }
          : answerJson(query, result, offset, demo, result.tookMs);
      });
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      lines.push(() => ({ query, ...empty, error: error.message }));
    }
  }
  const results = await find(requests);
  for (const line of lines) world.stdout.write(`${encodeJson({ schemaVersion: 1, ...line(results) })}\n`);
  if (requests.length < lines.length) return exitCodes.wrongUsage;
  return results.some(({ total }) => total > 0) ? exitCodes.done : exitCodes.nothingFound;
}

type Reader = World & Parameters<typeof readRequest>[2];

function requestOf(query: string, { flags }: Arguments<typeof flagTable>, reader: Reader): SearchRequest {
  const { sort, offset, limit, context: contextTurns } = flags;
  const filter = { ...filtersOf(flags), owner: flags.owner };
  return readRequest(query, { filter, sort, offset, limit, contextTurns }, reader);
}

/** Masks search results again: the index is masked, but the user's own patterns may be newer than it. */
async function maskFound(
  results: readonly SearchResult[],
  { config }: Library,
): Promise<readonly SearchResult[]> {
  if (config.redact.length === 0) return results;
  const { createMask } = await import("../../history/masking.ts");
  return createMask(config)(results);
}

function answerJson(
  query: string,
  result: SearchResult,
  offset: number,
  demo: boolean,
  tookMs: number,
): object {
  const { match, total, ranked, totalIsExact, hits, nearestWords, missingWords, coverage, partial } = result;
  return {
    query,
    match,
    total,
    ranked,
    totalIsExact,
    offset,
    tookMs,
    demo,
    coverage: coverageJson(coverage),
    nearestWords,
    missingWords,
    ...(partial === undefined ? {} : { partial }),
    hits: hits.map(hitJson),
  };
}
