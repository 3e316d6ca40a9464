import { type RestoreAnswer, restoreSessions } from "../archive/restore-sessions.ts";
import { exitCodes, UserError } from "../errors.ts";
import type { Library } from "../fs/library.ts";
import { allArchived, selectArchived } from "../search/select-archived.ts";
import type { SelectOptions } from "../search/select-sessions.ts";
import { THIS_MACHINE } from "../search/session-condition.ts";
import { pauseOf, wordsOf } from "./call-options.ts";
import { machinesCalled } from "./filters.ts";
import type { RestoreCallOptions, Selector } from "./history.ts";
import { migrateOlderStore, type Writing } from "./writing.ts";

interface RestoreFrom {
  readonly library: Library;
  readonly writing: Writing;
  /** The name of this machine. */
  readonly machineName: string;
  readonly endedAt: SelectOptions["endedAt"];
}

/** Selects archived sessions and puts them back. `all` means those of this machine, unless another one is named. */
export async function restoreArchived(
  { library, writing: { locking }, machineName, endedAt }: RestoreFrom,
  selector: Selector,
  { everywhere = false, allCopies = false, machine, ...call }: RestoreCallOptions,
): Promise<RestoreAnswer> {
  await migrateOlderStore(library, locking);
  const machines = machine === undefined ? [] : machinesCalled([machine], machineName);
  if (machine !== undefined) checkKnown(library, machine, machines);
  const sessions =
    selector === "all"
      ? allArchived(library, ...(machine === undefined ? [THIS_MACHINE] : machines))
      : selectArchived(library, wordsOf(selector), {
          everywhere,
          machines,
          copies: allCopies ? "all" : "refuse",
          endedAt,
        });
  return restoreSessions(library, sessions, { ...call, locking, pause: pauseOf(call) });
}

/** Refuses the name of a machine without sessions in the archive; this one is always known. */
function checkKnown(library: Library, machine: string, machines: readonly string[]): void {
  if (machines.some((name) => name.toLowerCase() === THIS_MACHINE)) return;
  if (allArchived(library, ...machines).length > 0) return;
  const known = new Set(allArchived(library).flatMap(({ origin }) => (origin === null ? [] : [origin.name])));
  throw new UserError(
    `Cannot restore from ${JSON.stringify(machine)}: no session comes from a machine with that name`,
    {
      exitCode: exitCodes.nothingFound,
      hint:
        known.size === 0
          ? "`sessions sync` brings those of your other machines here"
          : `there are sessions of ${[...known].sort().join(", ")}`,
    },
  );
}
