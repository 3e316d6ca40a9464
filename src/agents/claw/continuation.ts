/** How the text begins that claw-code puts in place of what it removed; all versions agree on it. */
const OPENING = "This session is being continued from a previous conversation";

/** What stands around the summary: for the model, not for a reader. */
const PREAMBLE = /^This session is being continued from a previous conversation[^\n]*\n+/;
const POSTSCRIPT =
  /\n+(?:Recent messages are preserved verbatim\.|Continue the conversation from where it left off)[\s\S]*$/;
const HEADING = /^Summary:\s*/;

export function isContinuation(text: string): boolean {
  return text.trimStart().startsWith(OPENING);
}

/** The summary alone. */
export function summaryOfContinuation(text: string): string {
  return text.trim().replace(PREAMBLE, "").replace(POSTSCRIPT, "").replace(HEADING, "").trim();
}

/** The summary on a compaction line, which still has its tags. */
export function plainSummary(text: string): string {
  const inside = /<summary>([\s\S]*?)<\/summary>/.exec(text)?.[1];
  return (inside ?? text).trim();
}
