import { Buffer } from "node:buffer";
import { agentNames, isAgent } from "../../agents/agents.ts";
import { splitByLog } from "../../agents/session-copies.ts";
import { ArchiveDamage } from "../../fs/damage.ts";
import type { LogKey } from "../../session/session.ts";
import type { KeptFile, MachineOrigin } from "../archive-store.ts";
import { CHUNK_BYTES, type Chunk, hashOf } from "./chunk.ts";
import { invalidRecord, readFields } from "./sealed-json.ts";

/** A file and its chunks, without gaps, from its first byte to its last. */
export interface StoredFile extends KeptFile {
  readonly chunks: readonly Chunk[];
}

/** The record of one generation of a session. Everything that it names exists completely. */
export interface Manifest extends LogKey {
  readonly generation: number;
  /** Relative to the folder of readable copies. The same in all generations. */
  readonly markdown: string | null;
  /** The log that this record is about; null in records of version 1 of the store, where it is the first file. */
  readonly log: string | null;
  readonly files: readonly StoredFile[];
  readonly earlier: readonly StoredFile[];
  /** Whether it holds files that a restore was about to replace; such a generation never counts as the newest. */
  readonly isAside: boolean;
  /** null for sessions of this machine. */
  readonly origin: MachineOrigin | null;
}

const FORMAT_VERSION = 1;

/**
 * The files of the log that a generation is about. Version 1 of the store kept all logs with one id together; the
 * files of the other logs are still in the record, but also in records of their own.
 */
export function ownFiles({ log, files, isAside }: Manifest): readonly StoredFile[] {
  const own = log ?? files[0]?.path;
  const parts = isAside ? [] : splitByLog(files);
  return parts.find(([lead]) => lead?.path === own) ?? files;
}

/** Names the content of a generation: equal if files were only touched. */
export function contentState({
  generation,
  files,
  origin,
}: Pick<Manifest, "generation" | "files" | "origin">): string {
  const content = files.map(({ path, role, sha256 }) => [path, role, sha256]);
  // The name of a machine is shown with its sessions.
  const named = origin === null ? [] : [origin.name];
  return hashOf(Buffer.from(JSON.stringify([generation, content, ...named]))).slice(0, 16);
}

/** The form on disk; docs/STORAGE.md explains the names. */
export function manifestToJson(manifest: Manifest): unknown {
  const { agent, id, copy, generation: own, log, markdown, files, earlier, isAside, origin } = manifest;
  const fileToJson = ({ chunks, ...file }: StoredFile): unknown => ({
    ...file,
    // Most chunks are in the manifest's own generation, and need not say so.
    chunks: chunks.map(({ generation, ...chunk }) => (generation === own ? chunk : { ...chunk, generation })),
  });
  return {
    version: FORMAT_VERSION,
    agent,
    id,
    ...(copy === null ? {} : { copy }),
    generation: own,
    ...(log === null ? {} : { log }),
    ...(isAside ? { aside: true } : {}),
    ...(origin === null ? {} : { origin }),
    markdown,
    files: files.map(fileToJson),
    earlier: earlier.map(fileToJson),
  };
}

/** Parses a manifest. Throws `ArchiveDamage` if its hash is right but its content is not. */
export function manifestFromJson(value: unknown): Manifest {
  const read = readFields(value);
  const version = read.count("version");
  if (version !== FORMAT_VERSION) throw new ArchiveDamage(`its record is of version ${version}`);
  const name = read.text("agent");
  const agent = isAgent(name) ? name : invalidRecord(`agent: none of ${agentNames().join(", ")}`);
  const generation = read.count("generation");
  const markdown = read.textOrNull("markdown");
  if (markdown !== null && !isReadableName(markdown)) {
    throw new ArchiveDamage(
      "its record was tampered with: its readable copy is said to be outside of the archive",
    );
  }
  return {
    agent,
    id: read.text("id"),
    copy: read.has("copy") ? read.text("copy") : null,
    generation,
    log: read.has("log") ? read.text("log") : null,
    markdown,
    files: read.list("files").map((file) => fileFromJson(file, generation)),
    earlier: read.list("earlier").map((file) => fileFromJson(file, generation)),
    isAside: read.has("aside"),
    origin: read.has("origin") ? originFromJson(read.record("origin")) : null,
  };
}

/** Parses the machine that a session was pulled from, in a record or the catalog. */
export function originFromJson(value: unknown): MachineOrigin {
  const read = readFields(value);
  const machine = read.text("machine");
  if (!/^[0-9a-f]{16}$/.test(machine)) invalidRecord("origin");
  return {
    machine,
    name: read.text("name"),
    home: read.text("home"),
    copy: read.textOrNull("copy"),
    record: read.hash("record"),
  };
}

function fileFromJson(value: unknown, own: number): StoredFile {
  const read = readFields(value);
  const size = read.count("size");
  let end = 0;
  const chunks = read.list("chunks").map((each): Chunk => {
    const chunk = chunkFromJson(each, own);
    if (chunk.offset !== end || chunk.length === 0 || chunk.length > CHUNK_BYTES) invalidRecord("chunks");
    end += chunk.length;
    return chunk;
  });
  if (end !== size) invalidRecord("chunks");
  return {
    path: read.text("path"),
    role: read.text("role"),
    root: read.textOrNull("root"),
    mode: read.count("mode"),
    mtimeMs: read.number("mtimeMs"),
    inode: read.number("inode"),
    size,
    sha256: read.hash("sha256"),
    chunks,
  };
}

function chunkFromJson(value: unknown, own: number): Chunk {
  const read = readFields(value);
  return {
    offset: read.count("offset"),
    length: read.count("length"),
    sha256: read.hash("sha256"),
    stored: read.count("stored"),
    generation: read.has("generation") ? read.count("generation") : own,
  };
}

/** One part of a name: no separators of any system, no invisible characters, not `.` or `..`. */
const PART = /^(?!\.{1,2}$)[^/\\:\p{Cc}\p{Cf}\p{Cs}]+$/u;

/**
 * Whether this is the name of a readable copy, relative to their folder. It comes from a record that may have been
 * tampered with, and the file is written and moved, so a path that leaves the folder, or is not markdown, is refused.
 */
export function isReadableName(name: string): boolean {
  return name.endsWith(".md") && name.split("/").every((part) => PART.test(part));
}
