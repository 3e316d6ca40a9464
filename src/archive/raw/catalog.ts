import { join } from "node:path";
import { isAgent } from "../../agents/agents.ts";
import { ArchiveDamage } from "../../fs/damage.ts";
import type { Disk } from "../../fs/disk.ts";
import { errorCode } from "../../fs/disk-error.ts";
import { replaceFile } from "../../fs/replace-file.ts";
import type { AgentName } from "../../session/entry.ts";
import type { ListedFile, ListedSession } from "../archive-store.ts";
import { folderNameOf } from "./generations.ts";
import { isReadableName, originFromJson } from "./manifest.ts";
import { invalidRecord, readFields, sealJson, unsealJson } from "./sealed-json.ts";

/*
 * A cache of the manifests. Reading the manifests of 5,000 sessions takes half a second, which every listing would
 * cost. An entry counts only as long as the folders of its session and of its newest generation have the recorded
 * times.
 */

/** When the folders of a session and of its newest generation were last changed, in milliseconds. */
export type FolderTimes = readonly [session: number, generation: number];

export interface CatalogEntry {
  readonly session: ListedSession;
  readonly folderName: string;
  /** When its manifests were read. */
  readonly times: FolderTimes;
}

export interface Catalog {
  /** By agent and the name of the session's folder. */
  readonly catalog: ReadonlyMap<string, CatalogEntry>;
  readonly writtenAtMs: number;
}

const NO_CATALOG: Catalog = { catalog: new Map(), writtenAtMs: 0 };

export function catalogKey(agent: AgentName, folderName: string): string {
  return `${agent}/${folderName}`;
}

const FILE_NAME = "catalog.json";
const VERSION = 2;
const MAX_BYTES = 1024 * 1024 * 1024;

export function catalogPath(raw: string): string {
  return join(raw, FILE_NAME);
}

/** Reads the catalog; a missing or damaged one counts as empty. */
export function readCatalog(disk: Disk, raw: string): Catalog {
  try {
    const path = catalogPath(raw);
    // Before reading: if it is replaced in between, fewer entries count.
    const writtenAtMs = disk.stat(path)?.mtimeMs ?? 0;
    const bytes = disk.readFile(path, MAX_BYTES);
    if (bytes === undefined) return NO_CATALOG;
    const read = readFields(unsealJson(bytes));
    if (read.count("version") !== VERSION) return NO_CATALOG;
    const entries = read.list("sessions").map((each) => entryFromJson(each, raw));
    const catalog = new Map(
      entries.map((entry) => [catalogKey(entry.session.agent, entry.folderName), entry]),
    );
    return { catalog, writtenAtMs };
  } catch (error) {
    if (error instanceof ArchiveDamage || errorCode(error) !== undefined) return NO_CATALOG;
    throw error;
  }
}

export function writeCatalog(disk: Disk, raw: string, entries: Iterable<CatalogEntry>): void {
  const sessions = [...entries].map(entryToJson);
  replaceFile(disk, catalogPath(raw), sealJson({ version: VERSION, sessions }));
}

function entryToJson({ session, folderName, times }: CatalogEntry): unknown {
  const { agent, id, copy, generation, markdown, storedBytes, state, note, files, aside, origin } = session;
  return {
    agent,
    id,
    ...(copy === null ? {} : { copy }),
    ...(origin === null ? {} : { origin }),
    folder: folderName,
    times,
    generation,
    markdown,
    storedBytes,
    state,
    note,
    files: files.map(fileToJson),
    ...(aside.length === 0 ? {} : { aside: aside.map(fileToJson) }),
  };
}

function fileToJson({ path, role, size, mtimeMs, inode }: ListedFile): unknown {
  return [path, role, size, mtimeMs, inode];
}

function entryFromJson(value: unknown, raw: string): CatalogEntry {
  const read = readFields(value);
  const agent = read.text("agent");
  if (!isAgent(agent)) return invalidRecord("agent");
  const files = read.list("files").map(fileFromJson);
  const folderName = read.text("folder");
  const id = read.text("id");
  const copy = read.has("copy") ? read.text("copy") : null;
  if (folderNameOf({ agent, id, copy }) !== folderName) return invalidRecord("folder");
  const markdown = read.textOrNull("markdown");
  if (markdown !== null && !isReadableName(markdown)) return invalidRecord("markdown");
  return {
    folderName,
    times: timesFromJson(read.list("times")),
    session: {
      agent,
      id,
      copy,
      generation: read.count("generation"),
      origin: read.has("origin") ? originFromJson(read.record("origin")) : null,
      markdown,
      files,
      aside: read.has("aside") ? read.list("aside").map(fileFromJson) : [],
      bytes: files.reduce((sum, { size }) => sum + size, 0),
      storedBytes: read.count("storedBytes"),
      state: read.text("state"),
      note: read.textOrNull("note"),
      location: join(raw, agent, folderName),
    },
  };
}

function timesFromJson([session, generation]: readonly unknown[]): FolderTimes {
  return typeof session === "number" && typeof generation === "number"
    ? [session, generation]
    : invalidRecord("times");
}

function fileFromJson(value: unknown): ListedFile {
  if (!Array.isArray(value)) return invalidRecord("files");
  const [path, role, size, mtimeMs, inode]: readonly unknown[] = value;
  if (typeof path !== "string" || typeof role !== "string") return invalidRecord("files");
  if (typeof size !== "number" || typeof mtimeMs !== "number" || typeof inode !== "number") {
    return invalidRecord("files");
  }
  return { path, role, size, mtimeMs, inode };
}
