import type { SessionFiles } from "../agents/agent.ts";
import { formatOf, formats } from "../agents/agents.ts";
import type { ByteSource } from "../agents/byte-source.ts";
import { isDamaged, tellingHeads } from "../agents/telling-heads.ts";

/**
 * Content decides what a file is. A log that lies among those of another agent goes to its own; one
 * that is nobody's is no session. One of which nothing tells, because it is damaged, is what its place says: then
 * it can be named.
 */
export function identifySession(source: ByteSource, files: SessionFiles): SessionFiles | undefined {
  const [lead] = files.files;
  if (lead === undefined) return undefined;
  // Fragments of a session that is gone were told by their content already.
  if (lead.role !== "main") return files;
  for (const head of tellingHeads(lead.path, source.head)) {
    // What can't be read is told by whoever reads it.
    if (head.length === 0 || formatOf(files.agent).owns(head)) return files;
    const owner = formats.find((format) => format.owns(head));
    if (owner !== undefined) return { ...files, agent: owner.agent };
  }
  return isDamaged(source.head(lead.path)) ? files : undefined;
}
