/** A message as a summary sees it: agents differ in everything but this. */
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

/** The first text of a message that says something. */
export function firstText(message: SummaryMessage): string | undefined {
  for (const block of message.blocks) {
    if (block.kind === "text" && block.text.trim() !== "") return block.text;
  }
  return undefined;
}
