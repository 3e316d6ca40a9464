import type { Fact } from "./entry.ts";
import type { Session } from "./session.ts";
import { cutText } from "./text-budget.ts";

const TITLE_CHARS = 200;

/**
 * Custom title, else generated title, else an old title line whose leaf is in this log, else the
 * session's name, else the first request.
 */
export function chooseTitle(
  facts: readonly Fact[],
  { turns, preamble, subagents }: Pick<Session, "turns" | "preamble" | "subagents">,
  isHere: (uid: string) => boolean,
  given: string | undefined,
): Pick<Session, "title" | "titleFrom"> {
  const titled = (from: "custom" | "generated" | "session-name"): string | undefined => {
    const fact = facts.findLast((one) => one.name === "title" && one.from === from);
    return fact?.name === "title" && fact.text.trim() !== "" ? fact.text : undefined;
  };
  const custom = titled("custom") ?? given;
  if (custom !== undefined) return { title: oneLine(custom), titleFrom: "custom" };
  const generated = titled("generated");
  if (generated !== undefined) return { title: oneLine(generated), titleFrom: "generated" };
  const summary = facts.findLast((fact) => fact.name === "leaf-title" && isHere(fact.leaf));
  if (summary?.name === "leaf-title") return { title: oneLine(summary.text), titleFrom: "summary" };
  const name = titled("session-name");
  if (name !== undefined) return { title: oneLine(name), titleFrom: "session-name" };
  const request = turns.find((turn) => turn.request.trim() !== "");
  if (request !== undefined) return { title: oneLine(request.request), titleFrom: "request" };
  // Without any request: what was started by a command alone, or what a sub-agent was told.
  const command = preamble.find((step) => step.kind === "note" && step.about === "command");
  if (command?.kind === "note") return { title: oneLine(command.text), titleFrom: "command" };
  const prompt = subagents.find((subagent) => subagent.prompt !== null)?.prompt;
  return typeof prompt === "string"
    ? { title: oneLine(prompt), titleFrom: "subagent" }
    : { title: null, titleFrom: null };
}

function oneLine(text: string): string {
  return cutText(
    text
      .slice(0, 4 * TITLE_CHARS)
      .replace(/\s+/g, " ")
      .trim(),
    TITLE_CHARS,
  );
}
