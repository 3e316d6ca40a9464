import { actionsOf } from "../agents/actions.ts";
import { exitCodes, UserError } from "../errors.ts";
import type { Library } from "../fs/library.ts";
import type { IndexAccess } from "../search/refresh/index-access.ts";
import { withCatalog } from "../search/session-catalog.ts";
import { type SessionPointer, sessionPointers } from "../search/session-pointers.ts";
import { sessionKey } from "../session/session.ts";

/** Finds the sessions that can be flattened and have these words in their title, branch or first request. */
export async function matchingSessions(
  library: Library,
  access: IndexAccess,
  words: readonly string[],
): Promise<readonly SessionPointer[]> {
  const wanted = words.join(" ").toLowerCase();
  const pointers = sessionPointers(library);
  const found = await withCatalog(library, access, async (catalog) => {
    const matching: SessionPointer[] = [];
    for (const row of catalog.rows) {
      const { title, branch, agent } = row.digest;
      if (row.source === null || actionsOf(agent).flattening === undefined) continue;
      const first = (await catalog.digestOf(row))?.requests[0]?.text;
      const isMatching = [title, branch, first].some((text) => text?.toLowerCase().includes(wanted) === true);
      if (isMatching)
        matching.push(...pointers.withId(sessionKey(row.digest)).filter(({ kept }) => kept === undefined));
    }
    return matching;
  });
  if (found.length > 0 && wanted.trim() !== "") return found;
  throw new UserError(
    `Cannot find a session with "${words.join(" ")}" in its title, branch or first request`,
    {
      exitCode: exitCodes.nothingFound,
      hint: "`sessions search` finds words anywhere in sessions",
    },
  );
}
