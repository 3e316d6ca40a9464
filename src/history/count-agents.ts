import type { CatalogRow } from "../search/session-catalog.ts";
import type { AgentCount } from "./history.ts";

/** Counts sessions, turns and bytes by agent; the agent with the most sessions first. */
export function countAgents(rows: readonly CatalogRow[]): readonly AgentCount[] {
  const counts = new Map<string, AgentCount>();
  for (const { digest, bytes } of rows) {
    const { agent, turns } = digest;
    const before = counts.get(agent) ?? { agent, sessions: 0, turns: 0, bytes: 0 };
    counts.set(agent, {
      agent,
      sessions: before.sessions + 1,
      turns: before.turns + turns,
      bytes: before.bytes + bytes,
    });
  }
  return [...counts.values()].sort((a, b) => b.sessions - a.sessions);
}
