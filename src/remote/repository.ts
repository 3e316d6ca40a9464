import { Buffer } from "node:buffer";
import { brotliDecompressSync } from "node:zlib";
import { compress, hashOf, MAX_STORED } from "../archive/raw/chunk.ts";
import { ArchiveDamage } from "../fs/damage.ts";
import { type MachineManifest, machineManifestFromJson, machineManifestToJson } from "./machine-manifest.ts";
import { type ObjectCipher, SEAL_BYTES } from "./object-cipher.ts";
import type { ListedObject, ObjectStore } from "./object-store.ts";

/*
 *   objects/<2 hex digits>/<64>      a chunk of a file, or the record of a generation; named by its content
 *   manifests/<machine>/<number>     all that a machine has pushed; the highest number counts
 *
 * A manifest is put when all that it names is there, so what a manifest names exists. Nothing is ever overwritten.
 */

/** More than 100,000 files in one session. */
const MAX_RECORD_BYTES = 64 * 1024 * 1024;
/** More than 500,000 sessions of one machine. */
const MAX_MANIFEST_BYTES = 256 * 1024 * 1024;

/** The name of a manifest. */
export interface ManifestPlace {
  readonly name: string;
  readonly machine: string;
  readonly number: number;
  readonly storedAt: number;
}

/** An open repository: objects are sealed when they are stored, and opened when they are read. */
export interface Repository {
  readonly store: ObjectStore;
  /** The name of the object with that content. */
  objectName(sha256: string): string;
  /** All objects, by name. */
  listObjects(): Promise<ReadonlyMap<string, ListedObject>>;
  /** Stores content that is already compressed. */
  putPacked(sha256: string, packed: Uint8Array): Promise<void>;
  /** Reads content, still compressed. Throws `ArchiveDamage` if it is missing or damaged. */
  getPacked(sha256: string): Promise<Buffer>;
  /** Stores a record, under the SHA-256 of its bytes. */
  putRecord(record: Uint8Array): Promise<void>;
  /** Throws `ArchiveDamage`. */
  getRecord(sha256: string): Promise<unknown>;
  /** The manifests of all machines, in no order. */
  listManifests(): Promise<readonly ManifestPlace[]>;
  /** Throws `ArchiveDamage`. */
  getManifest(place: ManifestPlace): Promise<MachineManifest>;
  /** False if the number is taken. */
  putManifest(number: number, manifest: MachineManifest): Promise<boolean>;
}

export function openRepository(store: ObjectStore, cipher: ObjectCipher): Repository {
  const objectName = (sha256: string): string => {
    const name = cipher.nameOf(sha256);
    return `objects/${name.slice(0, 2)}/${name}`;
  };
  const read = async (name: string, maxBytes: number): Promise<Buffer> => {
    const bytes = await store.get(name, maxBytes + SEAL_BYTES);
    if (bytes === undefined) throw new ArchiveDamage("it is missing");
    if (bytes.length > maxBytes + SEAL_BYTES) throw new ArchiveDamage("it is too large");
    return cipher.open(name, bytes);
  };
  const putPacked = async (sha256: string, packed: Uint8Array): Promise<void> => {
    await store.put(objectName(sha256), cipher.seal(objectName(sha256), packed));
  };
  return {
    store,
    objectName,
    async listObjects() {
      return new Map((await store.list("objects/")).map((object) => [object.name, object]));
    },
    putPacked,
    getPacked: (sha256) => read(objectName(sha256), MAX_STORED),
    putRecord: (record) => putPacked(hashOf(record), compress(record)),
    async getRecord(sha256) {
      const record = unpackBounded(await read(objectName(sha256), MAX_RECORD_BYTES), MAX_RECORD_BYTES);
      if (hashOf(record) !== sha256) throw new ArchiveDamage("it does not have the hash that it should have");
      return parse(record);
    },
    async listManifests() {
      return (await store.list("manifests/")).flatMap(({ name, storedAt }) => {
        const [, machine, number] = /^manifests\/([0-9a-f]{16})\/(\d{8})$/.exec(name) ?? [];
        return machine === undefined ? [] : [{ name, machine, number: Number(number), storedAt }];
      });
    },
    async getManifest({ name, machine }) {
      const bytes = unpackBounded(await read(name, MAX_MANIFEST_BYTES), MAX_MANIFEST_BYTES);
      return machineManifestFromJson(parse(bytes), machine);
    },
    async putManifest(number, manifest) {
      const name = manifestName(manifest.machine.id, number);
      const json = Buffer.from(JSON.stringify(machineManifestToJson(manifest)));
      return store.put(name, cipher.seal(name, compress(json)));
    },
  };
}

function manifestName(machine: string, number: number): string {
  return `manifests/${machine}/${String(number).padStart(8, "0")}`;
}

/** A decompression bomb claims gigabytes. */
function unpackBounded(packed: Uint8Array, maxBytes: number): Buffer {
  try {
    return brotliDecompressSync(packed, { maxOutputLength: maxBytes });
  } catch (error) {
    throw new ArchiveDamage("it can't be unpacked", { cause: error });
  }
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    throw new ArchiveDamage("it is not JSON", { cause: error });
  }
}
