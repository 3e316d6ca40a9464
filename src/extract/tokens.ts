import type { Characters } from "../session/session.ts";
import type { TokenEstimate } from "./digest.ts";

/** About four characters make a token: rough, and enough to compare before and after. */
export function estimateTokens(characters: Characters): TokenEstimate {
  const toolResults = Math.floor(characters.toolResults / 4);
  const toolInputs = Math.floor(characters.toolInputs / 4);
  const assistantText = Math.floor(characters.assistantText / 4);
  const userText = Math.floor(characters.userText / 4);
  return {
    toolResults,
    toolInputs,
    assistantText,
    userText,
    total: toolResults + toolInputs + assistantText + userText,
  };
}
