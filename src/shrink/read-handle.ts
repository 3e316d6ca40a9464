import { Buffer } from "node:buffer";
import { createHash, type Hash } from "node:crypto";
import type { Disk, Handle } from "../fs/disk.ts";
import { systemError } from "../fs/disk-error.ts";

const READ_BYTES = 256 * 1024;

/** The bytes of an open file in parts, each in a buffer of its own. */
export function* readFrom(
  disk: Disk,
  handle: Handle,
  from: number,
  to: number,
  hash?: Hash,
): Generator<Buffer, void, void> {
  for (let at = from; at < to; ) {
    const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, to - at));
    const got = disk.read(handle, buffer, at);
    if (got === 0) return;
    const part = buffer.subarray(0, got);
    hash?.update(part);
    at += got;
    yield part;
  }
}

export function hashUpTo(disk: Disk, handle: Handle, to: number): string {
  const hash = createHash("sha256");
  for (const part of readFrom(disk, handle, 0, to)) hash.update(part);
  return hash.digest("hex");
}

/** Copies bytes from one open file to the end of another; returns how far it got. */
export function copyOn(disk: Disk, source: Handle, target: Handle, from: number, to: number): number {
  let at = from;
  for (const part of readFrom(disk, source, from, to)) {
    writeToEnd(disk, target, part);
    at += part.length;
  }
  return at;
}

export function writeToEnd(disk: Disk, handle: Handle, bytes: Uint8Array): void {
  for (let rest = bytes; rest.length > 0; ) {
    const written = disk.write(handle, rest);
    if (written <= 0) throw systemError("ENOSPC", "the disk accepts no more bytes");
    rest = rest.subarray(written);
  }
}

/** Appends to an existing file, durably. */
export function appendAll(disk: Disk, path: string, bytes: Uint8Array): void {
  const handle = disk.open(path, "append");
  try {
    writeToEnd(disk, handle, bytes);
    disk.fsync(handle);
  } finally {
    disk.close(handle);
  }
}
