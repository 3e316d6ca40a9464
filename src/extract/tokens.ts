import type { Characters, Session } from "../session/session.ts";
import { sessionContext } from "../session/session-context.ts";
import type { TokenEstimate } from "./digest.ts";

/** Estimates tokens at four characters each: rough, but good enough to compare before and after. */
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

/** Estimates the tokens that the agent would load now, by kind; compacted messages do not count. */
export function estimateContext(session: Session): TokenEstimate {
  const characters = { toolResults: 0, toolInputs: 0, assistantText: 0, userText: 0 };
  for (const item of sessionContext(session)) {
    if (item.kind === "request") {
      characters.userText += item.text.length;
      continue;
    }
    const { step } = item;
    switch (step.kind) {
      case "reply":
        characters.assistantText += step.text.length;
        break;
      case "thinking":
        characters.assistantText += step.chars;
        break;
      case "tool":
        characters.toolInputs += step.call.inputChars;
        characters.toolResults += step.call.result?.chars ?? 0;
        break;
      case "summary":
      case "note":
        characters.userText += step.text.length;
        break;
    }
  }
  return estimateTokens(characters);
}
