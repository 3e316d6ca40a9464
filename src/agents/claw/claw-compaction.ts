/** A message of claw-code, as far as a compaction must know it. */
export interface ClawSized {
  /** By claw-code's own rule. */
  readonly tokens: number;
  /** What the model reported to have read for it. */
  readonly inputTokens: number;
  readonly beginsWithResult: boolean;
  readonly hasCall: boolean;
  /** It stands for what an earlier compaction removed. */
  readonly isSummary: boolean;
}

export interface ClawCompactionRule {
  readonly preserve: number;
  readonly maxTokens: number;
  /** Set where only a session is to be compacted that has read so many tokens in all. */
  readonly onlyFromInputTokens: number | null;
}

/** Messages from `removedFrom` up to `keptFrom` go into the summary; before them stands at most an earlier one. */
export interface ClawCut {
  readonly removedFrom: number;
  readonly keptFrom: number;
}

/** What is to be done, or why nothing is, as a sentence without its full stop. */
export function cutClawMessages(
  messages: readonly ClawSized[],
  { preserve, maxTokens, onlyFromInputTokens }: ClawCompactionRule,
): ClawCut | { readonly nothing: string } {
  const inputTokens = messages.reduce((sum, message) => sum + message.inputTokens, 0);
  if (onlyFromInputTokens !== null && inputTokens < onlyFromInputTokens)
    return { nothing: `it has read ${inputTokens} tokens, and the threshold is ${onlyFromInputTokens}` };
  const removedFrom = messages[0]?.isSummary === true ? 1 : 0;
  const count = messages.length - removedFrom;
  if (count <= preserve) return { nothing: `it has no more than the ${preserve} messages that stay` };
  const tokens = messages.slice(removedFrom).reduce((sum, message) => sum + message.tokens, 0);
  if (tokens < maxTokens) return { nothing: `its messages have ${tokens} tokens, and it takes ${maxTokens}` };
  const keptFrom = withWholeCalls(messages, messages.length - preserve, removedFrom);
  return keptFrom === removedFrom
    ? { nothing: "all of its messages belong to the last call" }
    : { removedFrom, keptFrom };
}

/** A result without its call is refused by the model's service: what is kept begins with the call. */
function withWholeCalls(messages: readonly ClawSized[], from: number, least: number): number {
  let keptFrom = from;
  while (keptFrom > least && messages[keptFrom]?.beginsWithResult === true) {
    keptFrom--;
    if (messages[keptFrom]?.hasCall === true) break;
  }
  return keptFrom;
}
