const OPENING =
  "This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.";
const ENDING =
  "Recent messages are preserved verbatim.\nContinue the conversation from where it left off without asking the user any further questions.";

/** The message that stands for what was compacted away: the first of the session that goes on. */
export function continuationText(summary: string): string {
  return `${OPENING}\n\n${plainBody(summary)}\n\n${ENDING}`;
}

/** The tags are for programs: the analysis goes, and `Summary:` stands for the summary's own. */
function plainBody(summary: string): string {
  const body = summary.replace(/<analysis>[\s\S]*?<\/analysis>/g, "");
  const tagged = /<summary>([\s\S]*)<\/summary>/.exec(body)?.[1] ?? body;
  return `Summary:\n${tagged.trim()}`;
}
