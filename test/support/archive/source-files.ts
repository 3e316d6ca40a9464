import { Buffer } from "node:buffer";
import fs from "node:fs";
import { basename, dirname, join } from "node:path";
import type { ArchiveStore, FileToKeep } from "../../../src/archive/archive-store.ts";
import { sourceFile } from "../../../src/archive/raw/store-file.ts";
import type { Disk } from "../../../src/fs/disk.ts";
import type { LogKey } from "../../../src/session/session.ts";

export const session: LogKey = { agent: "claude", id: "0b7c1d7e-5a0c-4f0e-9d3f-3f6f1c2e4a5b", copy: null };

/** The file at a path, to be kept, as a walk over the disk would find it. */
export function fileAt(
  disk: Disk,
  path: string,
  role = "main",
  root: string | null = dirname(path),
): FileToKeep {
  const stat = disk.stat(path);
  if (stat === undefined) throw new Error(`nothing is at ${path}`);
  return sourceFile(disk, { ...stat, path, role }, root);
}

/** Lines as logs have them, none like another, so that no two chunks are equal. */
export function logLines(from: number, bytes: number): string {
  const lines: string[] = [];
  for (let length = 0, n = from; length < bytes; n++) {
    const line = `${JSON.stringify({ type: "user", uuid: `u${n}`, text: `line ${n * 7919} of a log` })}\n`;
    lines.push(line);
    length += line.length;
  }
  return lines.join("");
}

/** All bytes of one file of a session as the archive gives them back. */
export function bytesOf(archive: ArchiveStore, path: string, generation?: number): Buffer | undefined {
  const kept = archive.get(session, generation);
  const file = [...(kept?.files ?? []), ...(kept?.others ?? [])].find((each) => each.path === path);
  return kept === undefined || file === undefined ? undefined : readAll(kept.read(file));
}

export function readAll(parts: Iterable<Uint8Array>): Buffer {
  return Buffer.concat([...parts].map((part) => Buffer.from(part)));
}

/** Every file below a folder, with what is in it. */
export function filesBelow(folder: string): ReadonlyMap<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (const name of fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
    const path = join(folder, name);
    if (fs.statSync(path).isFile()) found.set(name, fs.readFileSync(path));
  }
  return found;
}

export function chunkNames(folder: string): readonly string[] {
  return [...filesBelow(folder).keys()].map((name) => basename(name)).filter((name) => name.endsWith(".br"));
}
