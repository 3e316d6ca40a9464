import { exitCodes, UserError } from "../core/errors.ts";
import { IndexDamage } from "../core/search/index-damage.ts";
import type { SearchEngine } from "../core/search/search-engine.ts";
import { rowsOf } from "./indexing/index-rows.ts";

/**
 * Why a session can't be opened that searches still find: its log is gone, no archive has it, and only its words
 * are left. undefined where the index does not know it either.
 */
export async function onlyInIndex(engine: SearchEngine, id: string): Promise<UserError | undefined> {
  const opened = await engine.read();
  if (opened.kind !== "open") return undefined;
  try {
    const known = await rowsOf(opened.reader);
    if (known.kind === "damaged") return undefined;
    const row = [...known.rows.values()].find((each) => each.id === id);
    if (row === undefined) return undefined;
    return new UserError(`Cannot show session ${id}: its log is gone and it was not archived`, {
      exitCode: exitCodes.nothingFound,
      hint: "`sessions search` still finds its words; `sessions archive` keeps those that are left",
    });
  } catch (error) {
    if (error instanceof IndexDamage) return undefined;
    throw error;
  } finally {
    await opened.reader.close();
  }
}
