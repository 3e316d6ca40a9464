import { rowsOf } from "../search/refresh/index-rows.ts";
import type { SessionLabel } from "./history.ts";
import type { OpenStore } from "./open-store.ts";

/** Lists the sessions of the index as it is, newest first: nothing is refreshed, so that a Tab in a shell is fast. */
export async function sessionLabels({ engine }: OpenStore["access"]): Promise<readonly SessionLabel[]> {
  const opened = await engine.read();
  if (opened.kind !== "open") return [];
  try {
    const read = await rowsOf(opened.reader);
    const rows = read.kind === "rows" ? [...read.rows.values()] : [];
    return rows
      .sort((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0))
      .map(({ agent, id, title, project, repository, worktree, branch, tools }) => ({
        agent,
        id,
        title,
        project,
        repository,
        worktree,
        branch,
        tools: Object.keys(tools),
      }));
  } finally {
    await opened.reader.close();
  }
}
