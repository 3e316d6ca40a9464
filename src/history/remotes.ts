import { exitCodes, UserError } from "../errors.ts";
import type { Library } from "../fs/library.ts";
import type { NewRemote, Remote } from "../remote/remotes.ts";
import type { SyncAnswer } from "../remote/sync.ts";
import type { RepositoryProof } from "../remote/verify-repository.ts";
import type { Mask } from "../search/export-session.ts";
import type { IndexAccess } from "../search/refresh/index-access.ts";
import { abortable, pauseOf } from "./call-options.ts";
import type { AnyCallOptions, CallProgress, LongOptions } from "./history.ts";
import type { Writing } from "./writing.ts";

/** The places outside of this machine that the user has added. */
export interface Remotes {
  list(): Promise<readonly ListedRemote[]>;
  /** Adds a remote. A folder or a bucket becomes a repository, if it is not one yet. */
  add(given: NewRemote): Promise<AddedRemote>;
  /** Removes it from the list. Its content stays where it is. */
  remove(name: string): Promise<Remote>;
  /** Who can read the repository of a remote. With `add`, one more recipient can. */
  key(name: string | undefined, options?: { readonly add?: string | undefined }): Promise<RemoteKeys>;
  /** Pushes the archive, and pulls the sessions of other machines; without a name, with the only remote. */
  sync(name: string | undefined, options?: SyncCallOptions): Promise<SyncAnswer>;
  /** Verifies everything that any machine has pushed, by fetching it. Changes nothing. */
  verify(name: string, options?: LongOptions): Promise<RepositoryProof>;
  /** Syncs with the remotes that the config names, if a sync is due. */
  syncIfDue(options?: AnyCallOptions): Promise<readonly SyncOutcome[]>;
}

export interface ListedRemote extends Remote {
  /** When this machine last synced with it, or pushed to it; null if it never did. */
  readonly lastSyncAt: number | null;
}

/** The outcome of a sync in the background. */
export interface SyncOutcome {
  readonly remote: string;
  /** Why it failed, or what it could not read; empty if everything went well. */
  readonly problems: readonly string[];
}

export interface AddedRemote {
  readonly remote: Remote;
  /** Whether this machine made the repository, or can read the existing one; null if it is not a repository. */
  readonly repository: "created" | "joined" | "no access" | null;
  /** The recipient that others have to admit; null if it is not a repository. */
  readonly recipient: string | null;
}

export interface RemoteKeys {
  readonly remote: Remote;
  /** Identifies the repository: all machines must see the same. */
  readonly fingerprint: string;
  /** The recipient of this machine. */
  readonly recipient: string;
  readonly recipients: readonly KnownRecipient[];
  /** The name of this machine. */
  readonly machine: string;
  /** Whether another machine that has pushed has the same name. */
  readonly isNameShared: boolean;
  /** Set if a recipient was to be added: false if it already had access. */
  readonly added: boolean | null;
}

/** A recipient that can read a repository. */
export interface KnownRecipient {
  readonly recipient: string;
  /** The machine that has pushed with it; null if none has yet. */
  readonly machine: string | null;
  readonly isThis: boolean;
}

export interface SyncCallOptions extends AnyCallOptions {
  readonly dryRun?: boolean;
  /** Reads everything that this machine has pushed and pulled, and stores or fetches again what is damaged. */
  readonly check?: boolean;
  readonly onProgress?: (phase: "Pushing" | "Pulling", progress: CallProgress) => void;
}

/** Everything that the calls need from an open history. */
interface RemotesFrom {
  readonly library: Library;
  readonly access: IndexAccess;
  readonly mask: Mask;
  writing(): Promise<Writing>;
}

function fingerprintOf(repository: string | undefined): Pick<Remote, "repository"> {
  return repository === undefined ? {} : { repository };
}

/** The remotes of an open history. Every call loads only the code that it needs. */
export function remotesOf({ library, access, mask, writing }: RemotesFrom): Remotes {
  const remotes: Remotes = {
    async list() {
      const { readRemotes } = await import("../remote/remotes.ts");
      const { lastSyncs } = await import("../remote/sync-stamp.ts");
      const stamps = lastSyncs(library);
      return readRemotes(library).map((remote) => ({
        ...remote,
        lastSyncAt: stamps.get(remote.name) ?? null,
      }));
    },
    async add(given) {
      const { addRemote, checkRemote, presentRemote } = await import("../remote/remotes.ts");
      const { locking } = await writing();
      const remote = checkRemote(library, given);
      const known = presentRemote(library, remote)?.repository;
      if (remote.kind === "opensearch") {
        await addRemote(library, remote, locking);
        return { remote, repository: null, recipient: null };
      }
      const { makePlace, openPlace } = await import("../remote/sync.ts");
      const { createOrJoin, openAccess, ownIdentity } = await import("../remote/repository-key.ts");
      const identity = await ownIdentity(library);
      if (known === undefined) makePlace(library, remote);
      const store = openPlace(library, remote);
      const repository = await createOrJoin(store, identity, known);
      const fingerprint =
        repository === "no access"
          ? known
          : (await openAccess(store, { ...remote, ...fingerprintOf(known) }, identity)).fingerprint;
      await addRemote(library, { ...remote, ...fingerprintOf(fingerprint) }, locking);
      return { remote, repository, recipient: identity.recipient };
    },
    async remove(name) {
      const { removeRemote } = await import("../remote/remotes.ts");
      return removeRemote(library, name, (await writing()).locking);
    },
    async key(name, { add } = {}) {
      const { findRemote } = await import("../remote/remotes.ts");
      const { openPlace, openRemote } = await import("../remote/sync.ts");
      const { readManifests } = await import("../remote/other-machines.ts");
      const { isSameName } = await import("../remote/machine.ts");
      const { isRecipient } = await import("../remote/repository-key.ts");
      const remote = findRemote(library, name, ["s3", "folder"]);
      const store = openPlace(library, remote);
      if (add !== undefined && !isRecipient(add)) {
        throw new UserError(`Cannot admit ${JSON.stringify(add)}: it is not an age recipient`, {
          exitCode: exitCodes.wrongUsage,
          hint: `\`sessions remote key ${remote.name}\` on the other machine shows its recipient, age1…`,
        });
      }
      const { locking } = await writing();
      const {
        access: opened,
        machine,
        recipient: own,
        repository,
      } = await openRemote(library, remote, locking, store);
      const added = add === undefined ? null : await opened.admit(add);
      const { newest } = await readManifests(repository);
      const machineOf = (recipient: string): string | null =>
        [...newest.values()].find((each) => each.recipient === recipient)?.machine.name ?? null;
      const recipients = (await opened.recipients()).map((recipient) => ({
        recipient,
        machine: machineOf(recipient),
        isThis: recipient === own,
      }));
      recipients.sort(
        (a, b) => Number(b.isThis) - Number(a.isThis) || (a.machine ?? "").localeCompare(b.machine ?? ""),
      );
      const others = [...newest.values()].filter((each) => each.machine.id !== machine.id);
      const isNameShared = others.some((each) => isSameName(each.machine.name, machine.name));
      return {
        remote,
        fingerprint: opened.fingerprint,
        recipient: own,
        recipients,
        machine: machine.name,
        isNameShared,
        added,
      };
    },
    async sync(name, { dryRun = false, check = false, onProgress, ...call } = {}) {
      const { findRemote } = await import("../remote/remotes.ts");
      const { syncWith } = await import("../remote/sync.ts");
      const remote = findRemote(library, name, ["s3", "folder"]);
      const { locking, markdown } = await writing();
      const answer = await syncWith(library, remote, {
        locking,
        markdown,
        dryRun,
        check,
        onProgress: onProgress ?? (() => {}),
        pause: pauseOf(call),
      });
      if (!dryRun) {
        const { noteSynced } = await import("../remote/sync-stamp.ts");
        noteSynced(library, remote.name);
        const { withIndex } = await import("../search/refresh/index-access.ts");
        await withIndex(library, { ...abortable(access, call), listArchive: true }, async () => {});
      }
      return { ...answer, problems: mask(answer.problems) };
    },
    async verify(name, { onProgress, ...call } = {}) {
      const { findRemote } = await import("../remote/remotes.ts");
      const { openPlace, openRemote } = await import("../remote/sync.ts");
      const { verifyRepository } = await import("../remote/verify-repository.ts");
      const remote = findRemote(library, name, ["s3", "folder"]);
      const { locking } = await writing();
      const { repository } = await openRemote(library, remote, locking, openPlace(library, remote));
      return mask(
        await verifyRepository(repository, { onProgress: onProgress ?? (() => {}), pause: pauseOf(call) }),
      );
    },
    async syncIfDue(call = {}) {
      const { claimSync } = await import("../remote/sync-stamp.ts");
      const outcomes: SyncOutcome[] = [];
      for (const remote of library.config.sync.remotes) {
        if (!claimSync(library, remote)) continue;
        try {
          const { problems } = await remotes.sync(remote, call);
          outcomes.push({ remote, problems: problems.map(({ path, what }) => `${path}: ${what}`) });
        } catch (error) {
          if (!(error instanceof UserError)) throw error;
          outcomes.push({ remote, problems: [error.message] });
        }
      }
      return outcomes;
    },
  };
  return remotes;
}
