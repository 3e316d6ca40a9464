import { Buffer } from "node:buffer";
import { dirname, resolve } from "node:path";
import { agents } from "../agents/agents.ts";
import { exitCodes, UserError } from "../errors.ts";
import type { FileStat } from "../fs/disk.ts";
import type { Library } from "../fs/library.ts";
import { expandHome, insideOf } from "../fs/places.ts";
import { replaceFile } from "../fs/replace-file.ts";
import { peekOn } from "../fs/sources.ts";
import { sweepTempFiles } from "../fs/sweep-temp-files.ts";

/** A document in parts, the same on every call. */
export type DocumentParts = () => Iterable<string | Uint8Array>;

interface WrittenDocument {
  readonly path: string;
  readonly bytes: number;
  /** `same`: the file had these bytes already and was left alone. */
  readonly outcome: "new" | "replaced" | "same";
}

/**
 * Writes a document to the file of `-o FILE`. Replaces a file only if forced; never replaces a log of an agent, and
 * never writes into this program's store.
 */
export function writeDocument(
  library: Library,
  file: string,
  document: DocumentParts,
  options: { readonly force: boolean },
): WrittenDocument {
  const { disk, environment, places } = library;
  const path = resolve(environment.folder, expandHome(file, environment.home));
  let bytes = 0;
  const content = function* (): Generator<Uint8Array, void, void> {
    bytes = 0;
    for (const part of document()) {
      const chunk = typeof part === "string" ? Buffer.from(part) : part;
      bytes += chunk.length;
      yield chunk;
    }
  };
  if (insideOf(places.home, path)) throw refusal(path, "it is in the store of this program");
  checkFolder(library, path);
  // Leftovers of a killed run at this place would not be found otherwise.
  sweepTempFiles(disk, dirname(path), { now: library.now() });

  const present = disk.stat(path);
  if (present === undefined) {
    if (replaceFile(disk, path, content(), { exclusive: true }).kind === "done")
      return { path, bytes, outcome: "new" };
    throw existsAlready(path);
  }
  if (hasBytes(library, path, present, content())) return { path, bytes, outcome: "same" };
  if (present.kind === "file" && isLog(library, path)) throw refusal(path, "it is a log of an agent");
  if (!options.force) throw existsAlready(path);
  const replaced = replaceFile(disk, path, content(), { mode: "keep", expect: present });
  if (replaced.kind !== "done") throw refusal(path, "it has changed in the meantime");
  return { path, bytes, outcome: "replaced" };
}

function checkFolder({ disk }: Library, path: string): void {
  if (disk.stat(path)?.kind === "folder") throw wrongUsage(path, "it is a folder", "name a file in it");
  const folder = dirname(path);
  if (disk.stat(folder)?.kind !== "folder")
    throw wrongUsage(path, `there is no folder ${JSON.stringify(folder)}`, "create the folder first");
}

function hasBytes(
  { disk }: Library,
  path: string,
  present: FileStat,
  content: Iterable<Uint8Array>,
): boolean {
  if (present.kind !== "file") return false;
  let at = 0;
  for (const part of content) {
    const to = at + part.length;
    if (to > present.size) return false;
    const there = Buffer.concat(
      Array.from(disk.readChunks(path, { from: at, to }), (chunk) => Buffer.from(chunk)),
    );
    if (!there.equals(part)) return false;
    at = to;
  }
  return at === present.size;
}

function isLog({ disk }: Library, path: string): boolean {
  const head = peekOn(disk)(path);
  return agents.some((format) => format.owns(head));
}

function existsAlready(path: string): UserError {
  return refusal(path, "it exists already", "--force replaces it");
}

function refusal(path: string, why: string, hint = "choose another file"): UserError {
  return new UserError(`Cannot write ${JSON.stringify(path)}: ${why}`, { exitCode: exitCodes.refused, hint });
}

function wrongUsage(path: string, why: string, hint: string): UserError {
  return new UserError(`Cannot write ${JSON.stringify(path)}: ${why}`, {
    exitCode: exitCodes.wrongUsage,
    hint,
  });
}
