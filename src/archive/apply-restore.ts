import { dirname } from "node:path";
import { rootOfFile } from "../agents/roots-of-files.ts";
import { ArchiveDamage } from "../fs/archive-damage.ts";
import type { FileMark } from "../fs/disk.ts";
import { diskError } from "../fs/disk-error.ts";
import type { Library } from "../fs/library.ts";
import { makeFolders } from "../fs/make-folders.ts";
import { replaceFile } from "../fs/replace-file.ts";
import type { ArchiveStore, KeptSession } from "./archive-store.ts";
import type { PlannedFile } from "./plan-restore.ts";
import { sourceFile } from "./raw/source-file.ts";

/** `written`; `identical` and `grown` (by the agent, since) were there; the others are why nothing was written. */
export type RestoreAction =
  | "written"
  | "identical"
  | "grown"
  | "different"
  | "blocked"
  | "outside"
  | "damaged";

/** Takes a problem with a file. */
export type Tell = (path: string, what: string) => void;

export interface Secured {
  /** What was archived of files that are about to be replaced: they may be only as long as they are that. */
  readonly marks: ReadonlyMap<string, FileMark>;
  /** The generation that holds them; null where there were none. */
  readonly generation: number | null;
}

/**
 * Archives what is about to be overwritten, as a generation of its own, which is put aside: until the files are
 * replaced, and also where that fails, the session stays what it was. undefined where it could not be archived.
 */
export function secureStanding(
  library: Library,
  archive: ArchiveStore,
  kept: KeptSession,
  planned: readonly PlannedFile[],
  tell: Tell,
): Secured | undefined {
  const standing = planned.flatMap(({ standing: found, target, file }) => {
    if (found.kind !== "different") return [];
    const { size, mtimeMs, inode } = found.stat;
    const listed = { path: target, role: file.role, size, mtimeMs, inode };
    return [sourceFile(library.disk, listed, rootOfFile(library, kept.agent, target))];
  });
  if (standing.length === 0) return { marks: new Map(), generation: null };
  const { generation, problems } = archive.put(kept, standing, { aside: true });
  for (const { path, what } of problems)
    tell(path, `it is left alone, because it can't be archived: ${what}`);
  const aside = archive.get(kept, generation);
  if (aside === undefined || problems.length > 0) return undefined;
  return {
    generation,
    marks: new Map(aside.files.map(({ path, size, mtimeMs, inode }) => [path, { size, mtimeMs, inode }])),
  };
}

/** Puts one file where it belongs; what became of it. */
export function applyRestore(
  library: Library,
  planned: PlannedFile,
  mark: FileMark | undefined,
  options: { readonly touch?: boolean },
  tell: Tell,
): RestoreAction {
  const { disk } = library;
  const { file, target, standing } = planned;
  const mtimeMs = options.touch === true ? library.now() : file.mtimeMs;
  const { mode } = file;
  try {
    switch (standing.kind) {
      case "grown":
      case "blocked":
        return standing.kind;
      case "identical": {
        const { stat } = standing;
        if (stat.mode !== mode) disk.chmod(target, mode);
        if (stat.mtimeMs !== mtimeMs) disk.utimes(target, stat.atimeMs, mtimeMs);
        return "identical";
      }
      case "absent": {
        makeFolders(disk, dirname(target));
        const done = replaceFile(disk, target, planned.content(), { mode, mtimeMs, exclusive: true });
        if (done.kind === "done") return "written";
        tell(target, "something was put there meanwhile, and was left alone");
        return "different";
      }
      case "different": {
        if (mark === undefined) return "different";
        const done = replaceFile(disk, target, planned.content(), { mode, mtimeMs, expect: mark });
        if (done.kind === "done") return "written";
        tell(target, "it changed meanwhile, and was left alone");
        return "different";
      }
    }
  } catch (error) {
    if (!(error instanceof ArchiveDamage)) throw diskError("restore", target, error);
    tell(target, `it can't be restored: ${error.what}`);
    return "damaged";
  }
}
