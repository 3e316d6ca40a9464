import { dirname, join } from "node:path";
import type { MarkdownWriter } from "../archive/keep-session.ts";
import type { Progress } from "../archive/progress.ts";
import { assertNever, exitCodes, type Problem, UserError } from "../errors.ts";
import { makeFolders } from "../fs/folders.ts";
import type { Library } from "../fs/library.ts";
import { tryLock } from "../fs/lock.ts";
import type { Locking } from "../fs/store.ts";
import { collectGarbage, type GarbageAnswer } from "./collect-garbage.ts";
import { openFolderStore } from "./folder-store.ts";
import { isSameName, type MachineName, thisMachine } from "./machine.ts";
import type { ObjectStore } from "./object-store.ts";
import { readManifests } from "./other-machines.ts";
import { type PullAnswer, pullSessions } from "./pull-sessions.ts";
import { type PushAnswer, pushSessions } from "./push-sessions.ts";
import { applyTombstones, forgottenAnywhere, type TombstonesAnswer } from "./remote-tombstones.ts";
import { type Remote, rememberRepository } from "./remotes.ts";
import { openRepository, type Repository } from "./repository.ts";
import { openAccess, ownIdentity, type RepositoryAccess } from "./repository-key.ts";
import { openS3Store } from "./s3-store.ts";

export interface SyncOptions {
  readonly locking: Locking;
  readonly markdown: MarkdownWriter;
  readonly dryRun: boolean;
  /** Reads everything that this machine has pushed and pulled, and stores or fetches again what is damaged. */
  readonly check: boolean;
  readonly onProgress: (phase: "Pushing" | "Pulling", done: Progress) => void;
  readonly pause: () => Promise<void>;
}

export interface SyncAnswer {
  readonly remote: string;
  readonly place: string;
  readonly machine: string;
  /** Whether another machine that has pushed has the same name. */
  readonly isNameShared: boolean;
  readonly dryRun: boolean;
  readonly pushed: Omit<PushAnswer, "problems" | "manifest" | "records">;
  readonly pulled: Omit<PullAnswer, "problems">;
  readonly tombstones: TombstonesAnswer;
  readonly garbage: GarbageAnswer;
  /** The machines that have pushed, including this one. */
  readonly machines: readonly SyncedMachine[];
  readonly problems: readonly Problem[];
}

export interface SyncedMachine {
  readonly name: string;
  readonly sessions: number;
  readonly isThis: boolean;
}

/** Opens the place of a remote. */
export function openPlace(library: Library, remote: Remote): ObjectStore {
  switch (remote.kind) {
    case "folder":
      return openFolderStore(library.disk, remote.url);
    case "s3":
      return openS3Store(library, remote);
    case "opensearch":
      throw new UserError(
        `Cannot sync with ${remote.name}: it is an OpenSearch cluster; use \`sessions push\``,
        {
          exitCode: exitCodes.wrongUsage,
        },
      );
    default:
      return assertNever(remote.kind);
  }
}

/**
 * Makes the folder of a new remote, if its parent folder exists: a drive that is not mounted must not be replaced by
 * a folder.
 */
export function makePlace({ disk }: Library, { kind, url }: Remote): void {
  if (kind === "folder" && disk.stat(dirname(url))?.kind === "folder") makeFolders(disk, url);
}

/** A repository that this machine has access to. */
export interface OpenRemote {
  readonly repository: Repository;
  readonly access: RepositoryAccess;
  readonly machine: MachineName;
  readonly recipient: string;
}

/** Opens the repository of a remote with this machine's identity, and remembers which repository that is. */
export async function openRemote(
  library: Library,
  remote: Remote,
  locking: Locking,
  store: ObjectStore,
): Promise<OpenRemote> {
  const identity = await ownIdentity(library);
  const machine = thisMachine(library, locking.processes.host);
  const access = await openAccess(store, remote, identity, machine.id);
  if (remote.repository === undefined) await rememberRepository(library, remote, access.fingerprint, locking);
  return {
    repository: openRepository(store, access.cipher),
    access,
    machine,
    recipient: identity.recipient,
  };
}

/** Pushes this machine's archive, pulls the sessions of other machines, and removes garbage. */
export async function syncWith(
  library: Library,
  remote: Remote,
  options: SyncOptions,
  store: ObjectStore = openPlace(library, remote),
): Promise<SyncAnswer> {
  const { disk, places } = library;
  makeFolders(disk, places.logs);
  const attempt = tryLock(disk, join(places.logs, "sync.lock"), options.locking.processes);
  if (attempt.kind === "held") {
    throw new UserError(`Cannot sync with ${remote.name}: another sync of this machine is running`, {
      exitCode: exitCodes.refused,
      hint: "wait for it to end, and run this again",
    });
  }
  try {
    return await run(library, remote, options, store);
  } finally {
    attempt.lock.release();
  }
}

async function run(
  library: Library,
  remote: Remote,
  options: SyncOptions,
  store: ObjectStore,
): Promise<SyncAnswer> {
  const { dryRun, check, locking, markdown, pause, onProgress } = options;
  const { repository, access, machine, recipient } = await openRemote(library, remote, locking, store);
  const manifests = await readManifests(repository);
  const others = [...manifests.newest.values()].filter((each) => each.machine.id !== machine.id);
  const tombstones = await applyTombstones(library, machine.id, others, {
    repository: access.fingerprint,
    locking,
    dryRun,
  });
  const places = manifests.all.filter((place) => place.machine === machine.id);
  const readable = manifests.places.get(machine.id)?.number ?? 0;
  const pushed = await pushSessions(library, repository, {
    machine,
    recipient,
    before: manifests.newest.get(machine.id),
    places,
    isNewestDamaged: places.some(({ number }) => number > readable),
    dryRun,
    check,
    pause,
    onProgress: (done) => onProgress("Pushing", done),
  });
  const pulled = await pullSessions(library, repository, {
    machines: others,
    isForgotten: forgottenAnywhere([...others, pushed.manifest]),
    locking,
    markdown,
    dryRun,
    check,
    pause,
    onProgress: (done) => onProgress("Pulling", done),
  });
  const garbage = await collectGarbage(library, repository, { dryRun, records: pushed.records });
  const machines = [...others, pushed.manifest].map((each) => ({
    name: each.machine.name,
    sessions: each.sessions.length,
    isThis: each.machine.id === machine.id,
  }));
  return {
    remote: remote.name,
    place: store.place,
    machine: machine.name,
    isNameShared: others.some((each) => isSameName(each.machine.name, machine.name)),
    dryRun,
    pushed: {
      sessions: pushed.sessions,
      objects: pushed.objects,
      bytes: pushed.bytes,
      mended: pushed.mended,
    },
    pulled: { sessions: pulled.sessions, objects: pulled.objects, bytes: pulled.bytes },
    tombstones,
    garbage,
    machines: machines.sort((a, b) => (a.name < b.name ? -1 : 1)),
    problems: [...manifests.problems, ...pushed.problems, ...pulled.problems],
  };
}
