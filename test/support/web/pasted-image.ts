/** A red dot, as PNG in base64. */
export const DOT =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

interface LogOfClaude {
  readonly id: string;
  /** Below the home. */
  readonly place: string;
  readonly lines: readonly object[];
}

/** A session of Claude Code with an image in its only request. */
export function pastedInClaude(text: string, data: string, mediaType = "image/png"): LogOfClaude {
  const id = "0f0f0f0f-1b5d-461b-8db4-95cd4ce864a4";
  const content = [
    { type: "text", text },
    { type: "image", source: { type: "base64", media_type: mediaType, data } },
  ];
  const line = { sessionId: id, cwd: "/home/ana/shop", timestamp: "2026-10-20T08:30:00.000Z" };
  return {
    id,
    place: `.claude/projects/-home-ana-shop/${id}.jsonl`,
    lines: [{ ...line, type: "user", uuid: "a", parentUuid: null, message: { role: "user", content } }],
  };
}
