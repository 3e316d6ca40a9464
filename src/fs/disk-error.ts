import { constants } from "node:os";
import { exitCodes, UserError } from "../errors.ts";

/** Returns the system's name of an error (`ENOSPC`); undefined if it is not an error of the system. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // Refused by Deno's permissions.
  if (error.name === "NotCapable") return "EACCES";
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  // ERR_… is the runtime complaining about our arguments: a bug.
  if (/^E[A-Z0-9]+$/.test(code)) return code;
  // No runtime has a name for every error of the system: an exceeded quota has none on Node.
  const number = /^Unknown system error -?(\d+)/.exec(code) ?? /\(os error (\d+)\)/.exec(error.message);
  return number === null ? undefined : nameOf(Number(number[1]));
}

function nameOf(number: number): string {
  return Object.entries(constants.errno).find(([, each]) => each === number)?.[0] ?? `E${number}`;
}

/** Whether the error says that nothing is there. A file in place of a folder on the path means the same. */
export function isAbsent(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

/** Whether the error says that the user may not look at it. */
export function isDenied(error: unknown): boolean {
  const code = errorCode(error);
  return code === "EACCES" || code === "EPERM";
}

/** Whether a problem, as `explainDiskError` describes it, is that the user may not look at a file or folder. */
export function saysDenied({ what }: { readonly what: string }): boolean {
  return what.includes(explainDenied("EACCES")) || what.includes(explainDenied("EPERM"));
}

function explainDenied(code: "EACCES" | "EPERM"): string {
  return explanations[code]?.what ?? code;
}

/** Whether the error says that this file system has no hard links (exFAT, some network and FUSE mounts). */
export function isWithoutLinks(error: unknown): boolean {
  const code = errorCode(error);
  return code === "EPERM" || code === "ENOTSUP" || code === "EOPNOTSUPP" || code === "ENOSYS";
}

/** Makes an error that looks like one of the system. */
export function systemError(code: string, what: string, path?: string): Error {
  return Object.assign(new Error(`${code}: ${what}`), { code, ...(path === undefined ? {} : { path }) });
}

interface Explanation {
  readonly what: string;
  readonly hint?: string;
}

const explanations: Readonly<Record<string, Explanation>> = {
  ENOSPC: { what: "the disk is full", hint: "free some space on that disk and run it again" },
  EDQUOT: { what: "the disk quota is used up", hint: "free some space on that disk and run it again" },
  EFBIG: { what: "the file would be too large for this file system" },
  EROFS: {
    what: "the file system is read-only",
    hint: "choose a place that can be written (SESSIONS_HOME for the store)",
  },
  EACCES: { what: "permission denied", hint: "check the owner and the mode of the file and of its folders" },
  EPERM: { what: "operation not permitted", hint: "check the owner and the attributes of the file" },
  ENOENT: { what: "no such file or folder" },
  ENOTDIR: { what: "a part of the path is a file and not a folder", hint: "move that file out of the way" },
  EISDIR: { what: "it is a folder and not a file", hint: "move that folder out of the way" },
  EEXIST: { what: "it exists already" },
  ENOTEMPTY: { what: "the folder is not empty" },
  EMFILE: { what: "too many open files", hint: "raise the limit (`ulimit -n`) and run it again" },
  ENFILE: { what: "too many open files on this machine", hint: "end some programs and run it again" },
  ENAMETOOLONG: { what: "the name is too long for this file system" },
  ELOOP: { what: "its links form a cycle", hint: "remove the link that points back" },
  ENXIO: { what: "it is a pipe or a device and not a file", hint: "move it out of the way" },
  EXDEV: { what: "it would have to move to another file system" },
  EBUSY: { what: "it is in use", hint: "end the program that uses it and run it again" },
  ETXTBSY: { what: "it is being executed", hint: "end the program that uses it and run it again" },
  EIO: { what: "the disk reports an input/output error", hint: "check the disk: it may be failing" },
  ESTALE: { what: "the network file system lost the file", hint: "mount it again and run this again" },
  EAGAIN: { what: "it is not an ordinary file, and has nothing to read", hint: "name another file" },
  ENOMEM: { what: "the machine is out of memory" },
};

/** Describes an error with a file in a few words, for lists of problems. */
export function explainDiskError(error: unknown): string {
  const code = errorCode(error);
  if (code === undefined) throw error;
  return explanations[code]?.what ?? `the system says ${code}`;
}

/**
 * Turns an error of the system into one that a user can act on. Any other error is returned as it is, so that
 * `throw diskError(…)` hides no bug. Without a path, the message names the path in the error.
 */
export function diskError(verb: string, path: string | undefined, error: unknown): unknown {
  const code = errorCode(error);
  if (code === undefined) return error;
  const hint = explanations[code]?.hint;
  const named = path ?? pathOf(error);
  const what = named === undefined ? verb : `${verb} ${JSON.stringify(named)}`;
  return new UserError(`Cannot ${what}: ${explainDiskError(error)}`, {
    exitCode: exitCodes.broken,
    cause: error,
    ...(hint === undefined ? {} : { hint }),
  });
}

function pathOf(error: unknown): string | undefined {
  return error instanceof Error && "path" in error && typeof error.path === "string" ? error.path : undefined;
}
