import type { Agent } from "../agent.ts";
import { codexBase } from "./base.ts";
import { codexRoots, groupCodexFiles, ownsCodex } from "./files.ts";
import { createCodexParser } from "./parser.ts";
import { codexTextRules } from "./text-rules.ts";

export const codex: Agent = {
  name: "codex",
  displayName: "Codex",
  placeVariables: ["CODEX_HOME"],
  childVariables: ["CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED"],
  leafRule: "last-entry",
  roots: codexRoots,
  owns: ownsCodex,
  group: groupCodexFiles,
  base: codexBase,
  parser: createCodexParser,
  textRules: codexTextRules,
  resume: ({ id, project }) => ({ command: ["codex", "resume", id], folder: project }),
  rehoming: { keys: [["payload", "cwd"]], place: (relative) => ({ relative }) },
};
