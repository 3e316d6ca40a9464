import type { Library } from "../fs/library.ts";
import type { AgentName } from "../session/entry.ts";
import type { PromptHistory } from "./agent.ts";
import { agents } from "./agents.ts";

/** A file with the prompts that were typed into an agent. */
interface HistoryFile extends Pick<PromptHistory, "readLine"> {
  readonly agent: AgentName;
  readonly path: string;
}

/** The files of all agents that keep prompts beside their logs. They may be missing. */
export function promptHistories({ surroundings }: Pick<Library, "surroundings">): readonly HistoryFile[] {
  return agents.flatMap(({ agent, history }) =>
    history === undefined
      ? []
      : history.files(surroundings).map((path) => ({ agent, path, readLine: history.readLine })),
  );
}
