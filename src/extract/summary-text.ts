/**
 * What a compaction's summary says, without the sentences that hand it over and without the analysis
 * that the model wrote first: for people. Where it has another shape it stays as it is.
 */
export function plainSummary(text: string): string {
  const summary = /(?:^|\n)\s*(?:<summary>|Summary:)\s*\n?/.exec(text);
  const body = summary === null ? text : text.slice(summary.index + summary[0].length);
  return body
    .replace(/^This session is being continued from a previous conversation[^\n]*\n*/, "")
    .replace(/<\/?(?:summary|analysis)>/g, "")
    .trim();
}

/**
 * What a compaction's summary says, without what agents write around it: the sentences that start the next context,
 * and the thinking that led to the summary. The whole stands with the compaction.
 */
export function summaryCore(text: string): string {
  const heading = /^[ \t]*(?:<summary>|Summary:)[ \t]*$/m.exec(text);
  if (heading === null) return text;
  const core = text.slice(heading.index + heading[0].length);
  const end =
    /^[ \t]*(?:<\/summary>|If you need specific details from before compaction\b|Please continue the conversation\b)/m;
  const tail = end.exec(core);
  const cut = tail === null ? core : core.slice(0, tail.index);
  return cut.trim() === "" ? text : cut.trim();
}
