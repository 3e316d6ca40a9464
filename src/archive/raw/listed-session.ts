import type { Disk } from "../../fs/disk.ts";
import type { ListedFile, ListedSession, SessionName } from "../archive-store.ts";
import { generationNumbers, newestOf, readGeneration } from "./generations.ts";
import { contentState, type Manifest, type StoredFile } from "./manifest.ts";
import { folderNameOf } from "./session-folder.ts";
import { chunksOf } from "./tidy-session.ts";

/** What the manifests of a session's folder say. */
export type FoundSession =
  | { readonly kind: "listed"; readonly session: ListedSession }
  /** Begun, and never given a manifest. */
  | { readonly kind: "unfinished" }
  | { readonly kind: "unreadable"; readonly what: string };

/** Reads the manifests of a session. Its newest generation counts; a damaged one is passed over, and `verify` tells. */
export function findListed(disk: Disk, sessionFolder: string, expected: Expected): FoundSession {
  const numbers = generationNumbers(disk, sessionFolder);
  const manifests: Manifest[] = [];
  let manifestBytes = 0;
  let what = "";
  for (const number of numbers) {
    const found = readGeneration(disk, sessionFolder, number);
    if (found.kind === "damaged") what = found.what;
    else if (isIn(found.manifest, expected)) {
      manifests.push(found.manifest);
      manifestBytes += found.bytes;
    } else what = "its record is that of another session";
  }
  const newest = newestOf(manifests);
  if (newest !== undefined) {
    const storedBytes = manifestBytes + chunkBytes(manifests);
    return { kind: "listed", session: toListed(newest, manifests, storedBytes, sessionFolder) };
  }
  return numbers.length === 0 ? { kind: "unfinished" } : { kind: "unreadable", what };
}

/** The folder that a session must be in: one that was renamed by hand is not taken for another session. */
export interface Expected {
  readonly agent: string;
  readonly folderName: string;
}

function isIn(session: SessionName, { agent, folderName }: Expected): boolean {
  return session.agent === agent && folderNameOf(session) === folderName;
}

/** Generations share chunks: each counts once. */
function chunkBytes(manifests: readonly Manifest[]): number {
  const stored = new Map<string, number>();
  for (const { generation, sha256, stored: size } of manifests.flatMap(chunksOf))
    stored.set(`${generation}/${sha256}`, size);
  return [...stored.values()].reduce((sum, size) => sum + size, 0);
}

function toListed(
  newest: Manifest,
  manifests: readonly Manifest[],
  storedBytes: number,
  sessionFolder: string,
): ListedSession {
  const { agent, id, generation, markdown, files } = newest;
  return {
    agent,
    id,
    generation,
    markdown,
    files: files.map(toListedFile),
    aside: manifests.filter(({ isAside }) => isAside).flatMap((each) => each.files.map(toListedFile)),
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    storedBytes,
    state: contentState(newest),
    note: null,
    location: sessionFolder,
  };
}

function toListedFile({ path, role, size, mtimeMs, inode }: StoredFile): ListedFile {
  return { path, role, size, mtimeMs, inode };
}
