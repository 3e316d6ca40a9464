import type { Rehoming } from "../agent.ts";

const FOLDER = /^(- \*\*Workspace Directories:\*\*\n\s+- )(.+)$/m;

/** Finds the project's folder: the first folder that the model is told about. Nothing else in a log names it. */
export const projectInContext: NonNullable<Rehoming["inText"]> = {
  folder: (text) =>
    text.trimStart().startsWith("<session_context>") ? FOLDER.exec(text)?.[2]?.trim() : undefined,
  replace: (text, folder) => text.replace(FOLDER, (_, start: string) => `${start}${folder}`),
};
