import { readState, rowsOf, settingsMark } from "../search/refresh/index-rows.ts";
import type { SessionLabel } from "./history.ts";
import type { OpenStore } from "./open-store.ts";

/**
 * Lists the sessions of the index without refreshing it, newest first, so that a Tab in a shell is fast. The index is
 * masked; if it was masked by other rules than the present ones, nothing is listed until it is refreshed.
 */
export async function sessionLabels({ library, access }: OpenStore): Promise<readonly SessionLabel[]> {
  const opened = await access.engine.read();
  if (opened.kind !== "open") return [];
  try {
    if (readState(opened.reader.state).settings !== settingsMark(library.config)) return [];
    const read = await rowsOf(opened.reader);
    const rows = read.kind === "rows" ? [...read.rows.values()] : [];
    return rows
      .sort((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0))
      .map(({ agent, id, title, project, repository, worktree, branch, tools, machine }) => ({
        agent,
        id,
        title,
        project,
        repository,
        worktree,
        branch,
        tools: Object.keys(tools),
        ...(machine === undefined ? {} : { machine }),
      }));
  } finally {
    await opened.reader.close();
  }
}
