import type { RequestEntry } from "./entry.ts";
import type { NodeTable } from "./node-table.ts";

/**
 * Prompts that were typed ahead become turns only where no later line of the user's repeats them.
 * One that is repeated is taken out.
 */
export function settleQueued(nodes: NodeTable, queued: readonly number[]): void {
  if (queued.length === 0) return;
  const requests = Array.from(nodes.inOrder(), (node) => nodes.entry(node)).filter(
    (entry): entry is RequestEntry => entry?.kind === "request",
  );
  for (const node of queued) {
    const prompt = nodes.entry(node);
    if (prompt?.kind !== "request") continue;
    const repeated = requests.some(
      (request) => request !== prompt && request.line > prompt.line && repeats(request, prompt),
    );
    if (repeated) nodes.clear(node);
  }
}

function repeats(request: RequestEntry, prompt: RequestEntry): boolean {
  // Two that were queued with the same words are two prompts.
  return request.uid === undefined ? false : request.text.includes(prompt.text);
}
