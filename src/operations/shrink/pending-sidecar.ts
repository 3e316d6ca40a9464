import type { SessionName } from "../../core/archive/archive-store.ts";
import { adoptSidecar, dropPending, sidecarPath } from "../../store/flat/sidecar.ts";
import type { Library } from "../library.ts";
import type { FlattenPlan } from "./plan-flatten.ts";

/** Durable before the log is replaced: at every moment what is not in the log is in the sidecar. */
export function writeSidecar(
  { disk, places }: Library,
  session: SessionName,
  path: string,
  { builder, original, rule }: Pick<FlattenPlan, "builder" | "original" | "rule">,
): string {
  const { agent, id } = session;
  const flat = sidecarPath(places.flat, session);
  builder.write(disk, flat, { agent, id, path, ...rule, original });
  return flat;
}

/** Replaces a log whose sidecar is pending: both, or none. */
export async function adopting<T>(
  { disk }: Library,
  flat: string,
  replace: () => T | Promise<T>,
): Promise<T> {
  let done: T;
  try {
    done = await replace();
  } catch (error) {
    dropPending(disk, flat);
    throw error;
  }
  adoptSidecar(disk, flat);
  return done;
}
