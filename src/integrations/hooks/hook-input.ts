import { agentsThat } from "../../agents/actions.ts";
import type { ReadHookInput } from "../../agents/agent-actions.ts";

/** A summary is the longest field; anything larger is no event. */
export const MAX_INPUT_BYTES: number = 4 * 1024 * 1024;

/** Reads what came on stdin, as the first agent that understands it. */
export function readHookInput(text: string, subcommand: string): ReadHookInput {
  let bad: ReadHookInput = { kind: "bad", what: "no agent has hooks" };
  for (const { how } of agentsThat("hooks")) {
    const read = how.read(text, subcommand);
    if (read.kind === "good") return read;
    bad = read;
  }
  return bad;
}

/** The events that hooks are installed for, as we call them. */
export function hookSubcommands(): readonly string[] {
  return [
    ...new Set(agentsThat("hooks").flatMap(({ how }) => how.events.map(({ subcommand }) => subcommand))),
  ];
}
