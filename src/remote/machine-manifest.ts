import { isAgent } from "../agents/agents.ts";
import { invalidRecord, readFields } from "../archive/raw/sealed-json.ts";
import { ArchiveDamage } from "../fs/damage.ts";
import type { LogKey } from "../session/session.ts";
import { isMachineName, type MachineName } from "./machine.ts";

/** A generation of a session: its number, and the SHA-256 of its record. */
export interface PushedGeneration {
  readonly generation: number;
  readonly record: string;
}

/** A session, as named by its machine. */
export interface PushedSession extends LogKey {
  readonly generations: readonly PushedGeneration[];
}

/** A session that was forgotten on all machines. */
export interface PushedTombstone extends LogKey {
  /** The machine that the session belongs to; `copy` is that of the session there. */
  readonly machine: string;
  readonly at: number;
}

/** A session that others forgot and its own machine brought back: their tombstones up to then are void. */
export interface PushedUndoing extends LogKey {
  readonly until: number;
}

/**
 * Everything that a machine has pushed: all of its sessions, and those that were forgotten on it. A later manifest
 * replaces it as a whole.
 */
export interface MachineManifest {
  readonly machine: MachineName;
  /** The home of its user, for mapping paths. */
  readonly home: string;
  /** The recipient to encrypt for. */
  readonly recipient: string;
  readonly sessions: readonly PushedSession[];
  readonly forgotten: readonly PushedTombstone[];
  readonly undone: readonly PushedUndoing[];
}

const VERSION = 1;
/** Numbers of generations have at most nine digits. */
const MAX_GENERATION = 999_999_999;

/** The form in a repository, before it is compressed and sealed: docs/STORAGE.md explains the names. */
export function machineManifestToJson(manifest: MachineManifest): unknown {
  const { machine, home, recipient, sessions, forgotten, undone } = manifest;
  return {
    version: VERSION,
    machine: machine.id,
    name: machine.name,
    home,
    recipient,
    sessions: sessions.map(({ agent, id, copy, generations }) => [
      agent,
      id,
      copy,
      generations.map(({ generation, record }) => [generation, record]),
    ]),
    forgotten: forgotten.map(({ machine: of, agent, id, copy, at }) => [of, agent, id, copy, at]),
    undone: undone.map(({ agent, id, copy, until }) => [agent, id, copy, until]),
  };
}

/** Parses the manifest of a machine. Throws `ArchiveDamage`: other machines may be of another version, or hostile. */
export function machineManifestFromJson(value: unknown, id: string): MachineManifest {
  const read = readFields(value);
  const version = read.count("version");
  if (version !== VERSION) throw new ArchiveDamage(`it is of version ${version}`);
  if (read.text("machine") !== id) invalidRecord("machine");
  const name = read.text("name");
  if (!isMachineName(name)) invalidRecord("name");
  return {
    machine: { id, name },
    home: read.text("home"),
    recipient: read.text("recipient"),
    // Sessions of agents that this version does not know are skipped; a later version will read them.
    sessions: read.list("sessions").flatMap((each) => sessionFromJson(each) ?? []),
    forgotten: read.list("forgotten").flatMap((each) => tombstoneFromJson(each) ?? []),
    undone: read.has("undone") ? read.list("undone").flatMap((each) => undoingFromJson(each) ?? []) : [],
  };
}

function sessionFromJson(value: unknown): PushedSession | undefined {
  const [agent, id, copy, list] = asList(value);
  if (!Array.isArray(list)) return invalidRecord("sessions");
  const name = nameFrom(agent, id, copy);
  const generations = list.map((each): PushedGeneration => {
    const [generation, record] = asList(each);
    if (typeof record !== "string" || !/^[0-9a-f]{64}$/.test(record)) return invalidRecord("sessions");
    const isNumber = Number.isSafeInteger(generation) && Number(generation) >= 1;
    if (!isNumber || Number(generation) > MAX_GENERATION) return invalidRecord("sessions");
    return { generation: Number(generation), record };
  });
  return name === undefined ? undefined : { ...name, generations };
}

function tombstoneFromJson(value: unknown): PushedTombstone | undefined {
  const [machine, agent, id, copy, at] = asList(value);
  if (typeof machine !== "string" || typeof at !== "number") return invalidRecord("forgotten");
  const name = nameFrom(agent, id, copy);
  return name === undefined ? undefined : { ...name, machine, at };
}

function undoingFromJson(value: unknown): PushedUndoing | undefined {
  const [agent, id, copy, until] = asList(value);
  if (typeof until !== "number") return invalidRecord("undone");
  const name = nameFrom(agent, id, copy);
  return name === undefined ? undefined : { ...name, until };
}

/** undefined if the agent is unknown here. */
function nameFrom(agent: unknown, id: unknown, copy: unknown): LogKey | undefined {
  if (typeof agent !== "string" || typeof id !== "string" || id === "") return invalidRecord("sessions");
  if (copy !== null && (typeof copy !== "string" || !/^[0-9a-f]{12}$/.test(copy)))
    return invalidRecord("sessions");
  return isAgent(agent) ? { agent, id, copy } : undefined;
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : invalidRecord("sessions");
}
