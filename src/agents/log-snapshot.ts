import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { exitCodes, UserError } from "../errors.ts";
import type { FileMark } from "../fs/disk.ts";
import { diskError } from "../fs/disk-error.ts";
import type { Library } from "../fs/library.ts";
import { type RewritePlan, rewrittenBytes } from "../jsonl/rewrite-plan.ts";
import type { Session } from "../session/session.ts";
import { defaultTextLimits } from "../session/text-budget.ts";
import type { SessionFiles } from "./agent.ts";
import { diskSource } from "./byte-source.ts";
import { readSession, spareMemoryFor } from "./read-session.ts";

/** A log as it was at one moment: later additions are not seen. */
export interface LogSnapshot {
  /** The path that the session has; links are followed. */
  readonly path: string;
  /** The path without symbolic links: this file is replaced. */
  readonly realPath: string;
  readonly mark: FileMark;
  /** The hash of all bytes, in hex. The first call reads them. */
  sha256(): string;
  /** The bytes from the start. Each chunk is valid until the next is requested. */
  chunks(): Iterable<Uint8Array>;
  /** A range of bytes: at once, or in chunks, each of which is valid until the next is requested. */
  range(from: number, to: number): Buffer;
  parts(from: number, to: number): Iterable<Uint8Array>;
}

export function takeSnapshot({ disk }: Pick<Library, "disk">, path: string): LogSnapshot {
  const stat = disk.stat(path);
  if (stat === undefined || stat.kind !== "file") {
    throw new UserError(`Cannot rewrite ${JSON.stringify(path)}: there is no such file`, {
      exitCode: exitCodes.refused,
    });
  }
  const { size, mtimeMs, inode } = stat;
  spareMemoryFor(size);
  const chunks = (): Iterable<Uint8Array> => disk.readChunks(path, { to: size });
  let known: string | undefined;
  return {
    path,
    realPath: disk.realpath(path),
    mark: { size, mtimeMs, inode },
    chunks,
    range: (from, to) =>
      Buffer.concat(Array.from(disk.readChunks(path, { from, to }), (chunk) => Buffer.from(chunk))),
    parts: (from, to) => disk.readChunks(path, { from, to }),
    sha256: () => {
      if (known !== undefined) return known;
      const hash = createHash("sha256");
      try {
        for (const chunk of chunks()) hash.update(chunk);
      } catch (error) {
        throw diskError("read", path, error);
      }
      known = hash.digest("hex");
      return known;
    },
  };
}

/** Only the lengths of texts are needed here. */
const LEAN = {
  ...defaultTextLimits,
  outputChars: 0,
  inputChars: 0,
  thinkingChars: 0,
  countsActivity: false,
};

/** Reads a session from its snapshot, or as a plan would change it. */
export function readPlanned(
  library: Library,
  files: SessionFiles,
  snapshot: LogSnapshot,
  plan: RewritePlan | undefined,
): Session {
  const source = diskSource(library.disk);
  const logs = files.files.filter(({ role }) => role === "main" || role === "rotation");
  return readSession(
    {
      ...source,
      chunks: (path) => (path === snapshot.path ? plannedChunks(snapshot, plan) : source.chunks(path)),
    },
    { ...files, files: logs },
    LEAN,
  );
}

/** The bytes of a log from its snapshot, or as a plan would change them. */
export function plannedChunks(snapshot: LogSnapshot, plan: RewritePlan | undefined): Iterable<Uint8Array> {
  return plan === undefined ? snapshot.chunks() : rewrittenBytes(plan, snapshot.chunks());
}
