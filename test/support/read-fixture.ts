import { Buffer } from "node:buffer";
import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { basename } from "node:path";
import type { ByteSource } from "../../src/agents/byte-source.ts";
import { readSession } from "../../src/agents/read-session.ts";
import type { Digest } from "../../src/extract/digest.ts";
import { extractDigest } from "../../src/extract/extract-digest.ts";
import type { AgentName } from "../../src/session/entry.ts";
import type { Session } from "../../src/session/session.ts";
import { sessionContext } from "../../src/session/session-context.ts";

/** Plain files, read with small chunks so that lines are split over many. */
export const fixtureSource: ByteSource = {
  *chunks(path) {
    const file = openSync(path, "r");
    const buffer = Buffer.alloc(8 * 1024);
    try {
      for (let count = readSync(file, buffer); count > 0; count = readSync(file, buffer))
        yield buffer.subarray(0, count);
    } finally {
      closeSync(file);
    }
  },
  text: (path) => readFileSync(path, "utf8"),
  head: (path) => readFileSync(path).subarray(0, 64 * 1024),
  explain: String,
};

export function readFixture(
  agent: AgentName,
  path: string,
): { readonly session: Session; readonly digest: Digest } {
  const { size, mtimeMs, ino } = statSync(path);
  const id = basename(path).replace(/\.jsonl?$/, "");
  const session = readSession(fixtureSource, {
    agent,
    id,
    files: [{ role: "main", path, size, mtimeMs: Math.floor(mtimeMs), inode: ino }],
  });
  return { session, digest: extractDigest(session) };
}

/** The texts of what the agent would load: requests, replies and summaries. */
export function contextTexts(session: Session): readonly string[] {
  return sessionContext(session).flatMap((item) => {
    if (item.kind === "request") return [item.text];
    return item.step.kind === "reply" || item.step.kind === "summary" ? [item.step.text] : [];
  });
}
