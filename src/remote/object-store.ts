import { exitCodes, UserError } from "../errors.ts";

/** An object in a listing. */
export interface ListedObject {
  readonly name: string;
  readonly bytes: number;
  /** When it was stored, by the store's own clock, in milliseconds. */
  readonly storedAt: number;
}

/**
 * The port to a place that stores objects: a folder, or a bucket of an object store. An object is either complete or
 * absent, and never changes. Names are lower-case words and numbers with slashes. A place that can't be reached or
 * denies access is a UserError.
 */
export interface ObjectStore {
  /** A description of the place, for people. */
  readonly place: string;
  /** Stores an object, durably. Returns false if that name exists: then nothing is changed. */
  put(name: string, bytes: Uint8Array): Promise<boolean>;
  /** undefined if there is none. One that is larger than `maxBytes` is cut off after one byte more. */
  get(name: string, maxBytes: number): Promise<Uint8Array | undefined>;
  /** All objects whose names begin with the prefix, in no order. */
  list(prefix: string): Promise<readonly ListedObject[]>;
  /** Does nothing if there is none. */
  delete(name: string): Promise<void>;
  /** The store's own clock, in milliseconds: clocks of machines differ. */
  now(): Promise<number>;
}

/** The form of names. Anything else in the place is not touched. */
const OBJECT_NAME = /^(?:[a-z0-9][a-z0-9-]*\/)*[a-z0-9][a-z0-9.-]*$/;

export function isObjectName(name: string): boolean {
  return OBJECT_NAME.test(name) && !name.includes("..");
}

export function unreachable(
  place: string,
  what: string,
  cause?: unknown,
  hint = "nothing is lost; run this again when it can be reached",
): UserError {
  return new UserError(`Cannot reach ${place}: ${what}`, {
    exitCode: exitCodes.refused,
    hint,
    cause,
  });
}

export function denied(
  place: string,
  what: string,
  hint = "check the credentials, and what they allow: list, get, put and delete",
): UserError {
  return new UserError(`Cannot use ${place}: ${what}`, { exitCode: exitCodes.refused, hint });
}
