import type { Digest } from "../../extract/digest.ts";
import { encodeJson } from "../../redact/encode-json.ts";
import { type RecallAfter, recallPacket } from "../../render/agent/recall-packet.ts";

/** Of all that is printed. Agents cut off at 10,000; this has to earn its place in a context of its own. */
const MAX_CHARS = 2_000;

/** What a SessionStart hook prints; nothing where there is nothing to recall. */
export function recallAnswer(digest: Digest | undefined, after: RecallAfter): string {
  if (digest === undefined) return "";
  const fits = (packet: string): boolean => answerOf(packet).length <= MAX_CHARS;
  const packet = recallPacket(digest, { after, fits });
  return packet === undefined ? "" : answerOf(packet);
}

function answerOf(additionalContext: string): string {
  return `${encodeJson({ hookSpecificOutput: { hookEventName: "SessionStart", additionalContext } })}\n`;
}
