import { join } from "node:path";
import type { KeyPath } from "../jsonl/rewrite-strings.ts";
import type { AgentName } from "../session/entry.ts";
import { encodeProjectPath } from "./claude/files.ts";
import { workspaceFingerprint } from "./claw/files.ts";
import { encodePiFolder } from "./pi/files.ts";

/** How a session of an agent becomes one of another project. */
export interface Rehoming {
  /** Where its lines name the project's folder. */
  readonly keys: readonly KeyPath[];
  /** Only the first such string counts; the others are left alone. */
  readonly onlyFirst?: boolean;
  /** The place of a file that stood at `relative` below a root of that name. */
  place(relative: string, rootName: string, project: string): RehomedPlace;
  /** Does a file at `relative` belong to a project of that path, by its folder's name? */
  isOf?(relative: string, project: string): boolean;
}

export interface RehomedPlace {
  /** Below the root of that name. */
  readonly relative: string;
  /** Where that root is in the project itself, for an agent that keeps logs there. */
  readonly inProject?: string;
}

const below = (relative: string): RehomedPlace => ({ relative });

/** Puts the files of a project's folder into another one; what stands in no folder stays there. */
function inFolder(relative: string, folder: string): RehomedPlace {
  const [, ...rest] = relative.split(/[/\\]/);
  return below(rest.length === 0 ? relative : join(folder, ...rest));
}

/** One row per agent. */
const table: Readonly<Record<AgentName, Rehoming>> = {
  claude: {
    keys: [["cwd"], ["relocatedCwd"]],
    // Lists of work stand below other roots, by session and not by project.
    place: (relative, rootName, project) =>
      rootName === "projects" ? inFolder(relative, encodeProjectPath(project)) : below(relative),
    isOf: (relative, project) => relative.split(/[/\\]/)[0] === encodeProjectPath(project),
  },
  pi: {
    keys: [["cwd"]],
    onlyFirst: true,
    place: (relative, _rootName, project) => inFolder(relative, encodePiFolder(project)),
    isOf: (relative, project) => relative.split(/[/\\]/)[0] === encodePiFolder(project),
  },
  claw: {
    keys: [["workspace_root"]],
    place: (relative, _rootName, project) => ({
      relative: join(workspaceFingerprint(project), relative.split(/[/\\]/).at(-1) ?? relative),
      inProject: join(".claw", "sessions"),
    }),
  },
  codex: {
    keys: [["payload", "cwd"]],
    place: (relative) => below(relative),
  },
};

export function rehomingOf(agent: AgentName): Rehoming {
  const rehoming = table[agent];
  if (rehoming === undefined) throw new Error(`No agent is called ${JSON.stringify(agent)}`);
  return rehoming;
}
