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
