import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { exitCodes, UserError } from "../errors.ts";
import { diskError } from "../fs/disk-error.ts";
import type { Library } from "../fs/library.ts";
import { expandHome } from "../fs/places.ts";
import { replaceFile } from "../fs/replace-file.ts";
import { type Locking, withStore } from "../fs/store.ts";
import { tryParse } from "../jsonl/json-line.ts";

/*
 * The places outside of this machine that a user has added: `remotes.json` in the store. It contains names of files
 * with credentials, but no credentials.
 */

/** `s3` and `folder` hold a repository of encrypted bytes for `sync`; `opensearch` holds full text for `push`. */
export type RemoteKind = "s3" | "folder" | "opensearch";

export interface Remote {
  readonly name: string;
  readonly kind: RemoteKind;
  /** The stored form: `s3://bucket/prefix`, an absolute path, or `https://host:port`. */
  readonly url: string;
  /** The address of an S3-compatible store, if it is not Amazon's. */
  readonly endpoint?: string;
  readonly region?: string;
  /** A file with credentials; they come from the environment if there is none. */
  readonly credentials?: string;
  /** The fingerprint of its repository, once this machine has read it: another one in its place is refused. */
  readonly repository?: string;
}

/** What a user says of a new remote. */
export interface NewRemote extends Omit<Remote, "kind" | "repository"> {}

interface Kind {
  readonly kind: RemoteKind;
  matches(url: string): boolean;
  /** The URL in its stored form. Throws a UserError if it is not of this kind. */
  normalize(url: string, library: Pick<Library, "environment">): string;
}

/** The kinds of remotes, by URL. The first match counts. */
const kinds: readonly Kind[] = [
  { kind: "s3", matches: (url) => /^s3:/i.test(url), normalize: normalizeS3 },
  { kind: "opensearch", matches: (url) => /^https?:/i.test(url), normalize: normalizeNodes },
  { kind: "folder", matches: () => true, normalize: normalizeFolder },
];

const NAME = /^[a-z0-9][a-z0-9._-]{0,39}$/;
const FILE_VERSION = 1;
const MAX_BYTES = 1024 * 1024;

/** All remotes, by name. */
export function readRemotes({ disk, places }: Pick<Library, "disk" | "places">): readonly Remote[] {
  const path = remotesPath(places);
  let text: string | undefined;
  try {
    text = disk.readFile(path, MAX_BYTES)?.toString("utf8");
  } catch (error) {
    throw diskError("read", path, error);
  }
  if (text === undefined) return [];
  const remotes = remotesFrom(tryParse(text));
  if (remotes !== undefined) return remotes;
  throw new UserError(`Cannot read the list of remotes ${JSON.stringify(path)}: it is damaged`, {
    exitCode: exitCodes.broken,
    hint: "move that file away, and add the remotes again: `sessions remote add NAME URL`",
  });
}

/** Finds a remote by name; without a name, the only one of these kinds. */
export function findRemote(
  library: Pick<Library, "disk" | "places">,
  name: string | undefined,
  of: readonly RemoteKind[],
): Remote {
  const all = readRemotes(library);
  const fitting = all.filter(({ kind }) => of.includes(kind));
  const [only, other] = fitting;
  if (name === undefined && only !== undefined && other === undefined) return only;
  const found = all.find((remote) => remote.name === name);
  if (found !== undefined) return found;
  const names = fitting.map((remote) => remote.name).join(", ");
  throw new UserError(
    name !== undefined
      ? `Cannot find a remote ${JSON.stringify(name)}`
      : only === undefined
        ? "Cannot tell which remote: there is none"
        : "Cannot tell which remote: there are several",
    {
      exitCode: exitCodes.wrongUsage,
      hint: only === undefined ? "add one: `sessions remote add NAME URL`" : `name one: ${names}`,
    },
  );
}

/** Reads the user's description of a remote. Throws a UserError if it makes no sense. */
export function checkRemote(library: Pick<Library, "environment">, given: NewRemote): Remote {
  const { name, endpoint, region, credentials } = given;
  if (!NAME.test(name)) {
    throw wrong(
      `Cannot use ${JSON.stringify(name)} as the name of a remote`,
      "use small letters, digits, dots and dashes, 40 at most",
    );
  }
  const row = kinds.find(({ matches }) => matches(given.url));
  if (row === undefined) throw new Error("the last kind matches every URL");
  if (row.kind !== "s3" && (endpoint !== undefined || region !== undefined)) {
    throw wrong("Cannot use --endpoint and --region: they are for s3:// URLs", "leave them out");
  }
  return {
    name,
    kind: row.kind,
    url: row.normalize(given.url, library),
    ...(endpoint === undefined ? {} : { endpoint: normalizeHttp(endpoint) }),
    ...(region === undefined ? {} : { region }),
    ...(credentials === undefined ? {} : { credentials: absolute(credentials, library) }),
  };
}

/** Returns the listed remote with the name of a new one. Throws a UserError if it is another place. */
export function presentRemote(library: Pick<Library, "disk" | "places">, remote: Remote): Remote | undefined {
  const present = readRemotes(library).find(({ name }) => name === remote.name);
  if (present === undefined || isSamePlace(present, remote)) return present;
  throw new UserError(`Cannot add the remote ${remote.name}: there is one with that name, ${present.url}`, {
    exitCode: exitCodes.refused,
    hint: `choose another name, or remove it first: \`sessions remote remove ${remote.name}\``,
  });
}

/** Adds a remote durably, or adds the fingerprint of its repository to an existing one. */
export async function addRemote(library: Library, remote: Remote, locking: Locking): Promise<void> {
  await withStore(library, locking, () => {
    const present = presentRemote(library, remote);
    if (present !== undefined && (present.repository ?? remote.repository) === present.repository) return;
    const others = readRemotes(library).filter(({ name }) => name !== remote.name);
    writeRemotes(library, [...others, remote]);
  });
}

/** Records which repository a listed remote has. */
export async function rememberRepository(
  library: Library,
  remote: Remote,
  fingerprint: string,
  locking: Locking,
): Promise<void> {
  if (!readRemotes(library).some((each) => isSamePlace(each, remote))) return;
  await addRemote(library, { ...remote, repository: fingerprint }, locking);
}

function isSamePlace(one: Remote, other: Remote): boolean {
  const place = ({ repository: _repository, ...rest }: Remote): string => JSON.stringify(rest);
  return place(one) === place(other);
}

/** Removes a remote from the list. Its content stays where it is. */
export async function removeRemote(library: Library, name: string, locking: Locking): Promise<Remote> {
  return withStore(library, locking, () => {
    const found = findRemote(library, name, ["s3", "folder", "opensearch"]);
    writeRemotes(
      library,
      readRemotes(library).filter((remote) => remote.name !== found.name),
    );
    return found;
  });
}

function remotesPath({ home }: Library["places"]): string {
  return join(home, "remotes.json");
}

function writeRemotes({ disk, places }: Library, remotes: readonly Remote[]): void {
  const sorted = remotes.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  replaceFile(
    disk,
    remotesPath(places),
    `${JSON.stringify({ version: FILE_VERSION, remotes: sorted }, undefined, 2)}\n`,
  );
}

function remotesFrom(value: unknown): readonly Remote[] | undefined {
  if (fieldOf(value, "version") !== FILE_VERSION) return undefined;
  const list = fieldOf(value, "remotes");
  if (!Array.isArray(list)) return undefined;
  const remotes = list.map(remoteFrom);
  return remotes.every((remote) => remote !== undefined) ? remotes : undefined;
}

function remoteFrom(value: unknown): Remote | undefined {
  const text = (key: string): string | undefined => {
    const found = fieldOf(value, key);
    return typeof found === "string" ? found : undefined;
  };
  const name = text("name");
  const url = text("url");
  const kind = kinds.find((row) => row.kind === text("kind"))?.kind;
  if (name === undefined || url === undefined || kind === undefined) return undefined;
  const options = Object.fromEntries(
    ["endpoint", "region", "credentials", "repository"].flatMap((key) => {
      const found = text(key);
      return found === undefined ? [] : [[key, found]];
    }),
  );
  return { name, kind, url, ...options };
}

function fieldOf(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, key)?.value;
}

function normalizeS3(url: string): string {
  const [, bucket = "", prefix = ""] = /^s3:\/\/([^/?#@]+)\/?([^?#]*)$/i.exec(url) ?? [];
  const parts = prefix.split("/").filter((part) => part !== "");
  const isPlain = parts.every((part) => part !== "." && part !== "..");
  if (/^[a-z0-9][a-z0-9.-]{1,62}$/.test(bucket) && isPlain) return ["s3:/", bucket, ...parts].join("/");
  const what = `Cannot use ${JSON.stringify(url)} as an S3 URL`;
  if (bucket.length > 0 && bucket.length < 3)
    throw wrong(`${what}: the name of the bucket is too short`, "such names have 3 to 63 characters");
  if (bucket.length > 63)
    throw wrong(`${what}: the name of the bucket is too long`, "such names have 3 to 63 characters");
  if (bucket !== "" && isPlain)
    throw wrong(
      `${what}: ${JSON.stringify(bucket)} can't be the name of a bucket`,
      "such names have small letters, digits, dots and dashes, and start with a letter or digit",
    );
  throw wrong(what, "write s3://BUCKET/PREFIX");
}

function normalizeHttp(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isPlain = parsed !== undefined && parsed.search === "" && parsed.hash === "";
  if (!isPlain || !/^https?:$/.test(parsed.protocol)) {
    throw wrong(`Cannot use ${JSON.stringify(url)} as an address`, "write https://HOST:PORT");
  }
  if (parsed.username !== "" || parsed.password !== "") {
    throw wrong(
      "Cannot keep a password in an address",
      "put it into a file with mode 0600 and name that with --credentials, or into the environment",
    );
  }
  return parsed.href.replace(/\/+$/, "");
}

/** One address, or those of several nodes, separated by commas. */
function normalizeNodes(urls: string): string {
  return urls
    .split(",")
    .map((url) => normalizeHttp(url.trim()))
    .join(",");
}

function normalizeFolder(url: string, library: Pick<Library, "environment">): string {
  if (/^file:/i.test(url)) {
    try {
      return fileURLToPath(url);
    } catch {
      throw wrong(`Cannot use ${JSON.stringify(url)} as the URL of a folder`, "write file:///PATH");
    }
  }
  if (/^[a-z][a-z0-9+.-]+:/i.test(url)) {
    throw wrong(
      `Cannot use ${JSON.stringify(url)}: this kind of URL is not known`,
      "s3://BUCKET/PREFIX, a folder, or https://HOST:PORT of OpenSearch",
    );
  }
  return absolute(url, library);
}

function absolute(path: string, { environment }: Pick<Library, "environment">): string {
  const expanded = expandHome(path, environment.home);
  return isAbsolute(expanded) ? resolve(expanded) : resolve(environment.folder, expanded);
}

function wrong(message: string, hint: string): UserError {
  return new UserError(message, { exitCode: exitCodes.wrongUsage, hint });
}
