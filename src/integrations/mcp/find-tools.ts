import * as z from "zod/mini";
import { agentNames } from "../../agents/agents.ts";
import { exitCodes, type Filters, teamOf, UserError } from "../../index.ts";
import { isWord } from "../../search/query/parse-query.ts";
import { filesAnswer, listAnswer, pendingAnswer, projectsAnswer } from "../answers/list-answers.ts";
import { searchAnswer } from "../answers/search-answer.ts";
import { defineTool, flag, type McpTool, text, whole } from "./tool.ts";

const READ_ON = "To read one: read_session with its session_id (and turns).";

/** Filters that the finding tools share. */
const filterShape = {
  project: z.optional(
    text('Only this project: its folder\'s name, the end of its path, a glob, or "." for this one.'),
  ),
  agent: z.optional(text(`Only sessions of this agent: ${agentNames().join(", ")}.`)),
  since: z.optional(text('Not before: "2026-03-01", "7d", "2w", "yesterday".')),
  until: z.optional(text("Not after: as since.")),
};

interface FilterInput {
  readonly project?: string | undefined;
  readonly agent?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

function filtersOf({ project, agent, since, until }: FilterInput): Filters {
  return {
    ...(project === undefined ? {} : { project: [project] }),
    ...(agent === undefined ? {} : { agent: [agent] }),
    since,
    until,
  };
}

/** What to do if nothing was found: a filter may be the reason, and then no other words help. */
function ifNothing(filters: Readonly<Record<string, string | undefined>>, otherwise: string): string {
  const given = Object.keys(filters).filter((name) => filters[name] !== undefined);
  if (given.length === 0) return otherwise;
  const names = filters.project === undefined ? "" : " (list_projects has the names of projects)";
  return `Leave out ${given.join(", ")}${names}. ${otherwise}`;
}

export const searchTool: McpTool = defineTool({
  name: "search_sessions",
  title: "Search past sessions",
  description:
    "Search everything said and done in past coding sessions (Claude Code, Codex, Pi, Gemini CLI …), in all projects: " +
    "requests, replies, commands, errors, tool output, also what was compacted away or deleted. Use it when the user " +
    "refers to earlier work, when context was lost, or before redoing something. Pass two to six distinctive words: names, " +
    'files, error texts, commands; not a sentence. All words are wanted; best hits first. In the query: "a phrase", ' +
    "-unwanted, prefix*, file:auth.ts, cmd:test, error:failed, title:x, branch:x. If the hits miss the point, search again " +
    "with the two or three rarest words.",
  input: {
    query: text("Distinctive words to find."),
    ...filterShape,
    remote: z.optional(text("Search what a team shares, instead of this machine: the name of a remote.")),
    limit: z._default(whole(1, 50, "How many sessions at most."), 10),
  },
  isReadOnly: true,
  usesNetwork: true,
  advice: "Leave out remote to search this machine.",
  async run({ query, limit, remote, ...filters }, context, { cursor }) {
    if (!isWord(query)) {
      throw new UserError("Cannot search: the query has no word", {
        exitCode: exitCodes.wrongUsage,
        hint: "signs alone are not indexed; pass words, names or numbers",
      });
    }
    const offset = cursor?.at ?? 0;
    const history = await context.open();
    const page = { filter: filtersOf(filters), offset, limit, signal: context.signal };
    const result =
      remote === undefined
        ? await history.search(query, page)
        : await teamOf(history).search(remote, query, page);
    return searchAnswer(result, {
      offset,
      callingSession: context.callingSession,
      readOn:
        remote === undefined
          ? READ_ON
          : "They are on the machines of their owners: read_session can't read them.",
      nothing: ifNothing(filters, "Try fewer or other words, prefix*, or list_sessions."),
    });
  },
});

export const listTool: McpTool = defineTool({
  name: "list_sessions",
  title: "List past sessions",
  description:
    "List past coding sessions of all agents, newest first: id, agent, project, time and title. Use it to find a session by " +
    "when or where it was, or to get ids for the other tools; use search_sessions to find one by what was said in it.",
  input: {
    title: z.optional(text("Only sessions with these words in their title.")),
    ...filterShape,
    limit: z._default(whole(1, 200, "How many sessions at most."), 20),
  },
  isReadOnly: true,
  async run({ title, limit, ...filters }, context, { cursor }) {
    const offset = cursor?.at ?? 0;
    const history = await context.open();
    const list = await history.list({
      filter: filtersOf(filters),
      words: title?.split(/\s+/).filter((word) => word !== "") ?? [],
      offset,
      limit,
      signal: context.signal,
    });
    return listAnswer(list, {
      offset,
      callingSession: context.callingSession,
      readOn: READ_ON,
      nothing: ifNothing({ title, ...filters }, "search_sessions finds sessions by what was said."),
    });
  },
});

export const projectsTool: McpTool = defineTool({
  name: "list_projects",
  title: "List projects",
  description:
    "List the projects that past coding sessions worked in, the last active first, with the number of sessions; worktrees of a " +
    "git repository are part of it. Use it to learn the name of a project for the other tools.",
  input: {
    ...filterShape,
    limit: z._default(whole(1, 200, "How many projects at most."), 20),
  },
  isReadOnly: true,
  async run({ limit, ...filters }, context, { cursor }) {
    const offset = cursor?.at ?? 0;
    const history = await context.open();
    const answer = await history.projects({
      filter: filtersOf(filters),
      offset,
      limit,
      signal: context.signal,
    });
    return projectsAnswer(answer, {
      offset,
      readOn: "Sessions of one: list_sessions with its name as project.",
      nothing: "Leave out a filter.",
    });
  },
});

export const filesTool: McpTool = defineTool({
  name: "find_file_history",
  title: "History of a file",
  description:
    "Find which past sessions read or changed a file, and when. Use it before changing code whose history matters, or to find " +
    "out why a file is as it is.",
  input: {
    path: text("The end of the file's path (auth.ts, src/auth.ts), or a glob (src/api/*.ts)."),
    written_only: z._default(flag("Only sessions that changed it."), false),
    ...filterShape,
  },
  isReadOnly: true,
  async run({ path, written_only, ...filters }, context, { cursor }) {
    const history = await context.open();
    const answer = await history.files(path, {
      filter: filtersOf(filters),
      written: written_only,
      signal: context.signal,
    });
    return filesAnswer(answer, {
      offset: cursor?.at ?? 0,
      callingSession: context.callingSession,
      readOn: `${READ_ON} Which turns: search_sessions with the file's name.`,
      nothing: ifNothing(filters, "Pass only the file's name, or search_sessions with it."),
    });
  },
});

export const pendingTool: McpTool = defineTool({
  name: "pending_work",
  title: "Unfinished work",
  description:
    "List work that earlier sessions left unfinished, by session: open todo items, next steps of the last reply, unanswered " +
    "questions, interrupted requests. Use it to find out where the work was left off. Of this project, unless everywhere is " +
    "true.",
  input: {
    everywhere: z._default(flag("All projects."), false),
    ...filterShape,
  },
  isReadOnly: true,
  async run({ everywhere, ...filters }, context, { cursor }) {
    const history = await context.open();
    const answer = await history.pending({
      filter: filtersOf(filters),
      everywhere,
      folded: true,
      signal: context.signal,
    });
    return pendingAnswer(answer, {
      offset: cursor?.at ?? 0,
      callingSession: context.callingSession,
      readOn: READ_ON,
      nothing: "Pass everywhere: true for all projects.",
      isFiltered: Object.values(filters).some((value) => value !== undefined),
    });
  },
});
