import { currentSystem, systemTokens } from "./pi-system.ts";
import type { PiEntry, PiLoaded } from "./pi-trail.ts";

/**
 * How many tokens a context has, by Pi's rule: what the model last reported, and an estimate of all that came
 * behind it. A report from before the last edit or compaction is of another context; then all is estimated.
 */
export function piContextTokens(context: readonly PiLoaded[], path: readonly PiEntry[]): number {
  const reported = context.findLastIndex(
    ({ message }) => message?.kind === "message" && message.usedTokens !== null,
  );
  const at = context[reported];
  const report = at?.message?.kind === "message" ? at.message.usedTokens : null;
  if (at !== undefined && report !== null && isStillTrue(at.entry, path)) {
    return context.slice(reported + 1).reduce((sum, { message }) => sum + (message?.tokens ?? 0), report);
  }
  const system = currentSystem(context);
  return context.reduce(
    (sum, { message }) => sum + (message === undefined || isSystem(message) ? 0 : message.tokens),
    system === undefined ? 0 : systemTokens(system),
  );
}

function isStillTrue(entry: PiEntry, path: readonly PiEntry[]): boolean {
  const changed = path.findLastIndex(({ says }) => says.kind === "edit" || says.kind === "compaction");
  return path.findIndex(({ id }) => id === entry.id) > changed;
}

function isSystem(message: NonNullable<PiLoaded["message"]>): boolean {
  return message.kind === "message" && message.role === "system";
}
