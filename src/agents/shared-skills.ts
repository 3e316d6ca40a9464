import { join } from "node:path";
import type { Library } from "../fs/library.ts";
import type { Scope } from "./agent-actions.ts";

/** The folder that many agents share for skills: in the home, or in the project. */
export function sharedSkills({ environment: { home, folder } }: Library, scope: Scope): readonly string[] {
  return [join(scope === "user" ? home : folder, ".agents")];
}

/** The folder of Claude Code's skills, which other agents also read. */
export function claudeSkills({ environment: { home, folder } }: Library, scope: Scope): readonly string[] {
  return [join(scope === "user" ? home : folder, ".claude")];
}
