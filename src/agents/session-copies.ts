/** The part of a file's description that decides which log it belongs to. */
interface PlacedFile {
  readonly path: string;
  readonly role: string;
}

/** The order of logs with one id: the newest leads. Lists, search and selectors all use it. */
export function newestLogFirst(a: DatedFile, b: DatedFile): number {
  return b.mtimeMs - a.mtimeMs || b.size - a.size || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
}

interface DatedFile {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
}

/** Parts of a conversation: each belongs to one log. Other files (todo lists, titles) may belong to several. */
const PARTS: ReadonlySet<string> = new Set(["rotation", "subagent", "subagent-meta", "spilled"]);

/**
 * Splits the files of a session by log, in the order of their paths: a session id may be in several folders (a copied
 * project, a worktree) or several times in one (a checkpoint), and each of these logs is a separate file. A file
 * belongs to the nearest log; if several logs are equally near, as for todo lists that an agent keeps by session id,
 * it belongs to each of them.
 */
export function splitByLog<T extends PlacedFile>(files: readonly T[]): readonly (readonly T[])[] {
  const logs = files.filter(({ role }) => role === "main").sort((a, b) => (a.path < b.path ? -1 : 1));
  if (logs.length < 2) return [files];
  const parts = new Map(logs.map((log): [T, T[]] => [log, [log]]));
  for (const file of files) {
    if (file.role === "main") continue;
    const nearness = logs.map((log) => commonLength(log.path, file.path));
    const most = Math.max(...nearness);
    const nearest = logs.filter((_, at) => nearness[at] === most);
    for (const log of PARTS.has(file.role) ? nearest.slice(0, 1) : nearest) parts.get(log)?.push(file);
  }
  return [...parts.values()];
}

/** How many characters two paths share at their start. */
function commonLength(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}
