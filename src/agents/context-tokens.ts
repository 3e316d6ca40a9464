import type { Session, Step } from "../session/session.ts";
import { sessionContext } from "../session/session-context.ts";

/** Tokens that the agent would load if the session were resumed: about four characters each. */
export function contextTokens(session: Session): number {
  let characters = 0;
  for (const item of sessionContext(session))
    characters += item.kind === "request" ? item.text.length : stepCharacters(item.step);
  return Math.floor(characters / 4);
}

function stepCharacters(step: Step): number {
  switch (step.kind) {
    case "thinking":
      return step.chars;
    case "tool":
      return step.call.inputChars + (step.call.result?.chars ?? 0);
    case "reply":
    case "summary":
    case "note":
      return step.text.length;
  }
}
