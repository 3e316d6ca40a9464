import { type Buffer, isUtf8 } from "node:buffer";
import type { SessionFiles } from "../formats/format.ts";
import { formatOf, formats } from "../formats/formats.ts";
import type { ByteSource } from "./byte-source.ts";

/**
 * Content decides what a file is. A log that lies among those of another agent goes to its own; one
 * that is nobody's is no session. One that begins with damage is what its place says: the rest may be good, and
 * what is not is named.
 */
export function identifySession(source: ByteSource, files: SessionFiles): SessionFiles | undefined {
  const [lead] = files.files;
  if (lead === undefined) return undefined;
  // Fragments of a session that is gone were told by their content already.
  if (lead.role !== "main") return files;
  const head = source.head(lead.path);
  // What can't be read is told by whoever reads it.
  if (head.length === 0 || formatOf(files.agent).owns(head)) return files;
  const owner = formats.find((format) => format.owns(head));
  if (owner !== undefined) return { ...files, agent: owner.agent };
  return isDamaged(head) ? files : undefined;
}

/** Bytes that no agent writes: those that a power cut left, or no text at all. */
function isDamaged(head: Buffer): boolean {
  // The last character may be cut.
  return head.includes(0) || ![0, 1, 2, 3].some((cut) => isUtf8(head.subarray(0, head.length - cut)));
}
