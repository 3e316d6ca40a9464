import { agentsThat } from "../agents/actions.ts";

/** A page for people, about the whole session. */
export const PAGE_FORMAT = "markdown";

/** The formats of summaries. All but the page are named after the agents that write them. */
export const summaryFormats: readonly string[] = [
  ...agentsThat("summary").map(({ agent }) => agent.name),
  PAGE_FORMAT,
];
