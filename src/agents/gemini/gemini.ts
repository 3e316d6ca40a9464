import { type Agent, firstFolder, inFolder } from "../agent.ts";
import { geminiRoots, geminiSubagentId, groupGeminiFiles, hashOfProject, ownsGemini } from "./files.ts";
import { createGeminiParser } from "./parser.ts";
import { projectInContext } from "./project-in-context.ts";
import { geminiTextRules } from "./text-rules.ts";

export const gemini: Agent = {
  name: "gemini",
  displayName: "Gemini CLI",
  placeVariables: ["GEMINI_CLI_HOME"],
  childVariables: ["GEMINI_CLI"],
  leafRule: "last-entry",
  roots: geminiRoots,
  owns: ownsGemini,
  group: groupGeminiFiles,
  subagentId: geminiSubagentId,
  parser: createGeminiParser,
  textRules: geminiTextRules,
  resume: ({ id, project }) => ({ command: ["gemini", "--resume", id], folder: project }),
  rehoming: {
    // The project's folder is named only within a text for the model: on a separate line, in changes, and in a
    // whole-file log.
    keys: [[], ["messages", ""], ["$set", "messages", ""]].flatMap((path) => [
      [...path, "content"],
      [...path, "content", "", "text"],
    ]),
    inText: projectInContext,
    // Gemini CLI invents a name for a project's folder, and takes over the files of one that is named by the hash.
    place: (relative, _rootName, project) => inFolder(relative, hashOfProject(project)),
    isOf: (relative, project) => firstFolder(relative) === hashOfProject(project),
  },
  deletesAfterMs: 30 * 24 * 60 * 60 * 1000,
};
