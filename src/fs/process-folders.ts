import { homedir, userInfo } from "node:os";
import { isAbsolute } from "node:path";

/** Returns the user's home. HOME may be empty or a relative path, and the system need not know the user of a container. */
export function homeFolder(): string {
  for (const find of [homedir, () => userInfo().homedir]) {
    try {
      const home = find();
      if (isAbsolute(home)) return home;
    } catch {
      // Try the next source.
    }
  }
  return "/";
}

/**
 * Returns the folder where the user was: npm and deno task change into the package's folder. The working folder may be
 * gone: worktrees are removed while their agent still runs.
 */
export function workingFolder({ cwd, env }: Pick<NodeJS.Process, "cwd" | "env">): string {
  if (env.INIT_CWD) return env.INIT_CWD;
  try {
    return cwd();
  } catch {
    return env.PWD !== undefined && isAbsolute(env.PWD) ? env.PWD : homeFolder();
  }
}
