import type { Agent } from "../session/entry.ts";
import type { FoundFile, Placed, PlacementMemory, SessionFile, SessionFiles } from "./agent.ts";
import { sessionIdOfPath } from "./session-id.ts";

/** Which session a file belongs to and as what; undefined where it is none of this agent's. */
export type PlaceFile = (file: FoundFile) => Placed | undefined;

/** Puts files of the same id together: the longest log leads, the others follow by path. */
export function groupFiles(
  agent: Agent,
  files: readonly FoundFile[],
  placeFile: PlaceFile,
  memory?: PlacementMemory,
): readonly SessionFiles[] {
  const byId = new Map<string, SessionFile[]>();
  for (const file of files) {
    const known = memory?.recall(file);
    const placed = known === undefined ? placeSafely(file, placeFile) : (known ?? undefined);
    memory?.remember(file, placed ?? null);
    if (placed === undefined) continue;
    const group = byId.get(placed.id);
    const found: SessionFile = { ...file, role: placed.role };
    if (group === undefined) byId.set(placed.id, [found]);
    else group.push(found);
  }
  return [...byId].map(([id, group]) => ({ agent, id, files: group.sort(leadFirst) }));
}

/** A file that makes the program stumble is a log under its own name: its bytes are kept, and who reads it says why. */
function placeSafely(file: FoundFile, placeFile: PlaceFile): Placed | undefined {
  try {
    return placeFile(file);
  } catch {
    return { id: sessionIdOfPath(file.path), role: "main" };
  }
}

function leadFirst(a: SessionFile, b: SessionFile): number {
  const main = Number(b.role === "main") - Number(a.role === "main");
  if (main !== 0) return main;
  if (a.role === "main" && a.size !== b.size) return b.size - a.size;
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}
