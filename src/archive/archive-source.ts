import { Buffer } from "node:buffer";
import type { FileRole, LogFiles, SessionFile } from "../agents/agent.ts";
import { type ByteSource, unpacking } from "../agents/byte-source.ts";
import { reasonOf } from "../agents/isolate.ts";
import { ArchiveDamage } from "../fs/damage.ts";
import { errorCode, explainDiskError, systemError } from "../fs/disk-error.ts";
import type { LogKey } from "../session/session.ts";
import type { KeptFile, KeptSession, ListedFile, MachineOrigin } from "./archive-store.ts";

const HEAD_BYTES = 64 * 1024;

/**
 * The archived bytes of a session under the paths that its files had, so that everything that reads logs can read
 * archived ones too.
 */
export function archiveSource(open: () => KeptSession | undefined): ByteSource {
  let opened: { readonly files: ReadonlyMap<string, KeptFile>; readonly kept: KeptSession } | undefined;
  const chunks = (path: string): Iterable<Uint8Array> => {
    if (opened === undefined) {
      const kept = open();
      if (kept === undefined) throw new ArchiveDamage("its record can't be read");
      const files = kept.files.map((file): [string, KeptFile] => [shownPath(kept, file.path), file]);
      opened = { kept, files: new Map(files) };
    }
    const file = opened.files.get(path);
    if (file === undefined) throw systemError("ENOENT", path);
    return opened.kept.read(file);
  };
  const start = (path: string, maxBytes: number): Buffer | undefined => {
    const parts: Uint8Array[] = [];
    let length = 0;
    try {
      for (const chunk of chunks(path)) {
        parts.push(Buffer.from(chunk));
        length += chunk.length;
        if (length > maxBytes) break;
      }
    } catch (error) {
      explain(error);
      return undefined;
    }
    return Buffer.concat(parts);
  };
  return unpacking({
    chunks,
    text: (path, maxBytes) => {
      const bytes = start(path, maxBytes);
      return bytes === undefined || bytes.length > maxBytes ? undefined : bytes.toString("utf8");
    },
    head: (path, from = 0) =>
      start(path, from + HEAD_BYTES)?.subarray(from, from + HEAD_BYTES) ?? Buffer.alloc(0),
    explain,
  });
}

function explain(error: unknown): string {
  return errorCode(error) === undefined ? reasonOf(error) : explainDiskError(error);
}

interface WithOrigin {
  readonly origin: MachineOrigin | null;
}

/** The path of an archived file. On another machine it is `machine:/path`: here that may be another file, or none. */
export function shownPath({ origin }: WithOrigin, path: string): string {
  return origin === null ? path : `${origin.name}:${path}`;
}

/** The files of an archived session in the form of a session on disk. */
export function sessionFilesOf(
  session: LogKey & WithOrigin & { readonly files: readonly ListedFile[] },
): LogFiles {
  const { agent, id, copy } = session;
  const files = session.files.map(
    ({ path, role, size, mtimeMs, inode }): SessionFile => ({
      path: shownPath(session, path),
      role: isRole(role) ? role : "other",
      size,
      mtimeMs,
      inode,
    }),
  );
  return { agent, id, copy, files };
}

const ROLES: Readonly<Record<FileRole, true>> = {
  main: true,
  rotation: true,
  subagent: true,
  "subagent-meta": true,
  spilled: true,
  todos: true,
  task: true,
  title: true,
  other: true,
};

function isRole(word: string): word is FileRole {
  return Object.hasOwn(ROLES, word);
}
