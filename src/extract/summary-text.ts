/**
 * Returns the text of a compaction's summary for people: without the sentences that introduce it and without the analysis
 * that the model wrote first. A summary of another form stays as it is.
 */
export function plainSummary(text: string): string {
  const summary = /(?:^|\n)[^\S\n]*(?:<summary>|Summary:)\s*/.exec(text);
  const body = summary === null ? text : text.slice(summary.index + summary[0].length);
  return body
    .replace(/^This session is being continued from a previous conversation[^\n]*\n*/, "")
    .replace(/<\/?(?:summary|analysis)>/g, "")
    .trim();
}

/**
 * Returns the core of a compaction's summary, without the text that agents add: the sentences that start the next
 * context, and the thinking that led to the summary. The compaction itself is shown with the whole text.
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

const OPENING =
  "This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.";
const ENDING =
  "Recent messages are preserved verbatim.\nContinue the conversation from where it left off without asking the user any further questions.";

/** Writes the first message after a compaction, which replaces the compacted messages. */
export function continuationText(summary: string): string {
  return `${OPENING}\n\n${plainBody(summary)}\n\n${ENDING}`;
}

/** Removes the tags, which are for programs, and the analysis; `Summary:` replaces the tag of the summary. */
function plainBody(summary: string): string {
  const body = summary.replace(/<analysis>[\s\S]*?<\/analysis>/g, "");
  const tagged = /<summary>([\s\S]*)<\/summary>/.exec(body)?.[1] ?? body;
  return `Summary:\n${tagged.trim()}`;
}
