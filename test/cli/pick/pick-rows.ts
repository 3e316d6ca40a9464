import { initialState, type PickRow, type PickState, update } from "../../../src/cli/pick/pick-state.ts";
import type { CatalogRow, SessionState } from "../../../src/index.ts";

/** A session in the list, without a log behind it. */
export function makeRow(
  id: string,
  title: string | null = `Session ${id}`,
  state: SessionState = "idle",
): PickRow {
  const digest: CatalogRow["digest"] = {
    agent: "claude",
    id,
    title,
    project: "/home/ana/shop",
    repository: null,
    worktree: null,
    branch: "main",
    startedAt: 0,
    endedAt: 1_000,
    turns: 3,
    messages: 9,
    compactions: 0,
    bytes: 100,
    files: 1,
    lead: `/home/ana/.claude/projects/-home-ana-shop/${id}.jsonl`,
    origin: "log",
    mark: "",
    firstTurn: null,
    contexts: ["current"],
    tools: {},
    topFiles: [],
    pending: [],
    closed: [],
    problems: [],
    activity: { models: [], slots: [], turns: [] },
  };
  const row: CatalogRow = { digest, state, source: digest.lead, copies: 1, archive: null, bytes: 100 };
  return { row, snippets: [], matchingTurns: 0, pending: [] };
}

/** The same session, pulled from another machine. */
export function onMachine({ row, ...rest }: PickRow, machine: string): PickRow {
  return { ...rest, row: { ...row, source: null, digest: { ...row.digest, machine } } };
}

export function makeState(options: Partial<Parameters<typeof initialState>[0]> = {}): PickState {
  const size = { columns: 100, rows: 14 };
  return initialState({
    size,
    project: "/home/ana/shop",
    isDemo: false,
    scope: "project",
    onEnter: "resume",
    query: "",
    ...options,
  });
}

/** The state after the list was answered with these sessions; with `limit`, there are more of them. */
export function withRows(state: PickState, rows: readonly PickRow[], limit = 1_000): PickState {
  const request = { list: state.list, query: state.line.text.trim(), scope: state.scope, limit };
  const answer = { request, rows, total: rows.length, totalIsExact: true, match: "" };
  return update(state, { kind: "answer", answer }).state;
}
