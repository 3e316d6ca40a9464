import { formats } from "../../agents/agents.ts";
import type { Catalogue } from "../../search/catalogue.ts";
import { type Check, count, note, ok } from "./check.ts";

export interface FoundAgent {
  readonly agent: string;
  readonly name: string;
  readonly sessions: number;
  /** The one that wrote the newest session; null where its logs do not say. */
  readonly version: string | null;
}

/** The agents whose sessions are here, the one with the most first. */
export async function findAgents({ rows, digestOf }: Catalogue): Promise<readonly FoundAgent[]> {
  const found: FoundAgent[] = [];
  for (const { agent, name } of formats) {
    const own = rows.filter(({ digest, state }) => digest.agent === agent && state !== "stub");
    const [newest] = own;
    if (newest === undefined) continue;
    found.push({ agent, name, sessions: own.length, version: (await digestOf(newest))?.version ?? null });
  }
  return found.sort((a, b) => b.sessions - a.sessions);
}

export function checkAgents(agents: readonly FoundAgent[]): Check {
  if (agents.length === 0) return note("agents", "no agent has written any session here");
  const lines = agents.map(
    ({ name, sessions, version }) =>
      `${name}${version === null ? "" : ` ${version}`}: ${count(sessions, "session")}`,
  );
  return ok("agents", `${count(agents.length, "agent")} found`, lines);
}
