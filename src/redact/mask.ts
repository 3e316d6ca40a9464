import type { Finding } from "./finding.ts";

/**
 * What stands in place of a secret: `[masked: github-token ghp_…]`. The brackets keep it in one piece, and the
 * ellipsis keeps the visible beginning from looking like a key again, so that masking twice changes nothing.
 * In a URL it is `[masked]` alone: a space there would tear the address for whoever reads it.
 */
export function maskFor(finding: Finding): string {
  if (finding.kind === "url-credentials") return "[masked]";
  if (finding.shown === undefined || finding.shown === "") return `[masked: ${finding.kind}]`;
  return `[masked: ${finding.kind} ${finding.shown}…]`;
}

/** How every mask begins; a value that holds this has been dealt with. */
export const MASK_BEGIN = "[masked";

const MASK: RegExp = /\[masked(?:: [a-z0-9-]{1,40}(?: [^\s\]\u2026]{1,24}\u2026)?)?\]/g;

/** The masks that already stand in a text, as [start, end]. */
export function findMasks(text: string): readonly (readonly [number, number])[] {
  if (!text.includes(MASK_BEGIN)) return [];
  return Array.from(text.matchAll(MASK), (match) => [match.index, match.index + match[0].length] as const);
}
