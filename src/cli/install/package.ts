import { hookEvents } from "../../integrations/hooks/hook-input.ts";
import type { Package } from "../../integrations/install-files.ts";
import { skillName, skillText } from "../../integrations/skill/skill-text.ts";
import type { World } from "../world.ts";

/** What this version installs, run as it is run now. */
export function packageOf({ program }: Pick<World, "program">): Package {
  return { program, hooks: hookEvents, skill: { name: skillName, text: skillText } };
}
