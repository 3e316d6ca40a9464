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
