import { createHash } from "node:crypto";
import { join } from "node:path";
import { safeName } from "../../fs/safe-name.ts";
import type { SessionName } from "../archive-store.ts";

/** Small letters only: on some disks `Ab` and `ab` are one folder. `~` never stands in such a name. */
const PLAIN = /^[a-z0-9][a-z0-9._-]{0,99}$/;

/**
 * The name of a session's folder: its id where that is harmless, as ids of agents are; else a safe
 * likeness with a hash, so that no two ids share a folder. The true id stands in the manifest.
 */
export function folderNameOf({ agent, id }: SessionName): string {
  if (PLAIN.test(id) && safeName(id, 100) === id) return id;
  return `${safeName(id, 60)}~${hashOfName({ agent, id }, 16)}`;
}

/** Where the generations of a session are. */
export function sessionFolder(raw: string, session: SessionName): string {
  return join(raw, session.agent, folderNameOf(session));
}

/** The first digits of a hash of agent and id: ids alone share prefixes, and two agents may share an id. */
export function hashOfName({ agent, id }: SessionName, digits: number): string {
  return createHash("sha256").update(`${agent}\0${id}`).digest("hex").slice(0, digits);
}
