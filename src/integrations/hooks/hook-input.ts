import { agentsThat } from "../../agents/actions.ts";
import type { Extension, ReadHookInput } from "../../agents/agent-actions.ts";

/** Of a hook a summary is the longest field; an extension sends the messages that are to be summarised. */
const MAX_INPUT_BYTES = 4 * 1024 * 1024;
const MAX_EXTENSION_INPUT_BYTES = 64 * 1024 * 1024;

/** Anything larger is no event. */
export function maxInputBytes(subcommand: string): number {
  return extensionOf(subcommand) === undefined ? MAX_INPUT_BYTES : MAX_EXTENSION_INPUT_BYTES;
}

/** The extension that sends this event; undefined if it is one of hooks. */
export function extensionOf(subcommand: string): Extension | undefined {
  return agentsThat("extension").find(({ how }) => how.events.includes(subcommand))?.how;
}

/** Reads what came on stdin, from the agent of that name; the first that has hooks if none is named. */
export function readHookInput(text: string, subcommand: string, name?: string): ReadHookInput {
  const all = agentsThat("hooks");
  const found = name === undefined ? all[0] : all.find(({ agent }) => agent.name === name);
  return found?.how.read(text, subcommand) ?? { kind: "bad", what: `no agent "${name}" has hooks` };
}

/** The events that hooks and extensions send, as we call them. */
export function hookSubcommands(): readonly string[] {
  return [
    ...new Set([
      ...agentsThat("hooks").flatMap(({ how }) => how.events.map(({ subcommand }) => subcommand)),
      ...agentsThat("extension").flatMap(({ how }) => how.events),
    ]),
  ];
}
