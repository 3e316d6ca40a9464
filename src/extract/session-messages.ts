import type { Session, Step } from "../session/session.ts";

/** Converts the turns of a session into messages, the same for all agents. */
export function sessionMessages(session: Session): readonly SummaryMessage[] {
  const messages: SummaryMessage[] = stepMessages(session.preamble);
  for (const { request, context, steps } of session.turns) {
    if (context === "current" && request.trim() !== "")
      messages.push({ role: "user", blocks: [{ kind: "text", text: request }] });
    for (const message of stepMessages(steps)) messages.push(message);
  }
  return messages;
}

/** A message of the agent ends when results follow, or when the next step is on another line. */
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
      // Notes were added by the agent program, so they are not messages.
      case "note":
        break;
    }
  }
  flush();
  return messages;
}

/** A message in the form that summaries need. */
export interface SummaryMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly blocks: readonly SummaryBlock[];
}

export type SummaryBlock =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "thinking"; readonly chars: number }
  /** `input` as JSON text. */
  | { readonly kind: "call"; readonly name: string; readonly input: string }
  | { readonly kind: "result"; readonly name: string; readonly output: string; readonly isError: boolean };

/** Returns the first text of a message that is not blank. */
export function firstText(message: SummaryMessage): string | undefined {
  for (const block of message.blocks) {
    if (block.kind === "text" && block.text.trim() !== "") return block.text;
  }
  return undefined;
}

/** What the agent would load now, and the summary of everything before it. */
interface Focus {
  /** The session without its compacted part and without abandoned branches. */
  readonly session: Session;
  /** The summary of the last compaction on the current path. */
  readonly earlier: string | null;
}

/** Reduces a session to what the agent would load now. */
export function focusSession(session: Session): Focus {
  let earlier: string | null = null;
  const loaded = (steps: readonly Step[]): readonly Step[] =>
    steps.filter((step) => {
      if (step.context !== "current") return false;
      if (step.kind !== "summary" || step.of !== "compaction") return true;
      earlier = step.text;
      return false;
    });
  const preamble = loaded(session.preamble);
  const turns = session.turns.flatMap((turn) => {
    const steps = loaded(turn.steps);
    return turn.context === "current" || steps.length > 0 ? [{ ...turn, steps }] : [];
  });
  const numbers = new Set(turns.map(({ number }) => number));
  const subagents = session.subagents.filter(({ turn }) => turn === null || numbers.has(turn));
  return { session: { ...session, preamble, turns, subagents }, earlier };
}

/**
 * Cuts a text to one line of at most `max` characters, followed by an ellipsis. Counts code points, so that a surrogate
 * pair is never split.
 */
export function cutLine(text: string, max: number): string {
  // Eight times as much allows for white space that is removed, and a text of megabytes is not processed.
  const head = text.length > 8 * max ? text.slice(0, 8 * max) : text;
  const line = head.replace(/\s+/g, " ").trim();
  if (line.length <= max && head.length === text.length) return line;
  let end = 0;
  for (let count = 0; count < max && end < line.length; count++)
    end += (line.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return end === line.length && head.length === text.length ? line : `${line.slice(0, end)}…`;
}
