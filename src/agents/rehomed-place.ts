import { join } from "node:path";
import type { RehomedPlace } from "./agent.ts";

/** Puts a file of one project's folder into another's; a file in no folder stays where it is. */
export function inFolder(relative: string, folder: string): RehomedPlace {
  const [, ...rest] = relative.split(/[/\\]/);
  return { relative: rest.length === 0 ? relative : join(folder, ...rest) };
}

export function firstFolder(relative: string): string | undefined {
  return relative.split(/[/\\]/)[0];
}
