import { Buffer } from "node:buffer";
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { join } from "node:path";
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import { exitCodes, UserError } from "../errors.ts";
import { makeFolders } from "../fs/folders.ts";
import type { Library } from "../fs/library.ts";
import { replaceFile } from "../fs/replace-file.ts";
import { tryParse } from "../jsonl/json-line.ts";
import { createObjectCipher, KEY_BYTES, type ObjectCipher } from "./object-cipher.ts";
import type { ObjectStore } from "./object-store.ts";
import type { Remote } from "./remotes.ts";

/*
 * Who can read a repository. It has one random key, and for each machine (or person) an object with that key, encrypted
 * to the public key of its age identity:
 *
 *   format.json                          which repository this is, and its version
 *   keys/<repository>-<recipient>.json   its key, wrapped to one recipient
 *
 * A new repository begins with the wrapped key; `format.json` makes it count. So if two machines create one at the same
 * time, the one that puts `format.json` first has created it, and the key of the other opens nothing.
 *
 * Anyone can encrypt to a recipient. So anyone who can write to the store could replace this repository by one of their
 * own, with a key that every machine can open, and read everything that is pushed from then on. Therefore a machine
 * remembers the fingerprint of the repository and accepts no other key.
 */

const REPOSITORY_VERSION = 1;
const FORMAT = "format.json";
const MAX_BYTES = 64 * 1024;

/** Identifies a repository. */
interface Format {
  readonly id: string;
  readonly version: number;
  readonly check: string;
}

/** The age identity of this machine, and the recipient to encrypt for. */
export interface Identity {
  readonly secret: string;
  readonly recipient: string;
}

export interface RepositoryAccess {
  readonly id: string;
  /** Differs for different keys, and reveals nothing about the key. */
  readonly fingerprint: string;
  readonly cipher: ObjectCipher;
  /** Wraps the key for one more recipient. Returns false if it already had access. */
  admit(recipient: string): Promise<boolean>;
  recipients(): Promise<readonly string[]>;
}

/** Reads the identity of this machine, and creates it if there is none: `identity.txt`, in the format of age-keygen. */
export async function ownIdentity(library: Library): Promise<Identity> {
  const { disk, places } = library;
  const path = join(places.home, "identity.txt");
  const known = disk.readFile(path, MAX_BYTES)?.toString("utf8");
  if (known !== undefined) return identityIn(known, path);
  const secret = await generateX25519Identity();
  const recipient = await identityToRecipient(secret);
  makeFolders(disk, places.home);
  const text = `# The key of this machine to its repositories. Anyone who has it can read them.\n# public key: ${recipient}\n${secret}\n`;
  // Another process may have been faster: then its identity counts.
  replaceFile(disk, path, text, { mode: 0o600, exclusive: true });
  return identityIn(disk.readFile(path, MAX_BYTES)?.toString("utf8") ?? "", path);
}

/** Reads an identity from the text of a file. */
async function identityIn(text: string, path: string): Promise<Identity> {
  const secret = text.split(/\r?\n/).find((line) => line.trim().startsWith("AGE-SECRET-KEY-"));
  try {
    if (secret !== undefined) {
      return { secret: secret.trim(), recipient: await identityToRecipient(secret.trim()) };
    }
  } catch {
    // The error is explained below, without the text of the key.
  }
  throw new UserError(`Cannot read the key ${JSON.stringify(path)}: it contains no age identity`, {
    exitCode: exitCodes.broken,
    hint: "put the key back from a backup; a new machine needs no old key: another machine admits it",
  });
}

/** Opens the repository of a remote with an identity. `machine`: the id of this machine, to recognize a lost key. */
export async function openAccess(
  store: ObjectStore,
  remote: Pick<Remote, "name" | "url" | "repository">,
  identity: Identity,
  machine?: string,
): Promise<RepositoryAccess> {
  const format = await readFormat(store);
  if (format === undefined) throw noRepository(store, remote);
  const opened = await openKey(store, format, identity);
  if (opened.kind === "open") refuseOther(store, remote.repository, opened.cipher);
  if (opened.kind === "absent" && machine !== undefined && (await hasPushed(store, machine))) {
    throw new UserError(
      `Cannot read the repository of ${remote.name}: this machine has pushed there before, but its key is lost`,
      {
        exitCode: exitCodes.broken,
        hint:
          "put identity.txt of this machine's store back from a backup; if there is none, on a machine that has access " +
          `run \`sessions remote key ${remote.name} --add ${identity.recipient}\`; if none has, use another place: ` +
          "nobody can read what is there",
      },
    );
  }
  if (opened.kind === "absent") {
    throw new UserError(`Cannot read the repository of ${remote.name}: this machine has no access yet`, {
      exitCode: exitCodes.refused,
      hint: `on a machine that has, run \`sessions remote key ${remote.name} --add ${identity.recipient}\``,
    });
  }
  if (opened.kind !== "open") {
    throw new UserError(
      `Cannot read the repository of ${remote.name}: the key of this machine does not open it`,
      {
        exitCode: exitCodes.broken,
        hint: `nothing was changed; another machine can admit this one again: \`sessions remote key ${remote.name} --add ${identity.recipient}\``,
      },
    );
  }
  return accessOf(store, format, opened.key, opened.cipher, identity);
}

function noRepository(
  { place }: ObjectStore,
  { name, url, repository }: Pick<Remote, "name" | "url" | "repository">,
): UserError {
  const add = `\`sessions remote add ${name} ${url}\``;
  return new UserError(`Cannot find a repository in ${place}`, {
    exitCode: exitCodes.broken,
    hint:
      repository === undefined
        ? `${add} makes a new one; if there was one before, run that on a machine that could read it, which puts back what is missing`
        : `is that the right place, and is its drive connected? If only ${FORMAT} was lost, ${add} puts it back; to begin a new ` +
          `repository, \`sessions remote remove ${name}\` first`,
  });
}

/** Refuses the key of any repository but the one that this machine knows there. */
function refuseOther({ place }: ObjectStore, known: string | undefined, { check }: ObjectCipher): void {
  if (known === undefined || isSame(known, check)) return;
  throw new UserError(`Cannot use ${place}: the repository there is another one than before`, {
    exitCode: exitCodes.refused,
    hint:
      "nothing was sent: somebody may have replaced it to read what you push. If it was you who made a new one, remove " +
      "the remote and add it again: `sessions remote remove`, `sessions remote add`",
  });
}

async function hasPushed(store: ObjectStore, machine: string): Promise<boolean> {
  return (await store.list(`manifests/${machine}/`)).length > 0;
}

type OpenedKey =
  | { readonly kind: "absent" | "wrong" }
  | { readonly kind: "open"; readonly key: Uint8Array; readonly cipher: ObjectCipher };

/** Opens the key of a repository with an identity, if it was wrapped for it and is complete. */
async function openKey(store: ObjectStore, format: Format, identity: Identity): Promise<OpenedKey> {
  const bytes = await store.get(keyName(format, identity.recipient), MAX_BYTES);
  if (bytes === undefined) return { kind: "absent" };
  const key = await unwrap(bytes, identity);
  if (key === undefined) return { kind: "wrong" };
  const cipher = createObjectCipher(key);
  return isSame(cipher.check, format.check) ? { kind: "open", key, cipher } : { kind: "wrong" };
}

/**
 * Creates a repository if there is none, and returns whether this machine can read it. `known`: the fingerprint of the
 * repository that this machine has read there before; then no other one is created or joined.
 */
export async function createOrJoin(
  store: ObjectStore,
  identity: Identity,
  known?: string,
): Promise<"created" | "joined" | "no access"> {
  if ((await readFormat(store)) === undefined) {
    const made = await beginRepository(store, identity, known);
    const about =
      "Sessions of coding agents, encrypted. Do not change anything here by hand; docs/STORAGE.md of agent-sessions " +
      "describes it.";
    const text = { format: "sessions repository", version: REPOSITORY_VERSION, ...made, about };
    const bytes = Buffer.from(`${JSON.stringify(text, undefined, 2)}\n`);
    if (await store.put(FORMAT, bytes)) {
      await refuseOverwriting(store, bytes);
      return "created";
    }
  }
  const format = await readFormat(store);
  if (format === undefined) throw damagedFormat(store);
  const opened = await openKey(store, format, identity);
  if (opened.kind === "open") refuseOther(store, known, opened.cipher);
  return opened.kind === "open" ? "joined" : "no access";
}

/** Refuses a store that accepts an object twice: two machines could overwrite each other's objects. */
async function refuseOverwriting(store: ObjectStore, format: Uint8Array): Promise<void> {
  if (!(await store.put(FORMAT, format))) return;
  await store.delete(FORMAT);
  throw new UserError(`Cannot use ${store.place}: it overwrites objects that are there`, {
    exitCode: exitCodes.refused,
    hint: "use a store that knows If-None-Match, as S3, MinIO, R2, Ceph and Garage do",
  });
}

/** Wraps a new key for the first recipient. The key of a known repository that lost its format.json is used again. */
async function beginRepository(
  store: ObjectStore,
  identity: Identity,
  known: string | undefined,
): Promise<Pick<Format, "id" | "check">> {
  const ending = `-${hashOf(identity.recipient)}.json`;
  for (const { name } of known === undefined ? [] : await store.list("keys/")) {
    const [, id] = /^keys\/([0-9a-f]{32})-/.exec(name) ?? [];
    if (id === undefined || !name.endsWith(ending)) continue;
    const key = await unwrap((await store.get(name, MAX_BYTES)) ?? new Uint8Array(), identity);
    const check = key === undefined ? undefined : createObjectCipher(key).check;
    if (check !== undefined && check === known) return { id, check };
  }
  if (known !== undefined) {
    throw new UserError(`Cannot find the repository in ${store.place} that this machine knows there`, {
      exitCode: exitCodes.broken,
      hint:
        "nothing was changed; is that the right place, and is its drive connected? To begin a new repository, " +
        "`sessions remote remove` first",
    });
  }
  const [pushed] = await store.list("manifests/");
  if (pushed !== undefined) {
    throw new UserError(
      `Cannot make a repository in ${store.place}: sessions of another one are there, without its ${FORMAT}`,
      {
        exitCode: exitCodes.broken,
        hint: "nothing was changed; run this on a machine that could read it, which puts back what is missing, or use another place",
      },
    );
  }
  const key = randomBytes(KEY_BYTES);
  const id = randomBytes(16).toString("hex");
  const { check } = createObjectCipher(key);
  await store.put(keyName({ id }, identity.recipient), await wrap(key, { id }, identity.recipient));
  return { id, check };
}

function accessOf(
  store: ObjectStore,
  format: Format,
  key: Uint8Array,
  cipher: ObjectCipher,
  own: Identity,
): RepositoryAccess {
  return {
    id: format.id,
    fingerprint: cipher.check,
    cipher,
    async admit(recipient) {
      const name = keyName(format, recipient);
      const wrapped = await wrap(key, format, recipient);
      if (await store.put(name, wrapped)) return true;
      // Only the other machine can check whether its key is intact. Our own was just opened, and may be the only one.
      if (recipient !== own.recipient) {
        await store.delete(name);
        await store.put(name, wrapped);
      }
      return false;
    },
    async recipients() {
      const found: string[] = [];
      for (const { name } of await store.list(`keys/${format.id}-`)) {
        const recipient = field(await store.get(name, MAX_BYTES), "recipient");
        if (typeof recipient === "string" && isRecipient(recipient)) found.push(recipient);
      }
      return found.sort();
    },
  };
}

/** An X25519 recipient of age: others need programs that are not included. */
export function isRecipient(text: string): boolean {
  return /^age1[02-9ac-hj-np-z]{58}$/.test(text);
}

async function wrap(key: Uint8Array, { id }: Pick<Format, "id">, recipient: string): Promise<Buffer> {
  const encrypter = new Encrypter();
  try {
    encrypter.addRecipient(recipient);
  } catch (error) {
    throw new UserError(`Cannot admit ${JSON.stringify(recipient)}: it is not an age recipient`, {
      exitCode: exitCodes.wrongUsage,
      hint: "`sessions remote key NAME` on the other machine shows its recipient; it begins with age1",
      cause: error,
    });
  }
  const wrapped = Buffer.from(await encrypter.encrypt(key)).toString("base64");
  return Buffer.from(
    `${JSON.stringify({ version: REPOSITORY_VERSION, repository: id, recipient, wrapped })}\n`,
  );
}

/** undefined if the identity does not open it. */
async function unwrap(bytes: Uint8Array, { secret }: Identity): Promise<Uint8Array | undefined> {
  const wrapped = field(bytes, "wrapped");
  if (typeof wrapped !== "string") return undefined;
  try {
    const decrypter = new Decrypter();
    decrypter.addIdentity(secret);
    const key = await decrypter.decrypt(Buffer.from(wrapped, "base64"));
    return key.length === KEY_BYTES ? key : undefined;
  } catch {
    return undefined;
  }
}

async function readFormat(store: ObjectStore): Promise<Format | undefined> {
  const bytes = await store.get(FORMAT, MAX_BYTES);
  if (bytes === undefined) return undefined;
  const version = field(bytes, "version");
  const id = field(bytes, "id");
  const check = field(bytes, "check");
  if (field(bytes, "format") !== "sessions repository" || typeof version !== "number")
    throw damagedFormat(store);
  if (version > REPOSITORY_VERSION) {
    throw new UserError(
      `Cannot use the repository in ${store.place}: its version is ${version}, and this program knows versions up to ${REPOSITORY_VERSION}`,
      { exitCode: exitCodes.broken, hint: "update `sessions` on this machine" },
    );
  }
  if (typeof id !== "string" || !/^[0-9a-f]{32}$/.test(id) || typeof check !== "string")
    throw damagedFormat(store);
  return { id, version, check };
}

function damagedFormat({ place }: ObjectStore): UserError {
  return new UserError(`Cannot use the repository in ${place}: ${FORMAT} is damaged`, {
    exitCode: exitCodes.broken,
    hint:
      "nothing was changed; remove that object, and on a machine that could read the repository run " +
      "`sessions remote add` again, which puts it back",
  });
}

function keyName({ id }: Pick<Format, "id">, recipient: string): string {
  return `keys/${id}-${hashOf(recipient)}.json`;
}

function hashOf(recipient: string): string {
  return createHash("sha256").update(recipient).digest("hex").slice(0, 16);
}

function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function field(bytes: Uint8Array | undefined, key: string): unknown {
  const value = bytes === undefined ? undefined : tryParse(Buffer.from(bytes).toString("utf8"));
  if (typeof value !== "object" || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, key)?.value;
}
