import { dirname } from "node:path";
import { markdownPath } from "../archive/archived-sessions.ts";
import { forgottenSessions, openArchive } from "../archive/open-archive.ts";
import { forgetSession, undoForget } from "../forget.ts";
import { removeTree } from "../fs/folders.ts";
import type { Library } from "../fs/library.ts";
import { type Locking, withStore } from "../fs/store.ts";
import { type LogKey, logKey } from "../session/session.ts";
import type { MachineManifest } from "./machine-manifest.ts";

export interface TombstonesAnswer {
  /** Sessions that were forgotten on another machine and have now been forgotten here. */
  readonly forgotten: readonly LogKey[];
  /** Sessions that have been brought back because another machine undid forgetting them. */
  readonly broughtBack: readonly LogKey[];
}

/** Whether a session of a machine was forgotten on any machine. */
export function forgottenAnywhere(
  machines: Iterable<MachineManifest>,
): (machine: string, session: LogKey) => boolean {
  const names = new Set<string>();
  for (const { forgotten } of machines)
    for (const stone of forgotten) names.add(`${stone.machine} ${logKey(stone)}`);
  return (machine, session) => names.has(`${machine} ${logKey(session)}`);
}

/**
 * Forgets sessions that were forgotten on other machines, and brings back those that were brought back there.
 * Sessions of this machine are moved where they can be brought back for 7 days; of sessions of other machines only
 * the pulled copy is removed, because their own machine keeps them.
 */
export async function applyTombstones(
  library: Library,
  own: string,
  machines: readonly MachineManifest[],
  { locking, dryRun }: { readonly locking: Locking; readonly dryRun: boolean },
): Promise<TombstonesAnswer> {
  const isForgotten = forgottenAnywhere(machines);
  const archive = openArchive(library);
  const forgotten: LogKey[] = [];
  const broughtBack: LogKey[] = [];
  for (const session of archive.list().sessions) {
    const { agent, id, copy, origin } = session;
    const isGone = isForgotten(origin?.machine ?? own, {
      agent,
      id,
      copy: origin === null ? copy : origin.copy,
    });
    if (!isGone || forgottenSessions(library).has(session)) continue;
    forgotten.push({ agent, id, copy });
    if (dryRun) continue;
    if (origin === null) {
      const by = machines.find((each) =>
        each.forgotten.some((stone) => stone.machine === own && logKey(stone) === logKey(session)),
      )?.machine.id;
      await forgetSession(library, { agent, id, copy }, { locking, ...(by === undefined ? {} : { by }) });
    } else {
      await withStore(library, locking, () => {
        const markdown = markdownPath(library, session);
        removeTree(library.disk, session.location);
        library.disk.fsyncFolder(dirname(session.location));
        if (markdown !== null) removeTree(library.disk, markdown);
      });
    }
  }
  for (const stone of forgottenSessions(library).stones) {
    const isUndone = stone.by !== null && stone.phase === "forgotten" && !isForgotten(own, stone);
    const isKnown = machines.some(({ machine }) => machine.id === stone.by);
    if (!isUndone || !isKnown) continue;
    const { agent, id, copy } = stone;
    broughtBack.push({ agent, id, copy });
    if (!dryRun) await undoForget(library, { agent, id, copy }, { locking });
  }
  return { forgotten, broughtBack };
}
