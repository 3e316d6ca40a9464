import { dirname, isAbsolute, join, resolve } from "node:path";
import type { Disk } from "../fs/disk.ts";
import { errorCode } from "../fs/disk-error.ts";

/**
 * The git repository that a session worked in. A worktree is a further checkout of a repository, in a separate
 * folder.
 */
export interface Checkout {
  /** The folder of the repository's main checkout, or only its name if no more is known; null if nothing is. */
  readonly repository: string | null;
  /** The name of the worktree; null in the main checkout. */
  readonly worktree: string | null;
}

const UNKNOWN: Checkout = { repository: null, worktree: null };

/** The folder, branch and repository of a session, as its log has them. */
export interface PlaceInLog {
  readonly project: string | null;
  readonly branch: string | null;
  /** A checkout that the log names as such. */
  readonly checkout?: Checkout | undefined;
}

/** Finds the checkout from the log alone: from its fields, or else from the usual folders of worktrees. */
export function checkoutInLog({ project, branch, checkout }: PlaceInLog): Checkout {
  if (project === null) return checkout ?? UNKNOWN;
  const byPath = checkoutByPath(project, () => branch);
  if (byPath.worktree !== null) return { ...byPath, ...(checkout?.worktree == null ? {} : checkout) };
  return checkout ?? UNKNOWN;
}

interface WorktreePlace {
  /** Splits a path into the part before the folder of worktrees, and the part after it. */
  readonly folder: RegExp;
  read(before: string, after: readonly string[], branch: string | null): Checkout | undefined;
}

const worktreePlaces: readonly WorktreePlace[] = [
  // Claude Code, and many people by hand.
  {
    folder: /^(.+?)\/(?:\.claude\/worktrees|\.worktrees)\/(.+)$/,
    read: (repository, after, branch) => ({ repository, worktree: nameOf(after, branch) }),
  },
  // Claude's desktop program.
  {
    folder: /^(.*?)\/\.claude-worktrees\/(.+)$/,
    read: (_, [repository, worktree]) =>
      repository === undefined || worktree === undefined ? undefined : { repository, worktree },
  },
  // Codex.
  {
    folder: /^(.*?)\/\.codex\/worktrees\/(.+)$/,
    read: (_, [worktree, repository]) =>
      repository === undefined || worktree === undefined ? undefined : { repository, worktree },
  },
  // The name alone does not make it a folder of worktrees: the rest of the path must contain the repository or the
  // branch.
  {
    folder: /^(.+?)\/worktrees\/(.+)$/,
    read: (repository, after, branch) => {
      const worktree = nameOf(after, branch);
      const isMeant = worktree === branch || worktree.startsWith(lastPart(repository));
      return isMeant ? { repository, worktree } : undefined;
    },
  },
];

/** Worktrees of branches such as `ana/fix` are often in folders `ana/…`; otherwise one folder has the name. */
function nameOf(after: readonly string[], branch: string | null): string {
  const prefix = branch?.split("/").slice(0, -1) ?? [];
  const isPrefixed = prefix.every((part, index) => part === after[index]);
  return after.slice(0, isPrefixed ? prefix.length + 1 : 1).join("/");
}

function checkoutByPath(path: string, branchOf: (after: string) => string | null): Checkout {
  for (const { folder, read } of worktreePlaces) {
    const [, before, after] = folder.exec(slashes(path)) ?? [];
    if (before === undefined || after === undefined) continue;
    const found = read(before, parts(after), branchOf(after));
    if (found !== undefined) return found;
  }
  return UNKNOWN;
}

/** Reads the name of a repository from the address of its remote; null if it is not an address. */
export function repositoryInUrl(url: string): string | null {
  const [, name = ""] = /^(?:\w+:\/\/|[\w.-]+@[\w.-]+:).*?([^/:]+?)(?:\.git)?\/*$/.exec(url) ?? [];
  return name === "" ? null : name;
}

/** Finds the checkout on the disk, if the folder is there; otherwise by the log. */
export function findCheckout(disk: Disk, home: string, place: PlaceInLog): Checkout {
  const inLog = checkoutInLog(place);
  const { project } = place;
  if (project === null) return inLog;
  try {
    return (isLocalFolder(disk, project) ? readCheckout(disk, home, project) : undefined) ?? inLog;
  } catch (error) {
    // An unreadable folder decides nothing.
    if (errorCode(error) === undefined) throw error;
    return inLog;
  }
}

/** A path of another machine (`\\host\share`) comes from a log and is never opened. */
function isLocalFolder(disk: Disk, folder: string): boolean {
  if (!isAbsolute(folder) || /^[\\/]{2}/.test(folder)) return false;
  return disk.stat(folder)?.kind === "folder";
}

/**
 * Finds the nearest folder above with a `.git`. The home's own repository holds settings, not the projects below it.
 */
function readCheckout(disk: Disk, home: string, folder: string): Checkout | undefined {
  for (let at = folder; at === folder || at !== home; at = dirname(at)) {
    const git = join(at, ".git");
    const kind = disk.stat(git)?.kind;
    if (kind === "folder" && disk.stat(join(git, "HEAD")) !== undefined)
      return { repository: at, worktree: null };
    if (kind === "file") return readGitFile(disk, at, git);
    if (at === dirname(at)) break;
  }
  return undefined;
}

const GIT_FILE_BYTES = 16 * 1024;

/** The `.git` file of a worktree names a folder below `worktrees` of the repository; that of a submodule another one. */
function readGitFile(disk: Disk, checkout: string, file: string): Checkout | undefined {
  const text = disk.readHead(file, GIT_FILE_BYTES).toString("utf8");
  const [, target] = /^gitdir: *(.+?)\s*$/m.exec(text) ?? [];
  if (target === undefined) return undefined;
  const folder = resolve(checkout, target);
  const [, git] = /^(.+)[\\/]worktrees[\\/][^\\/]+$/.exec(folder) ?? [];
  if (git === undefined) return { repository: checkout, worktree: null };
  const repository = /[\\/]\.(?:git|bare)$/.test(git) ? dirname(git) : git.replace(/\.git$/, "");
  return { repository, worktree: worktreeName(checkout) };
}

/** The name of the worktree in this very folder, as if its branch had the same name. */
function worktreeName(folder: string): string {
  return checkoutByPath(folder, (after) => after).worktree ?? lastPart(folder);
}

/**
 * The name of a session's project for people: its folder's name; for a worktree, the repository's, and which
 * worktree.
 */
export function projectLabel({
  project,
  repository,
  worktree,
}: Checkout & { readonly project: string | null }): string {
  if (worktree !== null) return `${lastPart(repository ?? project ?? "")} (worktree ${worktree})`;
  return project === null ? "–" : lastPart(project);
}

/** Shown in place of a name, if there is no project. */
export const NO_PROJECT = "(no project)";

/** The last part of a path. */
export function lastPart(path: string): string {
  return parts(slashes(path)).at(-1) ?? path;
}

function parts(path: string): readonly string[] {
  return path.split("/").filter((part) => part !== "");
}

function slashes(path: string): string {
  return path.replaceAll("\\", "/");
}
