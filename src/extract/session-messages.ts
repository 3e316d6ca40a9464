import type { Session, Step } from "../session/session.ts";
import type { SummaryBlock, SummaryMessage } from "./summary-message.ts";

/** The messages of a session, made of its turns: logs of all agents come to the same. */
export function sessionMessages(session: Session): readonly SummaryMessage[] {
  const messages: SummaryMessage[] = stepMessages(session.preamble);
  for (const { request, context, steps } of session.turns) {
    if (context === "current" && request.trim() !== "")
      messages.push({ role: "user", blocks: [{ kind: "text", text: request }] });
    for (const message of stepMessages(steps)) messages.push(message);
  }
  return messages;
}

/** A message of the agent ends where results come in, or where the next one stands on another line. */
function stepMessages(steps: readonly Step[]): SummaryMessage[] {
  const messages: SummaryMessage[] = [];
  let blocks: SummaryBlock[] = [];
  let results: SummaryMessage[] = [];
  let line = 0;
  const flush = (): void => {
    if (blocks.length > 0) messages.push({ role: "assistant", blocks });
    for (const result of results) messages.push(result);
    blocks = [];
    results = [];
  };
  for (const step of steps) {
    const isNext = results.length > 0 && (step.kind !== "tool" || step.line !== line);
    if (isNext) flush();
    line = step.line;
    switch (step.kind) {
      case "reply":
        if (step.text.trim() !== "") blocks.push({ kind: "text", text: step.text });
        break;
      case "thinking":
        blocks.push({ kind: "thinking", chars: step.chars });
        break;
      case "tool": {
        const { name, input, result } = step.call;
        blocks.push({ kind: "call", name, input });
        if (result === undefined) break;
        const block: SummaryBlock = { kind: "result", name, output: result.text, isError: result.isError };
        results.push({ role: "tool", blocks: [block] });
        break;
      }
      case "summary":
        flush();
        messages.push({ role: "system", blocks: [{ kind: "text", text: step.text }] });
        break;
      // What the agent's own machinery put in is no message of anyone.
      case "note":
        break;
    }
  }
  flush();
  return messages;
}
