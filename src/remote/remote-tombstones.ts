import { dirname } from "node:path";
import { markdownPath } from "../archive/archived-sessions.ts";
import { forgottenFolder, forgottenSessions, openArchive } from "../archive/open-archive.ts";
import { readUndone, type UndoneTombstone, writeUndone } from "../archive/raw/undone-tombstones.ts";
import { forgetSession, undoForget } from "../forget.ts";
import { removeTree } from "../fs/folders.ts";
import type { Library } from "../fs/library.ts";
import { type Locking, withStore } from "../fs/store.ts";
import { type LogKey, logKey } from "../session/session.ts";
import type { MachineManifest, PushedUndoing } from "./machine-manifest.ts";

export interface TombstonesAnswer {
  /** Sessions that were forgotten on another machine and have now been forgotten here. */
  readonly forgotten: readonly LogKey[];
  /** Forgotten sessions that another machine brought back. */
  readonly broughtBack: readonly LogKey[];
}

/**
 * Whether a session was forgotten on any machine and its own machine has not brought it back since: only the machine
 * that owns a session can declare the tombstones of others void.
 */
export function forgottenAnywhere(
  machines: readonly Pick<MachineManifest, "machine" | "forgotten" | "undone">[],
): (machine: string, session: LogKey) => boolean {
  const undoneUntil = new Map<string, number>();
  for (const { machine, undone } of machines)
    for (const each of undone) undoneUntil.set(`${machine.id} ${logKey(each)}`, each.until);
  const names = new Set<string>();
  for (const stone of machines.flatMap(({ forgotten }) => forgotten)) {
    const name = `${stone.machine} ${logKey(stone)}`;
    if (stone.at > (undoneUntil.get(name) ?? Number.NEGATIVE_INFINITY)) names.add(name);
  }
  return (machine, session) => names.has(`${machine} ${logKey(session)}`);
}

export interface TombstoneOptions {
  /** The fingerprint of the repository that the manifests are from. */
  readonly repository: string;
  readonly locking: Locking;
  readonly dryRun: boolean;
}

/** Sessions that were brought back here, and the tombstones this voids: all that other machines have by now. */
async function undoneHere(
  library: Library,
  own: string,
  machines: readonly MachineManifest[],
  { repository, locking, dryRun }: TombstoneOptions,
): Promise<readonly PushedUndoing[]> {
  const folder = forgottenFolder(library);
  const stones = machines.flatMap(({ forgotten }) => forgotten).filter(({ machine }) => machine === own);
  const isOpen = ({ until, via }: UndoneTombstone): boolean =>
    until === null && (via === null || via === repository);
  const resolve = (): readonly UndoneTombstone[] =>
    readUndone(library.disk, folder).map((each) => {
      const times = stones.filter((stone) => logKey(stone) === logKey(each)).map(({ at }) => at);
      return isOpen(each) ? { ...each, until: Math.max(0, ...times) } : each;
    });
  if (readUndone(library.disk, folder).some(isOpen) && !dryRun)
    await withStore(library, locking, () => writeUndone(library.disk, folder, resolve()));
  return resolve().flatMap(({ until, via: _via, ...key }) => (until === null ? [] : [{ ...key, until }]));
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
  options: TombstoneOptions,
): Promise<TombstonesAnswer> {
  const { repository, locking, dryRun } = options;
  const undone = await undoneHere(library, own, machines, options);
  const isForgotten = forgottenAnywhere([
    ...machines,
    { machine: { id: own, name: "" }, forgotten: [], undone },
  ]);
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
      const machine = machines.find((each) =>
        each.forgotten.some((stone) => stone.machine === own && logKey(stone) === logKey(session)),
      )?.machine.id;
      const by = machine === undefined ? {} : { by: { machine, via: repository } };
      await forgetSession(library, { agent, id, copy }, { locking, ...by });
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
    const isKnown =
      machines.some(({ machine }) => machine.id === stone.by) &&
      (stone.via === null || stone.via === repository);
    if (!isUndone || !isKnown) continue;
    const { agent, id, copy } = stone;
    broughtBack.push({ agent, id, copy });
    if (!dryRun) await undoForget(library, { agent, id, copy }, { locking, isUndoneThere: true });
  }
  for (const stone of forgottenSessions(library).stones) {
    // Forgotten here, and brought back by the machine that owns it.
    if (stone.origin === null || stone.phase === "forgetting" || stone.phase === "undoing") continue;
    const { agent, id, copy, origin, at } = stone;
    const theirs = machines.find(({ machine }) => machine.id === origin.machine);
    const isVoid = theirs?.undone.some(
      (each) => logKey(each) === logKey({ agent, id, copy: origin.copy }) && at <= each.until,
    );
    if (isVoid !== true) continue;
    broughtBack.push({ agent, id, copy });
    if (!dryRun) await undoForget(library, { agent, id, copy }, { locking, isUndoneThere: true });
  }
  return { forgotten, broughtBack };
}
