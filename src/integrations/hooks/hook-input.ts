import { agentsThat } from "../../agents/actions.ts";
import type { Extension, ReadHookInput } from "../../agents/agent-actions.ts";

/** The longest field of a hook is a summary; an extension sends the messages that are to be summarized. */
const MAX_INPUT_BYTES = 4 * 1024 * 1024;
const MAX_EXTENSION_INPUT_BYTES = 64 * 1024 * 1024;

/** A larger input is not an event. */
export function maxInputBytes(subcommand: string): number {
  return extensionOf(subcommand) === undefined ? MAX_INPUT_BYTES : MAX_EXTENSION_INPUT_BYTES;
}

/** The extension that sends this event; undefined if it comes from a hook. */
export function extensionOf(subcommand: string): Extension | undefined {
  return agentsThat("extension").find(({ how }) => how.events.includes(subcommand))?.how;
}

/** Reads the input on stdin, from the agent of that name; without a name, from the first agent with hooks. */
export function readHookInput(text: string, subcommand: string, name?: string): ReadHookInput {
  const all = agentsThat("hooks");
  const found = name === undefined ? all[0] : all.find(({ agent }) => agent.name === name);
  return found?.how.read(text, subcommand) ?? { kind: "bad", what: `no agent "${name}" has hooks` };
}

/** The events that hooks and extensions send, by our names. */
export function hookSubcommands(): readonly string[] {
  return [
    ...new Set([
      ...agentsThat("hooks").flatMap(({ how }) => how.events.map(({ subcommand }) => subcommand)),
      ...agentsThat("extension").flatMap(({ how }) => how.events),
    ]),
  ];
}
