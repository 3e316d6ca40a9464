import { type RestoreAnswer, restoreSessions } from "../archive/restore-sessions.ts";
import type { Library } from "../fs/library.ts";
import { allArchived, selectArchived } from "../search/select-archived.ts";
import type { SelectOptions } from "../search/select-sessions.ts";
import { THIS_MACHINE } from "../search/session-condition.ts";
import { pauseOf, wordsOf } from "./call-options.ts";
import type { RestoreCallOptions, Selector } from "./history.ts";
import { migrateOlderStore, type Writing } from "./writing.ts";

interface RestoreFrom {
  readonly library: Library;
  readonly writing: Writing;
  /** What this machine is called. */
  readonly machineName: string;
  readonly endedAt: SelectOptions["endedAt"];
}

/** Selects archived sessions and puts them back. `all` are those of this machine, unless another one is named. */
export async function restoreArchived(
  { library, writing: { locking }, machineName, endedAt }: RestoreFrom,
  selector: Selector,
  { everywhere = false, allCopies = false, machine, ...call }: RestoreCallOptions,
): Promise<RestoreAnswer> {
  await migrateOlderStore(library, locking);
  const isOwn = machine?.toLowerCase() === machineName.toLowerCase();
  const of = isOwn ? THIS_MACHINE : machine;
  const sessions =
    selector === "all"
      ? allArchived(library, of ?? THIS_MACHINE)
      : selectArchived(library, wordsOf(selector), {
          everywhere,
          machine: of,
          copies: allCopies ? "all" : "refuse",
          endedAt,
        });
  return restoreSessions(library, sessions, { ...call, locking, pause: pauseOf(call) });
}
